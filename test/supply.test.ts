import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../src/engine/contract/load.js'
import { ended, ready, startIn } from './cli.js'
import { documentWith } from './documents.js'
import { call } from './mock.js'

const root = packageRoot()
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const offline = join(root, 'test/offline.mjs')

test('each dependency has its reason in a document, and there is no reason without one', () => {
  const [, table] = /## Dependencies, and why each\n\n([\s\S]*?)(\n\n|$)/.exec(
    documentWith('## Dependencies, and why each')
  ) as unknown as [string, string]
  const named = [...table.matchAll(/^\| ([^ |]+) \| .{5,} \|$/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== 'package')
  expect(named.sort()).toEqual(Object.keys(JSON.parse(read('package.json')).dependencies).sort())
})

test('the notices have the licence of each package that the build bundles', () => {
  const notices = read('dist/THIRD-PARTY-NOTICES.txt')
  const named = new Set([...notices.matchAll(/^(\S+) \d+\.\d+\.\S+ \(([A-Z][\w.-]+)\)$/gm)].map(([, name]) => name))
  const [, table] = /The build bundles these[^|]*([\s\S]*?)\n\n/.exec(read('src/README.md')) as unknown as [
    string,
    string
  ]
  const bundled = [...table.matchAll(/^\| ([^|]+) \|/gm)].slice(2).flatMap(([, names]) => (names as string).split(', '))
  expect(bundled.filter((name) => !named.has(name))).toEqual([])
  // What they need is there too.
  for (const name of ['busboy', 'streamsearch', '@preact/signals-core'])
    expect([name, named.has(name)]).toEqual([name, true])
  expect(notices.match(/Permission is hereby granted|Apache License/g)?.length).toBeGreaterThanOrEqual(named.size)
})

test('no package that users install runs a script during installation', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }>
  }
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev)
  expect(installed.length).toBeGreaterThan(10)
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([])
  // npm runs `prepare` of a package that it gets from a folder or from Git, and warns of it if it gets a tarball.
  const own = Object.keys(JSON.parse(read('package.json')).scripts)
  expect(own.filter((name) => /install$|^prepare$/.test(name))).toEqual([])
})

test('no script needs the shell of a system, those of the examples included', () => {
  const examples = readdirSync(join(root, 'test/examples'))
    .map((name) => `test/examples/${name}/package.json`)
    .filter((file) => !file.includes('node_modules') && existsSync(join(root, file)))
  expect(examples.length).toBeGreaterThan(8)
  const scripts = ['package.json', ...examples].flatMap((file) => Object.values(JSON.parse(read(file)).scripts))
  expect(scripts.filter((script) => /['$;\\|<>]|\b[A-Z_]+=| & /.test(script as string))).toEqual([])
})

test('no machine but this one is contacted, neither at the start nor by any request', async () => {
  const args = ['--import', offline, join(root, 'dist/main.js'), '--port', '0', '--log', 'json', '--public']
  const child = startIn(root, args, {})
  const done = ended(child)
  const url = await ready(child)
  const urls = ['https://example.com/', 'http://intranet.example/internal', 'http://10.0.0.1/']
  const opened = await call(url, 'POST', '/api/web-search/open-urls', { body: { urls } })
  expect([opened.status, opened.body.results.length]).toEqual([200, 2])
  for (const path of ['/openapi.json', '/api/get-user-role', '/nowhere']) await call(url, 'GET', path)
  child.kill()
  const { code, stderr } = await done
  expect([code, stderr.includes('asked for')]).toEqual([0, false])
})

test.each([
  "fetch('https://example.com')",
  "require('node:dns').lookup('example.com', () => {})",
  "require('node:net').connect(80, '10.0.0.1')"
])('the check finds %s', async (program) => {
  const { code } = await ended(spawn(process.execPath, ['--import', offline, '-e', program], { env: {} }))
  expect(code).toBe(99)
})
