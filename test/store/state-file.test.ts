import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { serveCommand } from '../../src/doors/cli/serve.js'
import { invoke } from '../invoke.js'
import { call } from '../mock.js'
import { close, control, create, names, newFolder, open, session } from './kept.js'

const newFile = () => join(newFolder(), 'db.json')
// biome-ignore lint/suspicious/noExplicitAny: tests change what they like
const read = (file: string): any => JSON.parse(readFileSync(file, 'utf8'))

/** Changes the file as a person would. */
// biome-ignore lint/suspicious/noExplicitAny: tests change what they like
function edit(file: string, change: (state: any) => void): void {
  const state = read(file)
  change(state)
  writeFileSync(file, JSON.stringify(state, null, 2))
}

const label = (file: string, name: string) => edit(file, ({ collections }) => collections.labels.push({ id: 77, name }))

test('a state file has the default sandbox in the form of the control API, and the others under sandboxes', async () => {
  const file = newFile()
  const mock = await open(file)
  await call(mock.url, 'POST', create, session('Kept'))
  await call(mock.url, 'POST', create, session('Other', 'admin~box'))
  const { body } = await control(mock.url, 'GET', '/state')
  const { sandboxes, clock, requests, ...state } = read(file)
  expect(state).toEqual(body)
  expect(sandboxes.box.collections.chatSessions.map(({ name }: { name: string }) => name)).toEqual(['Other'])
})

test('a state file is written before a change is answered', async () => {
  const file = newFile()
  const mock = await open(file)
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, number) => call(mock.url, 'POST', create, session(`Chat ${number}`)))
  )
  const stored = read(file).collections.chatSessions.map(({ id }: { id: string }) => id)
  for (const { body } of made) expect(stored).toContain(body.chat_session_id)
})

test('a restart continues rows, ids, clock, choices, overrides, snapshots and sandboxes of a state file', async () => {
  const file = newFile()
  const first = await open(file)
  await call(first.url, 'POST', create, session('Kept'))
  await control(first.url, 'POST', '/snapshots/one')
  await call(first.url, 'POST', create, session('Later'))
  await control(first.url, 'PUT', '/clock', { now: '2030-01-01T00:00:00Z', speed: 0 })
  await control(first.url, 'PATCH', '/assumptions', { 'delete.body': '204' })
  await control(first.url, 'POST', '/overrides', { operation: 'getPersona', status: 503, times: 2 })
  await call(first.url, 'GET', '/api/persona/1')
  await call(first.url, 'POST', create, session('Other', 'admin~box'))
  const before = await control(first.url, 'GET', '/state')
  await close(first)

  const second = await open(file)
  expect((await control(second.url, 'GET', '/state')).body).toEqual(before.body)
  expect(await names(second.url, 'admin~box')).toEqual(['Other'])
  expect((await control(second.url, 'GET', '/clock')).body).toEqual({ now: '2030-01-01T00:00:00.000Z', speed: 0 })
  const overrides = await control(second.url, 'GET', '/overrides')
  expect(overrides.body.overrides).toMatchObject([{ id: 'o1', operation: 'getPersona', used: 1, remaining: 1 }])
  const answer = await call(second.url, 'POST', create, session('New'))
  expect(Number(answer.headers.get('x-mock-request-id')?.slice(1))).toBeGreaterThan(3)
  const gone = await call(second.url, 'DELETE', `/api/chat/delete-chat-session/${answer.body.chat_session_id}`)
  expect(gone.status).toBe(204)
  await control(second.url, 'POST', '/snapshots/one/restore')
  expect(await names(second.url)).toEqual(['Kept'])
})

test('a state file may be just a state that was saved from the control API', async () => {
  const file = newFile()
  writeFileSync(file, JSON.stringify({ collections: { labels: [{ id: 7, name: 'By hand' }] } }))
  const mock = await open(file)
  expect((await control(mock.url, 'GET', '/state/labels')).body.rows).toEqual([{ id: 7, name: 'By hand' }])
})

test.each([
  [
    'a wrong row',
    (file: string) => label(file, 7 as never),
    /db\.json: labels 77, field name: Input should be a valid string/
  ],
  [
    'a wrong row of another sandbox',
    (file: string) =>
      edit(file, (it) => (it.sandboxes = { box: { collections: { labels: [{ id: 'x', name: 'A' }] } } })),
    /db\.json: in the sandbox box, labels x, field id: Input should be a valid integer/
  ],
  [
    'a row that is there twice',
    (file: string) => {
      label(file, 'A')
      label(file, 'B')
    },
    /db\.json: labels 77/
  ],
  ['an unknown choice', (file: string) => edit(file, (it) => (it.choices = { nothing: '1' })), /db\.json: .*nothing/],
  ['a list', (file: string) => writeFileSync(file, '[]'), /db\.json: it is not a JSON object/],
  ['half a text', (file: string) => writeFileSync(file, '{"collections": {'), /db\.json: it is not JSON/],
  ['nothing', (file: string) => writeFileSync(file, ''), /db\.json: it is not JSON/]
])('a state file with %s stops the start with exit 2, and is unchanged', async (_, change, message) => {
  const file = newFile()
  await close(await open(file))
  change(file)
  const before = readFileSync(file, 'utf8')
  const { code, stderr } = await invoke(serveCommand(), ['--port', '0', '--data', file])
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('a state file that another program changed is not overwritten: changes are a 507 and rolled back', async () => {
  const file = newFile()
  const mock = await open(file)
  label(file, 'By hand')
  const refused = await call(mock.url, 'POST', create, session('Lost'))
  expect([refused.status, refused.body.detail]).toEqual([
    507,
    expect.stringMatching(
      /db\.json was changed by something else\. With --watch, the mock reads it, or logs the mistake/
    )
  ])
  expect(await names(mock.url)).toEqual([])
  await close(mock)
  const again = await open(file)
  expect((await control(again.url, 'GET', '/state/labels')).body.rows).toContainEqual({ id: 77, name: 'By hand' })
})

test('an edited state file is reloaded with --watch, completely or not at all', async () => {
  const file = newFile()
  const lines: string[] = []
  let heard = () => {}
  const next = () => new Promise<string>((resolve) => (heard = () => resolve(lines.at(-1) as string)))
  const onReload = (line: string) => {
    lines.push(line)
    heard()
  }
  const mock = await open(file, { watch: true, onReload })
  await call(mock.url, 'POST', create, session('Kept'))
  let line = next()
  label(file, 'By hand')
  expect(await line).toMatch(/^reloaded .*db\.json/)
  expect((await control(mock.url, 'GET', '/state/labels')).body.rows).toContainEqual({ id: 77, name: 'By hand' })
  expect(await names(mock.url)).toEqual(['Kept'])

  line = next()
  edit(file, (it) => {
    it.collections.chatSessions = []
    it.sandboxes = { box: { collections: { labels: [{ id: 1, name: 7 }] } } }
  })
  expect(await line).toMatch(/^kept the old state: .*box.*labels 1, field name/)
  expect(await names(mock.url)).toEqual(['Kept'])
  expect((await call(mock.url, 'POST', create, session('Lost'))).status).toBe(507)

  line = next()
  edit(file, (it) => delete it.sandboxes)
  expect(await line).toMatch(/^reloaded/)
  expect(await names(mock.url)).toEqual([])
  expect((await call(mock.url, 'POST', create, session('New'))).status).toBe(200)
  expect(read(file).collections.chatSessions).toMatchObject([{ name: 'New' }])
})

test('a public mock refuses a state file, because each visitor would rewrite all of it', async () => {
  const { code, stderr } = await invoke(serveCommand(), ['--port', '0', '--data', newFile(), '--public'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('give a public mock a folder')])
})

test('an edit of a state file is never overwritten, however many changes come meanwhile', async () => {
  const file = newFile()
  const mock = await open(file, { watch: true, onReload: () => {} })
  let isOver = false
  const writers = Array.from({ length: 3 }, async () => {
    while (!isOver) await call(mock.url, 'POST', create, session('Chat'))
  })
  for (let id = 100; id < 120; id++) {
    // As an editor does: a new file replaces the old one.
    const state = read(file)
    state.collections.labels.push({ id, name: `Edit ${id}` })
    writeFileSync(`${file}.new`, JSON.stringify(state))
    renameSync(`${file}.new`, file)
    for (;;) {
      const { body } = await control(mock.url, 'GET', '/state/labels')
      if (body.rows.some((row: { id: number }) => row.id === id)) break
    }
  }
  isOver = true
  await Promise.all(writers)
  expect(read(file).collections.labels).toHaveLength(20)
})

test('a state file is in use by one process', async () => {
  const file = newFile()
  const mock = await open(file)
  await expect(open(file)).rejects.toThrow(new RegExp(`db\\.json is in use by the process ${process.pid}`))
  await close(mock)
  await close(await open(file))
})

test('rows that an edit of a state file removes are gone, and the others are there once', async () => {
  const file = newFile()
  const lines: string[] = []
  let heard = () => {}
  const next = () => new Promise<void>((resolve) => (heard = resolve))
  const mock = await open(file, {
    watch: true,
    onReload: (line) => {
      lines.push(line)
      heard()
    }
  })
  await control(mock.url, 'POST', '/overrides', { operation: 'getPersona', status: 503, times: 1 })
  await control(mock.url, 'POST', '/snapshots/one')
  await control(mock.url, 'PATCH', '/assumptions', { 'delete.body': '204' })
  let line = next()
  label(file, 'By hand')
  await line
  expect((await control(mock.url, 'GET', '/overrides')).body.overrides).toHaveLength(1)
  line = next()
  edit(file, (it) => {
    for (const name of ['overrides', 'snapshots', 'choices']) delete it[name]
  })
  await line
  expect((await call(mock.url, 'GET', '/api/persona/0')).status).toBe(200)
  expect((await control(mock.url, 'GET', '/overrides')).body.overrides).toEqual([])
  expect((await control(mock.url, 'GET', '/snapshots')).body.snapshots).toEqual([])
  expect(lines.every((line) => line.startsWith('reloaded'))).toBe(true)
  await call(mock.url, 'POST', create, session('Later'))
  // Ids of overrides continue.
  expect(read(file)).toMatchObject({ overrides: { made: 1, list: [] } })
  for (const name of ['snapshots', 'choices']) expect(read(file)).not.toHaveProperty(name)
})

test.each([
  ['clock', { speed: 'fast' }, /clock\.speed: must be number/],
  ['clock', { speed: -5 }, /clock\.speed: must be >= 0/],
  ['clock', { speed: 1, real: 'now' }, /clock\.real: must match format "date-time"/],
  ['overrides', [], /overrides: must be object/],
  ['sandboxes', [], /sandboxes: must be object/],
  [
    'sandboxes',
    { default: {} },
    /sandboxes "default": property name must be valid|sandboxes "default": must match pattern/
  ],
  ['sandboxes', { box: { collections: {}, requests: -1 } }, /in the sandbox box, requests: must be >= 0/],
  ['requests', 'x', /requests: must be integer/],
  ['collections', null, /collections: must be object/]
])('a state file whose %s is %j stops the start, and is unchanged', async (name, value, message) => {
  const file = newFile()
  await close(await open(file))
  edit(file, (it) => {
    it[name] = value
  })
  const before = readFileSync(file, 'utf8')
  await expect(open(file)).rejects.toThrow(message)
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('a stopped clock and the times of snapshots are the same after each restart with a state file', async () => {
  const file = newFile()
  const first = await open(file, { now: undefined })
  await control(first.url, 'POST', '/snapshots/one')
  await control(first.url, 'PUT', '/clock', { speed: 0 })
  const times = async ({ url }: { url: string }) => [
    (await control(url, 'GET', '/clock')).body,
    (await control(url, 'GET', '/snapshots')).body
  ]
  const before = await times(first)
  await close(first)
  for (let restarts = 0; restarts < 3; restarts++) {
    const again = await open(file, { now: undefined })
    expect(await times(again)).toEqual(before)
    await call(again.url, 'POST', create, session('Chat'))
    await close(again)
  }
})

test('a state file behind a link is written to the target of the link, and keeps its mode', async () => {
  const [file, link] = [newFile(), newFile()]
  await close(await open(file))
  chmodSync(file, 0o600)
  symlinkSync(file, link)
  const mock = await open(link)
  await call(mock.url, 'POST', create, session('Linked'))
  expect(read(file).collections.chatSessions).toMatchObject([{ name: 'Linked' }])
  expect([lstatSync(link).isSymbolicLink(), statSync(file).mode & 0o777]).toEqual([true, 0o600])
})

test('a broken link as a state file ends the start with exit 2, and the link remains', async () => {
  const [file, link] = [newFile(), newFile()]
  symlinkSync(file, link)
  const { code, stderr } = await invoke(serveCommand(), ['--port', '0', '--data', link])
  expect([code, stderr]).toEqual([2, expect.stringContaining(`is a link to ${file}, which does not exist`)])
  expect([lstatSync(link).isSymbolicLink(), existsSync(file)]).toEqual([true, false])
  await close(await open(file))
  await close(await open(link))
})

test('a start keeps the text of a state file that a person wrote', async () => {
  const file = newFile()
  const text = '{ "collections": { "labels": [ { "id": 7, "name": "By hand" } ] } }\n'
  writeFileSync(file, text)
  await close(await open(file))
  expect(readFileSync(file, 'utf8')).toBe(text)
})
