import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expectedOf, testOf, waysTo } from '../../src/dashboard/pages/share/as-test.js'
import { packageRoot } from '../../src/engine/contract/load.js'
import type { JournalDetail, Scenario } from '../../src/engine/contract/types.gen.js'
import { startTestMock } from '../mock.js'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'kcm-shared-'))

/** A project whose package is the built one, or a copy of it in which `broken` does nothing. */
function project(name: string, broken?: RegExp): string {
  const place = join(folder, name)
  const installed = join(place, 'node_modules/knowledge-chat-mock')
  mkdirSync(join(place, 'node_modules'), { recursive: true })
  if (!broken) {
    symlinkSync(packageRoot(), installed)
    return place
  }
  for (const part of ['package.json', 'dist', 'contracts']) {
    cpSync(join(packageRoot(), part), join(installed, part), { recursive: true })
  }
  symlinkSync(join(packageRoot(), 'node_modules'), join(installed, 'node_modules'))
  let count = 0
  for (const file of readdirSync(join(installed, 'dist')).filter((it) => it.endsWith('.js'))) {
    const text = readFileSync(join(installed, 'dist', file), 'utf8')
    const changed = text.replace(broken, 'undefined')
    if (changed === text) continue
    count += 1
    writeFileSync(join(installed, 'dist', file), changed)
  }
  expect(count).toBeGreaterThan(0)
  return place
}

const intact = project('intact')
const changed = project('changed', /\w+\.chatSessions\.remove\(\s*[\w.]+\s*\)/g)

/** How many of these tests pass and fail in a project with Jest. */
async function jest(place: string, tests: Record<string, string>): Promise<Record<string, string>> {
  for (const [name, text] of Object.entries(tests)) writeFileSync(join(place, `${name}.test.mjs`), text)
  const bin = join(packageRoot(), 'node_modules/jest/bin/jest.js')
  const settings = [
    '--rootDir',
    place,
    '--testMatch',
    '**/*.test.mjs',
    '--transform',
    '{}',
    '--config',
    '{}',
    '--json',
    '--testTimeout',
    '120000'
  ]
  const env = { ...process.env, NODE_OPTIONS: '--experimental-vm-modules' }
  const { stdout } = await run(process.execPath, [bin, ...settings], { cwd: place, env }).catch((error) => error)
  const { testResults } = JSON.parse(stdout) as { testResults: { name: string; status: string }[] }
  return Object.fromEntries(
    testResults.map(({ name, status }) => [name.replace(/.*\/(\w+)\.test\.mjs$/, '$1'), status])
  )
}

test('the tests of exchanges before and after a restored moment pass in Jest, and fail if the mock has changed', async () => {
  const mock = await startTestMock({ now: undefined })
  const control = async <T>(path: string): Promise<T> => (await mock.call('GET', `/__mock/${path}`)).body
  const { sessions } = (await mock.call('GET', '/api/chat/get-user-chat-sessions')).body
  const path = `/api/chat/delete-chat-session/${sessions[0].id}`
  const first = await mock.call('DELETE', path)
  const gone = await mock.call('DELETE', path)
  expect([first.status, gone.status]).toEqual([200, 404])
  const { body: state } = await mock.call('GET', '/__mock/state?at=r1')
  await mock.call('POST', '/__mock/history/r1/restore')
  expect((await mock.call('DELETE', path)).status).toBe(200)
  expect((await mock.call('DELETE', path)).status).toBe(404)
  await mock.call('PUT', '/__mock/state', { body: state })
  await mock.call('DELETE', path)
  expect((await mock.call('DELETE', path)).status).toBe(404)
  await mock.call('POST', '/__mock/reset?keep_journal=true', { body: {} })
  await mock.call('DELETE', path)
  expect((await mock.call('DELETE', path)).status).toBe(404)

  const { requests } = await control<{ requests: JournalDetail[] }>('requests')
  const tests: Record<string, string> = {}
  for (const { id } of requests.filter(({ status }) => status === 404)) {
    const exchange = await control<JournalDetail>(`requests/${id}`)
    const capsule = await control<Scenario>(`capsule?uploads=whole&exchange=${id}`)
    const [{ scenario } = { scenario: capsule }] = waysTo(capsule, exchange, requests)
    const tried = { scenario, expected: expectedOf(exchange), form: undefined }
    tests[id] = testOf(exchange, tried, { runner: 'Jest', modules: 'ESM' })
  }
  const all = (outcome: string) => Object.fromEntries(['r3', 'r5', 'r7', 'r9'].map((id) => [id, outcome]))
  expect(await jest(intact, tests)).toEqual(all('passed'))
  expect(await jest(changed, tests)).toEqual(all('failed'))
})
