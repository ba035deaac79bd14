import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { serveCommand } from '../../../src/doors/cli/serve.js'
import { createMock } from '../../../src/doors/program/mock.js'
import { packageRoot } from '../../../src/engine/contract/load.js'
import { ready } from '../../cli.js'
import { invoke } from '../../invoke.js'
import { call, testNow } from '../../mock.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-fixtures-'))
const bin = join(packageRoot(), 'dist/main.js')
const env = { ...process.env, NODE_OPTIONS: '' }

function file(name: string, content: unknown): `${string}.json` {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path as `${string}.json`
}

const project = { id: 1, name: 'Launch', description: null, created_at: '-2h', user_id: 'curator', instructions: null }
const labels = [{ id: 1, name: 'Ours' }]

test('sandboxes start from a saved state', () => {
  const saved = createMock({ now: testNow }).sandbox()
  saved.create('userFiles', 'deleting')
  saved.clock.advance('1h')
  const state = saved.state
  const box = createMock({ fixtures: file('saved.json', state) }).sandbox()
  expect(box.state).toEqual({ ...state, fixtures: 'saved' })
  expect(box.create('labels')).toEqual(saved.create('labels'))
  expect(box.create('userFiles')).toEqual(saved.create('userFiles'))
})

test('a set extends another one, names users by key, and keeps its age at any time', () => {
  const fixtures = file('team.json', { extends: 'empty', collections: { labels, projects: [project] } })
  for (const [now, created] of [
    [testNow, '2026-03-02T08:00:00.000Z'],
    ['2030-01-01T00:00:00.000Z', '2029-12-31T22:00:00.000Z']
  ] as const) {
    const mock = createMock({ fixtures, now })
    const box = mock.sandbox()
    expect(
      box
        .rows('users')
        .map(({ key }) => key)
        .sort()
    ).toEqual(['admin', 'basic', 'curator'])
    const curator = box.rows('users').find(({ key }) => key === 'curator')
    expect(box.rows('projects')).toEqual([{ ...project, created_at: created, user_id: curator?.id }])
    const start = box.state
    box.reset({ fixtures: 'demo' })
    expect(box.rows('projects').length).toBeGreaterThan(5)
    box.reset({ fixtures: 'team' })
    expect(box.state).toEqual(start)
    expect(() => box.reset({ fixtures: 'teem' })).toThrow(
      'fixtures: There are no fixtures "teem". Known: empty, demo, large, awkward, team.'
    )
  }
})

test('a row replaces the row with the same id in the extended set', () => {
  const own = { extends: 'demo', collections: { labels } }
  const box = createMock({ fixtures: file('over.json', own), now: testNow }).sandbox()
  const demo = createMock({ now: testNow }).sandbox()
  expect(box.rows('labels')).toEqual([...labels, ...demo.rows('labels').slice(1)])
})

test.each<[what: string, content: unknown, message: RegExp]>([
  ['no JSON', '{"collections": ', /broken\.json:1:17: Expecting value/],
  ['a value other than an object', '[]', /it must export an object/],
  ['an unknown field', { colections: {} }, /colections.*collections/s],
  ['an unknown base', { extends: 'dmeo', collections: {} }, /extends is dmeo: give one of empty, demo, large, awkward/],
  ['rows that are not a list', { collections: { labels: {} } }, /collections\.labels: Input should be a valid list/],
  ['no collections', { extends: 'empty' }, /collections must be an object of lists of rows/],
  ['nothing', 'null', /it must export an object/],
  [
    'a row that is null',
    { collections: { labels: [null] } },
    /collections\.labels\.0: Input should be a valid dictionary/
  ],
  [
    'a collection with a name of objects',
    '{"collections": {"__proto__": []}}',
    /__proto__: There is no such collection/
  ],
  ['a wrong seed', { seed: 'x', collections: {} }, /seed: Input should be a valid integer/],
  ['an invalid time', { now: 'later', collections: {} }, /now is later: give an ISO 8601 time/],
  ['invalid stored rows', { stored: 5, collections: {} }, /stored: Input should be a valid dictionary/],
  [
    'a wrong row that is gone',
    { collections: { labels }, stored: { labels: { 9: { id: 9 } } } },
    /: stored\.labels\.9\.name: Field required/
  ],
  [
    'a wrong field that is stored',
    { collections: { labels }, stored: { labels: { 1: { name: 7 } } } },
    /: stored\.labels\.1\.name: Input should be a valid string/
  ],
  ['an unknown collection', { collections: { tables: [] } }, /collections\.tables: There is no such collection/],
  [
    'a wrong field',
    { collections: { labels: [...labels, { id: 2, name: 5 }] } },
    /collections\.labels\.1\.name: Input should be a valid string/
  ],
  ['a lacking field', { collections: { labels: [{ id: 2 }] } }, /collections\.labels\.0\.name: Field required/],
  [
    'a lost reference',
    { collections: { projects: [project] } },
    /collections\.projects\.0\.user_id: No user has the id or key "curator"/
  ],
  [
    'two faults',
    { collections: { labels: [{ id: 2 }, { id: 2 }] } },
    /collections\.labels\.0\.name: Field required \(and \d more\)/
  ]
])('a file with %s is refused at the start, by file, row and field', (_, content, message) => {
  const fixtures = file('broken.json', content)
  expect(() => createMock({ fixtures })).toThrow(message)
  expect(() => createMock({ fixtures })).toThrow('broken.json')
})

test('a file may begin with a byte order mark', () => {
  const text = JSON.stringify({ extends: 'empty', collections: { labels } })
  expect(
    createMock({ fixtures: file('marked.json', `\ufeff${text}`) })
      .sandbox()
      .rows('labels')
  ).toEqual(labels)
})

test.each([
  ['that waits', 'export default { collections: async () => ({}) }', 'collections returns a promise'],
  [
    'that fails later',
    "export const collections = () => Promise.reject(new Error('later'))",
    'collections returns a promise'
  ],
  ['of a map', 'export const collections = new Map()', 'collections must be an object of lists of rows'],
  ['with another name', 'export const rows = {}', 'There is no field rows.'],
  ['that throws a text', "throw 'a text'", 'a text'],
  ['that fails', "throw new Error('my own')", 'cannot be loaded: my own']
])('a module %s ends the command line with 2, and says why', async (_, text, message) => {
  const { code, stderr } = await invoke(serveCommand(), ['--port', '0', '--fixtures', file('odd.mjs', text)], {
    folder
  })
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: fixtures \(--fixtures\) odd\.mjs/m)])
  expect(stderr).toContain(message)
})

test('a file that does not exist, or an unknown name, ends the command line with 2', async () => {
  const ends = async (fixtures: string) => {
    const { code, stderr } = await invoke(serveCommand(), ['--port', '0', '--fixtures', fixtures], { folder })
    return [code, stderr]
  }
  expect(await ends('nowhere.json')).toEqual([2, expect.stringMatching(/fixtures.*nowhere\.json.*no such file/s)])
  expect(await ends('team')).toEqual([
    2,
    expect.stringMatching(/one of empty, demo, large, awkward, or a file that ends with/)
  ])
  file('half.json', { collections: { labels: [{ id: 1 }] } })
  expect(await ends('half.json')).toEqual([
    2,
    expect.stringMatching(/half\.json: collections\.labels\.0\.name: Field required/)
  ])
})

describe('a module', () => {
  // The package as a project has it.
  const installed = join(folder, 'node_modules/knowledge-chat-mock')
  const module = (name: string, files: number | 'many') =>
    file(
      name,
      `import { hour, userFile } from 'knowledge-chat-mock/fixtures'
       export default {
         extends: 'empty',
         collections(make, { users }) {
           const user_id = users.find(({ key }) => key === 'basic').id
           return { userFiles: Array.from({ length: ${files} }, () => userFile(make, { user_id, age: hour })) }
         }
       }`
    )

  beforeAll(() => {
    mkdirSync(installed, { recursive: true })
    const exported = { './fixtures': { import: './fixtures.js' } }
    writeFileSync(join(installed, 'package.json'), JSON.stringify({ type: 'module', exports: exported }))
    writeFileSync(
      join(installed, 'fixtures.js'),
      `export * from ${JSON.stringify(join(packageRoot(), 'dist/fixtures.js'))}`
    )
  })

  test('makes rows with the factories of the fixtures, and --watch loads its changes', async () => {
    module('made.mjs', 3)
    const args = [bin, '--watch', '--port', '0', '--fixtures', 'made.mjs', '--now', testNow]
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const lines = createInterface({ input: child.stderr })
    const output: string[] = []
    lines.on('line', (line) => output.push(line))
    const line = async (pattern: RegExp) => {
      while (!output.some((it) => pattern.test(it))) await once(lines, 'line')
      return output.find((it) => pattern.test(it))
    }
    try {
      const url = await ready(child)
      const files = async (sandbox: string) => {
        const { body } = await call(url, 'GET', '/__mock/state/userFiles', { headers: { 'X-Mock-Sandbox': sandbox } })
        return body.rows
      }
      // Looking at a sandbox does not make it, but a call does.
      await call(url, 'GET', '/api/get-user-role', { headers: { 'X-Mock-Sandbox': 'one' } })
      const first = await files('one')
      expect(first.map((row: { created_at: string }) => row.created_at)).toEqual(
        Array(3).fill('2026-03-02T09:00:00.000Z')
      )
      module('made.mjs', 5)
      expect(await line(/^reloaded/)).toContain('made.mjs')
      expect(await files('two')).toHaveLength(5)
      expect(await files('one')).toEqual(first)
      module('made.mjs', 'many')
      expect(await line(/^kept the old/)).toContain('made.mjs')
      expect(await files('three')).toHaveLength(5)
    } finally {
      child.kill()
      await once(child, 'close')
    }
  })
})
