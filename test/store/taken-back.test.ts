import type { OpenServer } from '../../src/doors/program/server.js'
import { call } from '../mock.js'
import { close, control, create, full, interceptWrites, newFolder, open, session } from './kept.js'

/** Everything that clients see of a mock, apart from their requests. The latest moment is the current state. */
async function seen(mock: OpenServer) {
  const texts: string[] = []
  for (const as of ['admin', 'admin~other']) {
    const { latest } = (await control(mock.url, 'GET', '/history', undefined, as)).body
    const [now, then] = [
      await control(mock.url, 'GET', '/state', undefined, as),
      await control(mock.url, 'GET', `/state?at=${latest}`, undefined, as)
    ]
    expect(then.text).toBe(now.text)
    for (const path of ['/state', '/overrides', '/snapshots', '/clock', '/assumptions', '/coverage'])
      texts.push((await control(mock.url, 'GET', path, undefined, as)).text)
  }
  const { body } = await control(mock.url, 'GET', '/sandboxes')
  const sandboxes = body.sandboxes.map(({ name, requests }: { name: string; requests: number }) => [name, requests])
  return { texts, sandboxes: sandboxes.sort() }
}

/** Without the coverage. */
const state = ({ texts }: { texts: string[] }) => texts.filter((text) => !text.includes('"summary"'))

/** The answers of `act` while no log can be written. */
async function onFullDisk<T>(act: () => Promise<T>): Promise<T> {
  const end = interceptWrites(async (_, go) => {
    await go(3)
    full()
  })
  try {
    return await act()
  } finally {
    end()
  }
}

async function prepared(data: string): Promise<OpenServer> {
  const mock = await open(data)
  for (const as of ['admin', 'admin~other']) {
    await call(mock.url, 'POST', create, session('Before', as))
    await control(mock.url, 'POST', '/snapshots/before', undefined, as)
    await control(mock.url, 'POST', '/state/labels', { name: 'Label' }, as)
    await control(mock.url, 'PATCH', '/assumptions', { 'delete.body': '204' }, as)
    for (const status of [503, 504])
      await control(mock.url, 'POST', '/overrides', { operation: 'getPersona', status }, as)
  }
  return mock
}

const session7 = { body: { description: 'New' } }
test.each<[string, string, string, object?]>([
  ['a row with a uuid', 'POST', create, session7],
  ['a row with a number', 'POST', '/__mock/state/labels', { body: { name: 'New' } }],
  ['a reset', 'POST', '/__mock/reset', { body: { seed: 2 } }],
  ['a state from outside', 'PUT', '/__mock/state', { body: 'state' }],
  ['a snapshot', 'POST', '/__mock/snapshots/new'],
  ['a snapshot that is taken again', 'POST', '/__mock/snapshots/before'],
  ['a restored snapshot', 'POST', '/__mock/snapshots/before/restore'],
  ['a deleted snapshot', 'DELETE', '/__mock/snapshots/before'],
  ['a moved clock', 'PUT', '/__mock/clock', { body: { advance: '1h' } }],
  ['a choice', 'PATCH', '/__mock/assumptions', { body: { 'delete.body': 'null' } }],
  ['an override', 'POST', '/__mock/overrides', { body: { operation: 'getPersona', status: 500 } }],
  ['an override that is switched off', 'PATCH', '/__mock/overrides/o1', { body: { off: true } }],
  ['a deleted override', 'DELETE', '/__mock/overrides/o1'],
  ['all overrides deleted', 'DELETE', '/__mock/overrides'],
  ['requests that are forgotten', 'DELETE', '/__mock/requests'],
  ['a new sandbox', 'POST', '/__mock/sandboxes', { body: { name: 'new' } }],
  ['an earlier moment', 'POST', '/__mock/history/m0/restore'],
  ['a fork of an earlier moment', 'POST', '/__mock/sandboxes', { body: { name: 'new', from: 'other', at: 'm0' } }],
  ['a fork', 'POST', '/__mock/sandboxes', { body: { name: 'new', from: 'other' } }],
  ['a dropped sandbox', 'DELETE', '/__mock/sandboxes/other'],
  ['all sandboxes dropped', 'DELETE', '/__mock/sandboxes'],
  ['a control call that would make a sandbox', 'PUT', '/__mock/clock', { as: 'admin~new', body: { speed: 0 } }]
])('a refused write, 507, changes nothing: %s', async (_, method, path, options = {}) => {
  const data = newFolder()
  const mock = await prepared(data)
  const before = await seen(mock)
  const outside = { body: (await control(mock.url, 'GET', '/state')).body }
  outside.body.collections.labels = []
  const sent = (options as { body?: unknown }).body === 'state' ? outside : options
  const { status, body } = await onFullDisk(() => call(mock.url, method, path, sent))
  expect([status, body.detail]).toEqual([507, expect.stringContaining('was rolled back: ENOSPC')])
  const after = await seen(mock)
  // The refused request is in the journal, and in the coverage.
  if (path.startsWith('/__mock')) expect(after).toEqual(before)
  else expect(state(after)).toEqual(state(before))
  // The refused call succeeds when there is room again, and survives a restart.
  expect((await call(mock.url, method, path, sent)).status).toBeLessThan(300)
  const done = await seen(mock)
  await close(mock)
  const again = await open(data)
  const kept = await seen(again)
  expect([kept.sandboxes, state(kept)]).toEqual([done.sandboxes, state(done)])
  await close(again)
})

test('a refused write, 507, changes nothing: an id goes to the next row, also when several writes were refused at once, and one for its size', async () => {
  const mock = await open(newFolder(), { maxSandboxBytes: 5000 })
  const label = (name: string) => control(mock.url, 'POST', '/state/labels', { name })
  expect((await label('a')).body.id).toBe(1)
  const { body } = await control(mock.url, 'GET', '/state')
  const refused = await onFullDisk(() => Promise.all([label('b'), label('x'.repeat(6000)), label('c'), label('d')]))
  expect(refused.map(({ status }) => status)).toEqual([507, 413, 507, 507])
  expect((await control(mock.url, 'GET', '/state')).body).toEqual(body)
  expect((await label('e')).body.id).toBe(2)
})

test('a refused write, 507, changes nothing: an answer of an override that could not be counted is given again', async () => {
  const mock = await open(newFolder())
  await control(mock.url, 'POST', '/overrides', { operation: 'getUserRole', status: 503, times: 1 })
  const ask = async () => (await call(mock.url, 'GET', '/api/get-user-role')).status
  expect(await onFullDisk(ask)).toBe(507)
  expect([await ask(), await ask()]).toEqual([503, 200])
})

test('a refused write, 507, changes nothing: a reset by the program', async () => {
  const mock = await prepared(newFolder())
  const before = await seen(mock)
  await expect(onFullDisk(() => mock.reset())).rejects.toMatchObject({ reason: 'not-kept' })
  expect(await seen(mock)).toEqual(before)
})

test('a fixture set whose first use was refused is in the log once it is used', async () => {
  const data = newFolder()
  const mock = await open(data)
  await control(mock.url, 'PUT', '/clock', { speed: 0 })
  await onFullDisk(() => control(mock.url, 'POST', '/reset', { fixtures: 'demo' }))
  expect((await control(mock.url, 'POST', '/reset', { fixtures: 'demo' })).status).toBe(200)
  const { text } = await control(mock.url, 'GET', '/state')
  await close(mock)
  const again = await open(data)
  expect((await control(again.url, 'GET', '/state')).text).toBe(text)
})
