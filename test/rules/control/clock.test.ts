import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import { Clock } from '../../../src/engine/sandbox/clock.js'
import { startTestMock, testNow } from '../../mock.js'

const mock = await startTestMock()
const start = Date.parse(testNow)
const at = (milliseconds: number) => new Date(start + milliseconds).toISOString()

/** A new sandbox per test. */
let count = 0
function visitor() {
  const sandbox = `clock-${++count}`
  const as = `admin~${sandbox}`
  const ask = (method: string, path: string, body?: unknown, key = 'admin') =>
    mock.call(method, path, { as: `${key}~${sandbox}`, body })
  const set = async (change: object) => (await ask('PUT', '/__mock/clock', change)).body
  return { as, ask, set, sandbox: mock.sandboxNamed(sandbox) }
}

test('the clock starts stopped at the time of the start of the mock', async () => {
  const { ask } = visitor()
  expect((await ask('GET', '/__mock/clock')).body).toEqual({ now: testNow, speed: 0 })
})

test.each([
  [1500, 1500],
  ['1500ms', 1500],
  ['2h', 7_200_000],
  ['1d 12h', 129_600_000],
  ['1w1d', 8 * 86_400_000],
  ['1.5h', 5_400_000],
  [' 30 s ', 30_000],
  ['+30s', 30_000],
  ['-1d 12h', -129_600_000],
  [-1, -1],
  [0.4, 0],
  [0, 0]
])('the clock advances by %j', async (advance, milliseconds) => {
  const { set } = visitor()
  expect(await set({ advance })).toEqual({ now: at(milliseconds), speed: 0 })
})

test.each([
  ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.000Z'],
  ['2030-01-01T00:00:00', '2030-01-01T00:00:00.000Z'],
  ['2030-01-01T02:00:00.1239+02:00', '2030-01-01T00:00:00.123Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z']
])('the clock is set to %s', async (now, written) => {
  const { set, ask } = visitor()
  expect(await set({ now })).toEqual({ now: written, speed: 0 })
  const made = await ask('POST', '/api/user/projects/1/instructions', { instructions: 'then' })
  expect([made.status, mock.sandboxNamed(`clock-${count}`).journal.entries().next().value?.time]).toEqual([
    200,
    written
  ])
})

test.each([
  [{}, 'body', 'Give now, advance or speed.'],
  [{ now: testNow, advance: '1h' }, 'advance', 'Give now or advance, not both.'],
  [{ now: 'tomorrow' }, 'now', 'Input should be a valid datetime, input is too short'],
  [{ now: 5 }, 'now', 'Input should be a valid datetime'],
  [{ advance: '2x' }, 'advance', '"2x" is not a duration. Give milliseconds, or'],
  [{ advance: '2h and more' }, 'advance', '"2h and more" is not a duration.'],
  [{ advance: '' }, 'advance', '"" is not a duration.'],
  [{ advance: true }, 'advance', 'true is not a duration.'],
  [{ advance: null, speed: 1 }, 'advance', 'null is not a duration.'],
  [{ advance: '999999w' }, 'advance', 'The clock must be between the years 1 and 9999.'],
  [{ advance: -1e300 }, 'advance', 'The clock must be between the years 1 and 9999.'],
  [{ speed: -1 }, 'speed', 'Input should be greater than or equal to 0'],
  [{ speed: 1e7 }, 'speed', 'Input should be less than or equal to 1000000'],
  [{ speed: '60' }, 'speed', 'Input should be a valid number'],
  [{ advance: '1h', speed: 'fast' }, 'speed', 'Input should be a valid number'],
  [{ sped: 1 }, 'sped', 'Unknown field. Known: now, advance, speed.']
])('the clock refuses %j, and stays unchanged', async (change, field, detail) => {
  const { ask } = visitor()
  const answer = await ask('PUT', '/__mock/clock', change)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/problem+json'])
  expect(answer.body.errors).toEqual([expect.objectContaining({ field, detail: expect.stringContaining(detail) })])
  expect((await ask('GET', '/__mock/clock')).body).toEqual({ now: testNow, speed: 0 })
})

test('the clock belongs to each sandbox', async () => {
  const [one, two] = [visitor(), visitor()]
  await one.set({ advance: '1d', speed: 60 })
  expect((await two.ask('GET', '/__mock/clock')).body).toEqual({ now: testNow, speed: 0 })
})

/** A clock whose real time the test moves. */
function timed(speed: number) {
  let real = 0
  const clock = new Clock({ now: start, speed }, () => real)
  return { clock, pass: (milliseconds: number) => (real += milliseconds) }
}

test.each([0, 1, 60, 0.5])('the speed %d lets this many seconds pass in a real second', (speed) => {
  const { clock, pass } = timed(speed)
  pass(10_000)
  expect(clock.now).toBe(start + 10_000 * speed)
  expect(clock.time).toBe(at(10_000 * speed))
})

test('the speed is stopped while a request is handled, and a saved moment allows for that', () => {
  const { clock, pass } = timed(1)
  clock.hold()
  pass(20)
  const { now, real } = clock.moment
  clock.release()
  expect(now - real).toBe(clock.now - 20)
  expect(clock.now).toBe(start + 20)
})

test('the speed changes without a jump, and a fork continues at the same speed', () => {
  const { clock, pass } = timed(1)
  pass(1000)
  clock.set({ speed: 60 })
  expect(clock.now).toBe(start + 1000)
  pass(1000)
  const fork = clock.fork()
  clock.set({ speed: 0 })
  expect([clock.now, fork.now]).toEqual([start + 61_000, start + 61_000])
  pass(1000)
  expect([clock.now, fork.now]).toEqual([start + 61_000, start + 121_000])
  clock.set({ now: start, speed: 1 })
  pass(1)
  expect(clock.now).toBe(start + 1)
})

test('the speed never turns the clock back when the machine’s clock is set back: the clock continues from its last time', () => {
  const { clock, pass } = timed(1)
  pass(10_000)
  expect(clock.now).toBe(start + 10_000)
  pass(-5000)
  const fork = clock.fork()
  expect([clock.now, fork.now, clock.anchor.now]).toEqual([start + 10_000, start + 10_000, start + 10_000])
  pass(1000)
  expect([clock.now, fork.now]).toEqual([start + 11_000, start + 11_000])
  clock.set({ now: start })
  expect(clock.now).toBe(start)
})

test('the speed ends with the year 9999', () => {
  const { clock, pass } = timed(1_000_000)
  pass(1e9)
  expect(clock.time).toBe('9999-12-31T23:59:59.999Z')
})

test('the speed keeps the moment when a request sets it', async () => {
  const { set } = visitor()
  await set({ advance: '1h' })
  expect(await set({ speed: 0 })).toEqual({ now: at(3_600_000), speed: 0 })
  const running = await set({ speed: 60 })
  expect(running.speed).toBe(60)
  expect(Date.parse(running.now)).toBeGreaterThanOrEqual(start + 3_600_000)
  const { now } = await set({ speed: 0 })
  expect(Date.parse(now)).toBeGreaterThanOrEqual(Date.parse(running.now))
  expect(await set({ advance: 0 })).toEqual({ now, speed: 0 })
})

const file = 'a87ff679-a2f3-471d-9181-a67b7542122c'

/** Puts the example file into another state. */
async function become({ ask }: ReturnType<typeof visitor>, own: Partial<Rows['userFiles']>) {
  const { body } = await ask('GET', `/__mock/state/userFiles/${file}`)
  const put = await ask('PUT', `/__mock/state/userFiles/${file}`, { ...body, ...own })
  expect(put.status).toBe(200)
}

test.each(['COMPLETED', 'FAILED'] as const)(
  'lifecycles follow it to the millisecond: a file in progress becomes %s then, and not before',
  async (settles_as) => {
    const mine = visitor()
    await become(mine, { status: 'PROCESSING', settles_at: at(3000), settles_as })
    const status = async () => (await mine.ask('GET', `/api/user/projects/file/${file}`)).body.status
    expect(await status()).toBe('PROCESSING')
    await mine.set({ advance: 2999 })
    expect(await status()).toBe('PROCESSING')
    await mine.set({ advance: 1 })
    expect(await status()).toBe(settles_as)
    await mine.set({ advance: -1 })
    expect(await status()).toBe('PROCESSING')
    await mine.set({ now: '9999-12-31T23:59:59.999Z' })
    expect(await status()).toBe(settles_as)
  }
)

test('lifecycles follow it to the millisecond: a deleted file is readable until it is gone, and returns when the clock goes back', async () => {
  const { ask, set } = visitor()
  expect((await ask('DELETE', `/api/user/projects/file/${file}`)).status).toBe(200)
  const read = async () => {
    const { status, body } = await ask('GET', `/api/user/projects/file/${file}`)
    return body.status ?? status
  }
  expect(await read()).toBe('DELETING')
  await set({ advance: 1999 })
  expect(await read()).toBe('DELETING')
  await set({ advance: 1 })
  expect(await read()).toBe(404)
  await set({ advance: '-1ms' })
  expect(await read()).toBe('DELETING')
})

test('lifecycles follow it to the millisecond: an association is scheduled, indexed and active', async () => {
  const { ask, set } = visitor()
  const pair = (await ask('PUT', '/api/manage/connector/3/credential/0', {})).body.data
  const standing = async () => {
    const { body } = await ask('POST', '/api/manage/admin/connector/indexing-status', { get_all_connectors: true })
    const all = body.flatMap((it: { indexing_statuses: object[] }) => it.indexing_statuses)
    const { cc_pair_status, last_status, docs_indexed } = all.find(
      (it: { cc_pair_id: number }) => it.cc_pair_id === pair
    )
    return [cc_pair_status, last_status, docs_indexed > 0]
  }
  expect(await standing()).toEqual(['SCHEDULED', 'not_started', false])
  await set({ advance: 1999 })
  expect(await standing()).toEqual(['SCHEDULED', 'not_started', false])
  await set({ advance: 1 })
  expect((await standing()).slice(0, 2)).toEqual(['INITIAL_INDEXING', 'in_progress'])
  await set({ advance: 7999 })
  expect((await standing()).slice(0, 2)).toEqual(['INITIAL_INDEXING', 'in_progress'])
  await set({ advance: 1 })
  expect(await standing()).toEqual(['ACTIVE', 'success', true])
  await set({ advance: '-10s' })
  expect(await standing()).toEqual(['SCHEDULED', 'not_started', false])
})

test('lifecycles follow it to the millisecond: new rows have its time, also at either end of the calendar', async () => {
  for (const now of [at(5), '0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']) {
    const { ask, set, sandbox } = visitor()
    await set({ now })
    await ask('POST', '/api/chat/create-chat-session', { description: 'Made now' })
    await ask('PUT', '/api/manage/admin/users', { emails: ['made.now@example.com'] })
    const linked = await ask('POST', `/api/user/projects/2/files/${file}`)
    expect(linked.status).toBe(200)
    expect((await ask('PUT', '/api/manage/connector/3/credential/0', {})).status).toBe(200)
    expect((await ask('DELETE', `/api/user/projects/file/${file}`)).status).toBe(200)
    const session = [...sandbox.rows.chatSessions.all()].find(({ name }) => name === 'Made now')
    expect([session?.time_created, session?.time_updated]).toEqual([now, now])
    expect([...sandbox.rows.invites.all()].at(-1)?.invited_at).toBe(now)
    expect([...sandbox.rows.indexAttempts.all()].at(-1)?.time_created).toBe(now)
    expect((await ask('PUT', '/__mock/state', (await ask('GET', '/__mock/state')).body)).status).toBe(200)
    const times = [...sandbox.journal.entries()].map(({ time }) => time)
    expect(new Set(times)).toEqual(new Set([now]))
  }
})

test('without --now the clock runs from the moment at which the mock was started', async () => {
  const before = Date.now()
  const running = await startTestMock({ now: undefined as never })
  const { now, speed } = (await running.call('GET', '/__mock/clock')).body
  expect(speed).toBe(1)
  expect(Date.parse(now)).toBeGreaterThanOrEqual(before)
  expect(Date.parse(now)).toBeLessThanOrEqual(Date.now())
})
