import { startTestMock, testNow } from '../../mock.js'

const mock = await startTestMock()
const ask = (method: string, path: string, sandbox: string, body?: unknown) =>
  mock.call(method, path, { as: `admin~${sandbox}`, body })
const stateOf = async (sandbox: string) => (await ask('GET', '/__mock/state', sandbox)).text
const namesOf = async (sandbox: string) =>
  (await ask('GET', '/__mock/snapshots', sandbox)).body.snapshots.map(({ name }: { name: string }) => name)
const change = async (sandbox: string) => {
  await ask('PATCH', '/api/persona/1', sandbox, { name: 'Changed' })
  await ask('POST', '/api/chat/create-chat-session', sandbox, {})
  await ask('PUT', '/__mock/clock', sandbox, { advance: '1d' })
}

test('a snapshot restores rows, identifiers and clock, as often as needed', async () => {
  await change('one')
  const before = await stateOf('one')
  const rows = Object.values(mock.sandboxNamed('one').rows).reduce((sum, { size }) => sum + size, 0)
  const taken = await ask('POST', '/__mock/snapshots/before', 'one')
  expect([taken.status, taken.body]).toEqual([200, { name: 'before', now: '2026-03-03T10:00:00.000Z', rows }])
  const chats = JSON.parse(before).collections.chatSessions.length
  const next: string[] = []
  for (let round = 0; round < 3; round++) {
    next.push((await ask('POST', '/api/chat/create-chat-session', 'one', {})).text)
    await change('one')
    expect(await stateOf('one')).not.toBe(before)
    const restored = await ask('POST', '/__mock/snapshots/before/restore', 'one')
    expect([restored.status, restored.body.rows.chatSessions]).toEqual([200, chats])
    expect(await stateOf('one')).toBe(before)
  }
  expect(new Set(next).size).toBe(1)
})

test('the clock continues from the snapshot at its speed', async () => {
  await ask('PUT', '/__mock/clock', 'speed', { speed: 60 })
  await ask('POST', '/__mock/snapshots/running', 'speed')
  await ask('PUT', '/__mock/clock', 'speed', { now: '2040-01-01T00:00:00Z', speed: 0 })
  await ask('POST', '/__mock/snapshots/running/restore', 'speed')
  const { now, speed } = (await ask('GET', '/__mock/clock', 'speed')).body
  expect([speed, now.slice(0, 10)]).toEqual([60, testNow.slice(0, 10)])
})

test('a snapshot accepts the speeds that a clock accepts, so that a capsule can repeat them', async () => {
  const refused = await ask('POST', '/__mock/snapshots/fast', 'fast', { speed: 1000001 })
  expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('1000000')])
  await ask('POST', '/__mock/snapshots/fast', 'fast', { speed: 1000000 })
  await ask('POST', '/__mock/snapshots/fast/restore', 'fast')
  await ask('PATCH', '/api/persona/1', 'fast', { name: 'Changed' })
  const capsule = await ask('GET', '/__mock/capsule', 'fast')
  expect(capsule.status).toBe(200)
  expect(JSON.stringify(capsule.body)).toContain('1000000')
})

test('choices, overrides and the journal are not part of a snapshot', async () => {
  await ask('POST', '/__mock/snapshots/before', 'apart')
  await ask('PATCH', '/__mock/assumptions', 'apart', { 'files.deletion': 'refused' })
  await ask('POST', '/__mock/overrides', 'apart', { operation: 'getPersona', status: 404, body: { detail: 'No' } })
  await ask('POST', '/api/chat/create-chat-session', 'apart', {})
  await ask('POST', '/__mock/snapshots/before/restore', 'apart')
  const { choices, overrides, journal } = mock.sandboxNamed('apart')
  expect([choices['files.deletion'], overrides.list.length, journal.position]).toEqual(['refused', 1, 1])
})

test('one with the same name replaces a snapshot; reset keeps them; each sandbox has its own', async () => {
  await ask('POST', '/__mock/snapshots/same', 'own')
  await change('own')
  const changed = await stateOf('own')
  await ask('POST', '/__mock/snapshots/same', 'own')
  await ask('POST', '/__mock/snapshots/second', 'own')
  await ask('POST', '/__mock/reset', 'own')
  expect([await namesOf('own'), await namesOf('other')]).toEqual([['same', 'second'], []])
  expect((await ask('POST', '/__mock/snapshots/same/restore', 'other')).status).toBe(404)
  await ask('POST', '/__mock/snapshots/same/restore', 'own')
  expect(await stateOf('own')).toBe(changed)
})

test('a deleted snapshot is gone, and a missing one is refused with the known ones', async () => {
  for (const name of ['a', 'b']) await ask('POST', `/__mock/snapshots/${name}`, 'few')
  expect((await ask('DELETE', '/__mock/snapshots/a', 'few')).body).toEqual({ removed: 1 })
  const before = await stateOf('few')
  for (const [method, path] of [
    ['POST', '/__mock/snapshots/a/restore'],
    ['DELETE', '/__mock/snapshots/a']
  ] as const) {
    const { status, body } = await ask(method, path, 'few')
    expect([status, body.detail]).toEqual([404, 'There is no snapshot "a". Known: b.'])
  }
  expect([await namesOf('few'), await stateOf('few')]).toEqual([['b'], before])
})

test('a query without fields is refused', async () => {
  const { status, body } = await ask('GET', '/__mock/snapshots?at=m1', 'few')
  expect([status, body.detail]).toEqual([400, 'at: Unknown field. Known: none.'])
})

test.each(['a.b', 'x'.repeat(65), '%20', '..%2Fup'])('%s is refused as a name', async (name) => {
  const { status, body } = await ask('POST', `/__mock/snapshots/${name}`, 'names')
  expect([status, body.errors[0].field]).toEqual([400, 'name'])
  expect(await namesOf('names')).toEqual([])
})

test('the limit is a thousand snapshots, and each may still be replaced', async () => {
  const { snapshots } = mock.sandboxNamed('full')
  for (let i = 0; i < 1000; i++) mock.sandboxNamed('full').snapshot(`s${i}`)
  const { status, body } = await ask('POST', '/__mock/snapshots/more', 'full')
  expect([status, body.type, snapshots.size]).toEqual([429, 'urn:knowledge-chat-mock:too-many-snapshots', 1000])
  expect((await ask('POST', '/__mock/snapshots/s7', 'full')).status).toBe(200)
})
