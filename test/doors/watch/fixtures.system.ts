import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { packageRoot } from '../../../src/engine/contract/load.js'
import { ready } from '../../cli.js'
import { call } from '../../mock.js'

// A separate checkout, whose files may change.
const copy = mkdtempSync(join(tmpdir(), 'kcm-checkout-'))
let child: ChildProcess
let url: string
let lines: AsyncIterator<string>

beforeAll(async () => {
  for (const name of ['contracts', 'docs', 'fixtures', 'src', 'llms.txt', 'package.json', 'tsconfig.json']) {
    cpSync(join(packageRoot(), name), join(copy, name), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules'
    })
  }
  symlinkSync(join(packageRoot(), 'node_modules'), join(copy, 'node_modules'))
  const env = { ...process.env, NODE_OPTIONS: '' }
  execFileSync(process.execPath, ['src/build/build.mjs'], { cwd: copy, env })
  const args = ['dist/main.js', '--watch', '--port', '0', '--fixtures', 'empty', '--seed', '3']
  child = spawn(process.execPath, args, { cwd: copy, env, stdio: ['ignore', 'pipe', 'pipe'] })
  lines = createInterface({ input: child.stderr as NonNullable<ChildProcess['stderr']> })[Symbol.asyncIterator]()
  url = await ready(child)
})
afterAll(async () => {
  child.kill()
  await new Promise((resolve) => child.once('close', resolve))
  rmSync(copy, { recursive: true })
})

/** Changes a file and waits for the line about the result. */
async function edit(name: string, change: (text: string) => string): Promise<string> {
  const before = readFileSync(join(copy, name), 'utf8')
  expect(change(before)).not.toBe(before)
  writeFileSync(join(copy, name), change(before))
  for (;;) {
    const { value, done } = await lines.next()
    if (done) throw new Error('the mock ended')
    if (/^(reloaded|kept|nothing changed)/.test(value)) return value
  }
}

const emails = async (sandbox: string) => {
  const { body } = await call(url, 'GET', '/__mock/state/users', { headers: { 'X-Mock-Sandbox': sandbox } })
  return body.rows.map(({ email }: { email: string }) => email).sort()
}

test('new sandboxes and resets start from changed fixtures, and existing sandboxes keep their rows', async () => {
  const old = ['ada@example.com', 'mary@example.com', 'tom@example.com']
  // Looking at a sandbox does not make it.
  await call(url, 'POST', '/__mock/reset', { body: {}, headers: { 'X-Mock-Sandbox': 'old' } })
  expect(await emails('old')).toEqual(old)
  const line = await edit('fixtures/sets.ts', (text) => text.replace('ada@example.com', 'grace@example.com'))
  expect(line).toBe('reloaded fixtures/sets.ts')
  expect(await emails('old')).toEqual(old)
  expect(await emails('new')).toContain('grace@example.com')
  await call(url, 'POST', '/__mock/reset', { body: {}, headers: { 'X-Mock-Sandbox': 'old' } })
  expect(await emails('old')).toContain('grace@example.com')
})

test('fixtures and contracts that change together are loaded together', async () => {
  writeFileSync(join(copy, 'contracts/web.json'), `${readFileSync(join(copy, 'contracts/web.json'), 'utf8')}\n`)
  const line = await edit('fixtures/sets.ts', (text) => text.replace('mary@example.com', 'joan@example.com'))
  expect(line).toBe('reloaded contracts/web.json, fixtures/sets.ts')
})

test('fixtures that do not parse keep the old ones, and the message has the place', async () => {
  const line = await edit('fixtures/sets.ts', (text) =>
    text.replace('const rows = emptyRows()', 'const rows = = emptyRows()')
  )
  expect(line).toMatch(/^kept the old contracts, assumptions and fixtures: fixtures\/sets\.ts:\d+:\d+: Unexpected "="/)
  expect(await emails('after-broken')).toContain('joan@example.com')
  expect(await edit('fixtures/sets.ts', (text) => text.replace('= =', '='))).toBe(
    'nothing changed since the last reload'
  )
})

test('fixtures that throw, or whose rows break their contract, keep the old ones', async () => {
  const mend = readFileSync(join(copy, 'fixtures/sets.ts'), 'utf8')
  const failing = await edit('fixtures/sets.ts', (text) =>
    text.replace('const rows = emptyRows()', "throw new Error('no rows today')")
  )
  expect(failing).toMatch(/^kept the old .*: fixtures: .*no rows today/)
  const wrong = await edit('fixtures/sets.ts', () => mend.replace("role: 'basic'", "role: 'boss'"))
  expect(wrong).toMatch(/^kept the old .*: fixtures: users\.\d+\.role: Input should be '/)
  expect(await emails('after-wrong')).toContain('joan@example.com')
  await edit('fixtures/sets.ts', () => mend)
})

test('builds of fixtures leave no files behind', () => {
  expect(readdirSync(join(copy, 'dist')).filter((name) => name.startsWith('fixtures-'))).toEqual([])
})
