import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fixtureSets } from '../../../fixtures/index.js'
import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import type { MockOptions } from '../../../src/doors/options/mock-table.js'
import { createMock, type OpenMock } from '../../../src/doors/program/mock.js'
import { startMock } from '../../../src/doors/program/server.js'
import { startTestMock, testNow } from '../../mock.js'

type AllRows = { [C in keyof Rows]: Rows[C][] }

const evening = Date.parse('2026-03-02T21:40:10.250Z')
const [second, minute, hour] = [1000, 60_000, 3_600_000]

/** A mock with a real time that the test moves. */
function timed(options: MockOptions = {}) {
  let real = evening
  const mock = createMock(options, { realTime: () => real })
  return { mock, pass: (milliseconds: number) => (real += milliseconds), real: () => new Date(real).toISOString() }
}

const clockOf = (mock: OpenMock, name = 'default') => {
  const { now, speed } = mock.sandbox(name).clock
  return { now, speed }
}
const newest = (sessions: Rows['chatSessions'][]) =>
  sessions
    .map((it) => it.time_updated)
    .sort()
    .at(-1) as string
const sessionsOf = (mock: OpenMock, name: string) =>
  mock.sandbox(name).state.collections?.chatSessions as unknown as Rows['chatSessions'][]

describe('without --now', () => {
  test('a sandbox that is first used after a night starts at the real time, with rows of that day', () => {
    const { mock, pass, real } = timed()
    expect(clockOf(mock, 'tonight')).toEqual({ now: real(), speed: 1 })
    pass(11 * hour)
    expect(clockOf(mock, 'morning')).toEqual({ now: real(), speed: 1 })
    expect(clockOf(mock, 'tonight')).toEqual({ now: real(), speed: 1 })
    expect(Date.parse(real()) - Date.parse(newest(sessionsOf(mock, 'morning')))).toBeLessThan(hour + minute)
    expect(Date.parse(real()) - Date.parse(newest(sessionsOf(mock, 'tonight')))).toBeGreaterThan(11 * hour)
  })

  test('a reset starts at the real time, and so do its rows', async () => {
    const { mock, pass, real } = timed()
    const box = mock.sandbox('mine')
    box.clock.advance('90d')
    pass(30 * hour)
    expect(box.reset().now).toBe(real())
    expect(clockOf(mock, 'mine')).toEqual({ now: real(), speed: 1 })
    expect(Date.parse(real()) - Date.parse(newest(sessionsOf(mock, 'mine')))).toBeLessThan(hour + minute)
    pass(30 * hour)
    await mock.reset()
    expect(clockOf(mock)).toEqual({ now: real(), speed: 1 })
  })

  test('processing takes the same time from the start of any sandbox', () => {
    const { mock, pass, real } = timed()
    const ends = (name: string) => {
      const { userFiles, indexAttempts, projectFiles } = mock.sandbox(name).state.collections as unknown as AllRows
      const started = Date.parse(real()) - (Date.parse(real()) % second)
      const fresh = userFiles.filter((it) => it.status === 'PROCESSING').sort((a, b) => a.id.localeCompare(b.id))
      const linked = projectFiles.filter(({ user_file_id: id }) => fresh.some((it) => it.id === id))
      const from = (moment: string | null) => moment && Date.parse(moment) - started
      return {
        files: fresh.map((it) => [it.id, from(it.created_at), from(it.settles_at)]),
        attempts: indexAttempts
          .filter((it) => it.settles_at !== null && Date.parse(it.settles_at) > started)
          .map((it) => [it.id, from(it.starts_at), from(it.settles_at)]),
        links: linked.map((it) => from(it.linked_at))
      }
    }
    pass(-40 * minute - 10 * second)
    const onTheHour = ends('on-the-hour')
    expect(onTheHour.files.some(([, , end]) => end === 3000)).toBe(true)
    pass(59 * minute)
    expect(ends('later')).toEqual(onTheHour)
    pass(10 * hour)
    expect(ends('in-the-morning')).toEqual(onTheHour)
  })

  test.each(fixtureSets)('the rows of %s satisfy their contract whenever a sandbox starts', async (fixtures) => {
    const { mock, pass } = timed({ fixtures })
    for (const step of [0, 15 * minute, 40 * minute]) {
      pass(step)
      const box = mock.sandbox(`at-${step}`)
      const { state } = box
      box.state = state
    }
  })

  test('sandboxes that start in the same hour share their rows', () => {
    const { mock, pass } = timed()
    const base = (name: string) => {
      clockOf(mock, name)
      return mock.sandboxes.find(name)?.base?.rows
    }
    const first = base('first')
    pass(10 * minute)
    expect(base('second')).toBe(first)
    pass(10 * minute)
    expect(base('third')).not.toBe(first)
    expect(mock.sandboxes.find('second')?.held).toBe(0)
  })

  test('the rows of the set large are at most a day old, and are renewed in the background', async () => {
    const { mock, pass } = timed({ fixtures: 'large', scale: 0.01 })
    const moment = (name: string) => {
      clockOf(mock, name)
      return mock.sandboxes.find(name)?.base?.key
    }
    const first = moment('a')
    pass(23 * hour)
    expect(moment('b')).toBe(first)
    pass(2 * hour)
    expect(moment('c')).toBe(first)
    for (let turn = 0; turn < 1000 && moment(`d-${turn}`) === first; turn++) await new Promise(setImmediate)
    const renewed = moment('e')
    expect(renewed).not.toBe(first)
    pass(hour)
    expect(moment('f')).toBe(renewed)
  })
})

test('"now" as a time means the real time, running: for a reset, also with another --now', () => {
  const { mock, pass, real } = timed({ now: testNow })
  const box = mock.sandbox('mine')
  expect(clockOf(mock, 'mine')).toEqual({ now: testNow, speed: 0 })
  expect(box.reset({ now: 'now' }).now).toBe(real())
  pass(second)
  expect(clockOf(mock, 'mine')).toEqual({ now: real(), speed: 1 })
  expect(box.reset({}).now).toBe(testNow)
  pass(second)
  expect(clockOf(mock, 'mine')).toEqual({ now: testNow, speed: 0 })
})

test('"now" as a time means the real time, running: for the clock, unless it gets another speed', () => {
  const { mock, pass, real } = timed({ now: testNow })
  const { clock } = mock.sandbox('mine')
  clock.now = 'now'
  pass(second)
  expect(clockOf(mock, 'mine')).toEqual({ now: real(), speed: 1 })
})

test('"now" as a time means the real time, running: over HTTP', async () => {
  const mock = await startTestMock()
  const before = Date.now()
  const set = await mock.call('PUT', '/__mock/clock', { body: { now: 'now', speed: 0 } })
  expect([set.status, set.body.speed]).toEqual([200, 0])
  expect(Date.parse(set.body.now)).toBeGreaterThanOrEqual(before)
  expect(Date.parse(set.body.now)).toBeLessThanOrEqual(Date.now())
  const reset = await mock.call('POST', '/__mock/reset', { body: { now: 'now' } })
  expect(Date.parse(reset.body.now)).toBeGreaterThanOrEqual(before)
  expect((await mock.call('GET', '/__mock/clock')).body.speed).toBe(1)
})

test('the journal shows the time of the sandbox and the real time', async () => {
  const mock = await startTestMock()
  const before = Date.now()
  await mock.call('GET', '/api/persona/1')
  const [listed] = (await mock.call('GET', '/__mock/requests')).body.requests
  const { body } = await mock.call('GET', `/__mock/requests/${listed.id}`)
  for (const { time, real_time } of [listed, body]) {
    expect(time).toBe(testNow)
    expect(Date.parse(real_time)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(real_time)).toBeLessThanOrEqual(Date.now())
  }
})

test('the history of a row is in order, also when all of it happened within one millisecond', async () => {
  const { mock } = timed({ now: testNow })
  const box = mock.sandbox('mine')
  const { id } = box.create('userFiles', { user_id: 'basic', status: 'PROCESSING' })
  box.clock.advance('1h')
  box.update('userFiles', id, { name: 'later.pdf' })
  const headers = { 'X-Mock-Sandbox': 'mine' }
  const asked = new Request(`http://localhost/__mock/state/userFiles/${id}/history`, { headers })
  const { changes } = (await (await mock.fetch(asked)).json()) as { changes: object[] }
  const [renamed, settled, created] = changes
  expect(renamed).toMatchObject({ control: 'program', after: { name: 'later.pdf' } })
  expect(settled).toMatchObject({ control: 'time', before: { status: 'PROCESSING' }, after: { status: 'COMPLETED' } })
  expect(created).toMatchObject({ control: 'program', before: null })
})

describe('over a restart with --data', () => {
  let data: string
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'kcm-time-'))
  })

  /** The clock after a restart this much later, and the clock that the first process would have shown. */
  async function restarted(change: object, away: number) {
    const first = await startTestMock({ data, fixtures: 'empty' })
    await first.call('PUT', '/__mock/clock', { body: change })
    const { anchor } = first.sandbox.clock
    await first.call('POST', '/api/chat/create-chat-session', { body: {} })
    await first.close()
    const now = jestNow(Date.now() + away)
    try {
      const second = await startMock({ port: 0, data, fixtures: 'empty', now: testNow })
      const { clock } = second.sandboxes.use('default')
      const shown = {
        now: clock.now,
        speed: clock.speed,
        expected: anchor.now + (Date.now() - anchor.real) * anchor.speed
      }
      await second.close()
      return shown
    } finally {
      now.mockRestore()
    }
  }
  const jestNow = (time: number) => jest.spyOn(Date, 'now').mockReturnValue(time)

  test.each([1, 60])('a clock of speed %d continues as if the process had never stopped', async (speed) => {
    const shown = await restarted({ now: '2030-01-01T00:00:00Z', speed }, 8 * hour)
    expect(shown).toMatchObject({ now: Math.floor(shown.expected), speed })
    expect(shown.now).toBeGreaterThan(Date.parse('2030-01-01T00:00:00Z') + 8 * hour * speed - 1)
  })

  test('a stopped clock remains stopped', async () => {
    const shown = await restarted({ now: '2030-01-01T00:00:00Z', speed: 0 }, 8 * hour)
    expect(shown).toMatchObject({ now: Date.parse('2030-01-01T00:00:00Z'), speed: 0 })
  })

  test('a clock does not turn back before what was stored, if the machine’s own was ahead for a while', async () => {
    const { now } = Date
    let ahead = 0
    const shifted = jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead)
    try {
      const first = await startTestMock({ data, fixtures: 'empty', now: undefined })
      await first.call('GET', '/__mock/clock')
      ahead = 2 * hour
      await first.call('POST', '/api/chat/create-chat-session', { body: {} })
      const [session] = first.sandbox.rows.chatSessions.all()
      ahead = 0
      await first.close()
      const second = await startMock({ port: 0, data, fixtures: 'empty' })
      const stored = Date.parse((session as { time_created: string }).time_created)
      expect(second.sandboxes.use('default').clock.now).toBeGreaterThanOrEqual(stored)
      await second.close()
    } finally {
      shifted.mockRestore()
    }
  })

  test('a clock does not turn back if the machine’s own was set back', async () => {
    const shown = await restarted({ now: '2030-01-01T00:00:00Z', speed: 60 }, -8 * hour)
    expect(shown.now).toBeGreaterThanOrEqual(Date.parse('2030-01-01T00:00:00Z'))
  })
})
