import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const folders = (process.env.PATH ?? '').split(delimiter)
const isProgram = (name) => folders.some((folder) => isExecutable(join(folder, name)))

/** The programs of the system tests, each with its Debian package. */
const needs = [
  ...[
    ['redis-server', 'redis-server'],
    ['haproxy', 'haproxy'],
    ['curl', 'curl'],
    ['bash', 'bash'],
    ['tar', 'tar'],
    ['find', 'findutils'],
    ['mount', 'mount'],
    ['setpriv', 'util-linux'],
    ['unshare', 'util-linux']
  ].map(([name, from]) => ({ name, from, isThere: isProgram(name) })),
  { name: 'libfaketime', from: 'libfaketime', isThere: hasFaketime() },
  { name: 'pytest', from: 'python3-pytest python3-requests', isThere: hasPytest() }
]

/** Reports at once what is missing. Without this, each test would wait for its limit. */
export default function check() {
  const missing = needs.filter(({ isThere }) => !isThere)
  if (missing.length > 0) {
    stop(`They need ${missing.map(({ name }) => name).join(', ')}. On Debian and Ubuntu: \
apt-get install --no-install-recommends ${[...new Set(missing.map(({ from }) => from))].join(' ')}`)
  }
  if (process.getuid?.() !== 0) stop('They need root, because one of them mounts a small disk.')
}

function stop(reason) {
  console.error(`The system tests cannot run. ${reason}`)
  process.exit(1)
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function hasFaketime() {
  if (!existsSync('/usr/lib')) return false
  return readdirSync('/usr/lib').some((name) => existsSync(`/usr/lib/${name}/faketime/libfaketimeMT.so.1`))
}

function hasPytest() {
  return ['python3', '/usr/bin/python3'].some((it) => spawnSync(it, ['-c', 'import pytest, requests']).status === 0)
}
