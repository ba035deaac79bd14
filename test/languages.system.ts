import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packageRoot } from '../src/engine/contract/load.js'
import { ended, ready, startIn } from './cli.js'
import { documents } from './documents.js'

const page = documents.get('docs/languages.md') as string
const main = join(packageRoot(), 'dist/main.js')
/** The one that has pytest and requests: a machine may have several. */
const python = ['python3', '/usr/bin/python3'].find(
  (it) => spawnSync(it, ['-c', 'import pytest, requests']).status === 0
) as string

/** A project of somebody who has followed the page. */
const folder = mkdtempSync(join(tmpdir(), 'kcm-languages-'))
for (const [, file, code] of page.matchAll(/```py file=(\S+)\n([\s\S]*?)```/g))
  writeFileSync(join(folder, file as string), code as string)
mkdirSync(join(folder, 'node_modules'))
symlinkSync(packageRoot(), join(folder, 'node_modules/knowledge-chat-mock'))

/** The processes that run in the project. */
const running = () => readdirSync('/proc').filter((name) => folderOf(name) === folder)

function folderOf(process: string): string | undefined {
  try {
    return readlinkSync(`/proc/${process}/cwd`)
  } catch {
    // It is not a process, or has ended meanwhile.
    return undefined
  }
}

test.each([
  ['with a mock that it starts', python, ['-m', 'pytest', 'test_chats.py']],
  ['on a mock that exec starts', process.execPath, [main, 'exec', '--', python, '-m', 'pytest', 'test_chats.py']]
])('the recipe for pytest passes %s', async (_, command, args) => {
  const env = { ...process.env, NODE_OPTIONS: '' }
  const { stdout } = await promisify(execFile)(command, args, { cwd: folder, env })
  expect(stdout).toMatch(/ 2 passed/)
  expect(running()).toEqual([])
})

test('what the recipes for Testcontainers do with an image works with its command and its variables', async () => {
  expect(spawnSync(python, ['-m', 'py_compile', join(folder, 'test_container.py')]).status).toBe(0)
  const [, java] = /```java file=\S+\n([\s\S]*?)```/.exec(page) as unknown as [string, string]
  const given = [...java.matchAll(/withEnv\("(\w+)", "([^"]*)"\)/g)].map(([, name, value]) => [name, value])
  const child = startIn(folder, [main], { KCM_HOST: '0.0.0.0', KCM_PORT: '0', ...Object.fromEntries(given) })
  const done = ended(child)
  const url = (await ready(child)).replace('0.0.0.0', '127.0.0.1')
  const [, health] = /forHttp\("([^"]*)"\)/.exec(java) as unknown as [string, string]
  expect((await fetch(url + health)).status).toBe(200)
  const headers = Object.fromEntries(
    [...java.matchAll(/header\("([\w-]+)",? ?"?([^")]*)"\)/g)].map(([, name, value]) => [
      name as string,
      value as string
    ])
  )
  const [, body] = /ofString\("(.*)"\)\)/.exec(java) as unknown as [string, string]
  const { status } = await fetch(`${url}/__mock/overrides`, { method: 'POST', headers, body: JSON.parse(`"${body}"`) })
  expect(status).toBe(201)
  expect((await fetch(`${url}/api/get-user-role`, { headers })).status).toBe(503)
  child.kill()
  expect((await done).code).toBe(0)
})
