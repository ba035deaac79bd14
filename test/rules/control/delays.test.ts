import fc from 'fast-check'
import type { Delay } from '../../../src/engine/contract/types.gen.js'
import { drawDelay, longestDelay } from '../../../src/engine/overrides/delay.js'
import { Chance } from '../../../src/engine/sandbox/chance.js'
import { ended, ready, start } from '../../cli.js'
import { message, Wire } from '../../doors/listener/wire.js'
import { type Answer, call, startTestMock, type TestMock } from '../../mock.js'
import { unchanged } from '../../serve/unchanged.js'
import { override, overridesOf } from './overriding.js'
import { Stream } from './stream.js'

const mock = await startTestMock()
const persona = '/api/persona/1'
const hour = { type: 'fixed', milliseconds: longestDelay } as const
const short = { type: 'fixed', milliseconds: 2000 } as const

afterEach(async () => {
  await mock.reset()
  expect((await mock.call('GET', persona)).body.id).toBe(1)
})

/** Sends a request that an override delays, and resolves when it waits. */
async function delayed(
  delay: Delay,
  ask: (mock: TestMock) => Promise<Answer>,
  operation = 'getPersona'
): Promise<{ answer: Promise<Answer> }> {
  await override(mock, { operation, delay, times: 1 })
  const answer = ask(mock)
  await wait()
  return { answer }
}

/** Resolves when a request waits. */
async function wait(): Promise<void> {
  while (!(await mock.call('GET', '/__mock/requests')).body.waiting);
}

/** The journal's entries of requests that got no answer. */
async function unanswered(): Promise<object[]> {
  return (await mock.call('GET', '/__mock/requests?status=0')).body.requests
}

describe('while time is moved', () => {
  beforeEach(() => {
    const doNotFake = ['nextTick', 'setImmediate', 'setInterval', 'queueMicrotask', 'Date', 'performance'] as const
    jest.useFakeTimers({ doNotFake: [...doNotFake] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  test.each<[string, () => Promise<unknown>]>([
    ['Prefer', async () => undefined],
    ['an override', () => override(mock, { operation: 'getPersona', delay: short, times: 1 })]
  ])('a request that %s delays is answered after a later one', async (by, prepare) => {
    await prepare()
    const order: string[] = []
    const slow = mock.call('GET', persona, by === 'Prefer' ? { headers: { Prefer: 'delay=2000' } } : {})
    const late = slow.then((answer) => {
      order.push('slow')
      return answer
    })
    await wait()
    for (const id of [2, 3]) await mock.call('GET', `/api/persona/${id}`).then(() => order.push(`fast ${id}`))
    jest.advanceTimersByTime(1999)
    await mock.call('GET', '/api/persona/4').then(() => order.push('fast 4'))
    jest.advanceTimersByTime(1)
    const { status, body, headers } = await late
    expect(order).toEqual(['fast 2', 'fast 3', 'fast 4', 'slow'])
    expect([status, body.id]).toEqual([200, 1])
    expect(headers.get('preference-applied')).toBe(by === 'Prefer' ? 'delay=2000' : null)
  })

  test('a delayed read shows the state at the moment of its answer', async () => {
    const { answer } = await delayed(short, (it) => it.call('GET', persona))
    await mock.call('PATCH', persona, { body: { name: 'While it waited' } })
    jest.advanceTimersByTime(2000)
    expect((await answer).body.name).toBe('While it waited')
  })

  test('a delayed write happens with its answer, and never before', async () => {
    const before = mock.sandbox.rows.chatSessions.size
    const { answer } = await delayed(
      short,
      (it) => it.call('POST', '/api/chat/create-chat-session', { body: {} }),
      'createChatSession'
    )
    expect(mock.sandbox.rows.chatSessions.size).toBe(before)
    jest.advanceTimersByTime(2000)
    expect((await answer).status).toBe(200)
    expect(mock.sandbox.rows.chatSessions.size).toBe(before + 1)
  })

  test('a request that waits over a change of choices keeps the choices of its arrival', async () => {
    const { answer } = await delayed(short, (it) => it.call('DELETE', persona), 'deletePersona')
    await mock.call('PATCH', '/__mock/assumptions', { body: { 'delete.body': '204' } })
    jest.advanceTimersByTime(2000)
    expect(await answer).toMatchObject({ status: 200, text: 'null' })
  })

  test('a request that waits over a reset is answered from the state after it', async () => {
    const { answer } = await delayed(short, (it) => it.call('GET', persona))
    await mock.call('PATCH', persona, { body: { name: 'Before the reset' } })
    await mock.call('POST', '/__mock/reset', { body: {} })
    jest.advanceTimersByTime(2000)
    expect((await answer).body.name).toBe(mock.sandbox.rows.personas.get(1)?.name)
    expect((await answer).body.name).not.toBe('Before the reset')
  })
})

test('an error is delayed too, and a delay forces no answer', async () => {
  for (const [path, as, expected] of [
    ['/api/persona/abc', 'admin', 422],
    ['/api/persona/1', null, 401]
  ] as const) {
    const { status, headers } = await mock.call('GET', path, { as, headers: { Prefer: 'delay=5' } })
    expect([status, headers.get('preference-applied')]).toEqual([expected, 'delay=5'])
  }
  const broken = { body: '{"name', headers: { Prefer: 'delay=5' } }
  expect((await mock.call('PATCH', persona, broken)).body.detail[0].type).toBe('json_invalid')
})

test('no delay is a delay of 0', async () => {
  const { status, headers } = await mock.call('GET', persona, { headers: { Prefer: 'delay=0' } })
  expect([status, headers.get('preference-applied')]).toEqual([200, 'delay=0'])
})

test('a forced answer and a fault can be delayed', async () => {
  await override(mock, {
    operation: 'getPersona',
    status: 503,
    delay: { type: 'uniform', lower: 1, upper: 5 },
    times: 1
  })
  expect((await mock.call('GET', persona)).status).toBe(503)
  await override(mock, {
    operation: 'getPersona',
    fault: 'EMPTY_RESPONSE',
    delay: { type: 'fixed', milliseconds: 5 },
    times: 1
  })
  await expect(mock.call('GET', persona)).rejects.toThrow()
})

test('a request that waits is in the list, as far as it matches, and the stream says so', async () => {
  const listed = async (query = '') =>
    (await mock.call('GET', `/__mock/requests?query=${encodeURIComponent(query)}`)).body
  expect(await listed()).not.toHaveProperty('waiting')
  const stream = await Stream.open(mock.url, {}, '?control=true')
  const { id } = await override(mock, { operation: 'getPersona', delay: hour, times: 1 })
  const wire = Wire.open(mock.url)
  await wire.send(message(`GET ${persona}?token=hidden`, { Authorization: 'Bearer basic' }))
  const next = async () => {
    for (;;) {
      const { event } = await stream.next()
      if (event === 'waiting') return event
    }
  }
  expect(await next()).toBe('waiting')
  const { requests, total, waiting } = await listed('user:basic')
  expect([requests, total]).toEqual([[], 0])
  const url = `${persona}?token=***`
  expect(waiting).toMatchObject([{ method: 'GET', url, operation: 'getPersona', user: 'basic', override: id }])
  expect(Date.parse(waiting[0].until) - Date.parse(waiting[0].real_time)).toBe(longestDelay)
  const isListed = async (query: string) => (await listed(query)).waiting !== undefined
  expect(await isListed(`op:getPersona user:basic override:${id} took:>=0 -status:404`)).toBe(true)
  for (const query of ['status:200', 'method:POST', 'violations:true']) expect(await isListed(query)).toBe(false)
  expect((await mock.call('GET', '/__mock/requests?since=r0')).body.waiting).toHaveLength(1)
  wire.destroy()
  expect(await next()).toBe('waiting')
  stream.close()
  expect(await listed()).not.toHaveProperty('waiting')
  expect(await unanswered()).toMatchObject([{ override: id }])
})

test('many requests that wait for an hour delay no other', async () => {
  await override(mock, { operation: 'createChatSession', delay: hour, times: 50 })
  const wires = Array.from({ length: 50 }, () => Wire.open(mock.url))
  await unchanged(mock, async () => {
    const text = message('POST /api/chat/create-chat-session', { 'Content-Type': 'application/json' }, '{}')
    await Promise.all(wires.map((wire) => wire.send(text)))
    while ((await overridesOf(mock)).length > 0);
    expect(
      (await mock.call('POST', '/api/web-search/open-urls', { body: { urls: ['http://a.example'] } })).status
    ).toBe(200)
  })
  expect((await mock.call('POST', '/api/chat/create-chat-session', { body: {} })).status).toBe(200)
  for (const wire of wires) wire.destroy()
  while ((await unanswered()).length < 50);
})

test('a waiting client that leaves has changed nothing, and the journal shows it', async () => {
  const { id } = await override(mock, { operation: 'createChatSession', delay: hour, times: 1 })
  await unchanged(mock, async () => {
    const wire = Wire.open(mock.url)
    await wire.send(message('POST /api/chat/create-chat-session', { 'Content-Type': 'application/json' }, '{}'))
    while ((await overridesOf(mock)).length > 0);
    wire.destroy()
    let requests: object[] = []
    while (requests.length === 0) requests = await unanswered()
    expect(requests).toMatchObject([{ operation: 'createChatSession', status: 0, override: id }])
    expect(requests[0]).not.toHaveProperty('fault')
  })
})

test('a process that is stopped waits for delayed requests only as long as it may', async () => {
  const child = start(['--port', '0', '--shutdown-timeout', '0.1'])
  const url = await ready(child)
  const end = ended(child)
  const lost = call(url, 'GET', persona, { headers: { Prefer: `delay=${longestDelay}` } }).catch(() => 'lost')
  while ((await call(url, 'GET', '/__mock/health')).status !== 200);
  child.kill('SIGTERM')
  expect((await end).code).toBe(0)
  expect(await lost).toBe('lost')
})

const milliseconds = fc.integer({ min: 0, max: longestDelay })
const seeded = fc.integer().map((seed) => new Chance(seed))
const drawn = (delay: Delay, chance: Chance, count: number) =>
  Array.from({ length: count }, () => drawDelay(delay, () => chance.next())).sort((a, b) => a - b)

test('the length of a delay is exactly the given one, when fixed', () => {
  fc.assert(
    fc.property(milliseconds, seeded, (milliseconds, chance) => {
      expect(drawn({ type: 'fixed', milliseconds }, chance, 3)).toEqual([milliseconds, milliseconds, milliseconds])
    })
  )
})

test('the length of a delay is between the limits, and spread over all, when uniform', () => {
  fc.assert(
    fc.property(milliseconds, milliseconds, seeded, (a, b, chance) => {
      const [lower, upper] = [Math.min(a, b), Math.max(a, b)]
      const lengths = drawn({ type: 'uniform', lower, upper }, chance, 1000)
      const width = upper - lower
      expect(lengths[0]).toBeGreaterThanOrEqual(lower)
      expect(lengths[999]).toBeLessThanOrEqual(upper)
      expect(lengths[0]).toBeLessThanOrEqual(lower + width * 0.05)
      expect(lengths[999]).toBeGreaterThanOrEqual(upper - width * 0.05)
      expect(Math.abs((lengths[500] as number) - (lower + upper) / 2)).toBeLessThanOrEqual(width * 0.1)
    })
  )
})

test('the length of a delay has its median in the middle and a spread of sigma, when lognormal', () => {
  const sigmas = fc.double({ min: 0.05, max: 1, noNaN: true })
  fc.assert(
    fc.property(fc.double({ min: 1, max: 10_000, noNaN: true }), sigmas, seeded, (median, sigma, chance) => {
      const normal = drawn({ type: 'lognormal', median, sigma }, chance, 2001).map(
        (it) => Math.log(it / median) / sigma
      )
      expect(Math.abs(normal[1000] as number)).toBeLessThan(0.2)
      const spread = Math.sqrt(normal.reduce((sum, it) => sum + it * it, 0) / normal.length)
      expect(Math.abs(spread - 1)).toBeLessThan(0.15)
    })
  )
})

test('the length of a delay is never above maxValue, above an hour, or below 0, when lognormal', () => {
  const sigmas = fc.double({ min: 0, max: 10, noNaN: true })
  fc.assert(
    fc.property(
      milliseconds,
      sigmas,
      fc.option(milliseconds, { nil: undefined }),
      seeded,
      (median, sigma, maxValue, chance) => {
        const delay: Delay = { type: 'lognormal', median, sigma, ...(maxValue !== undefined && { maxValue }) }
        const lengths = drawn(delay, chance, 100)
        expect(lengths[0]).toBeGreaterThanOrEqual(0)
        expect(lengths[99]).toBeLessThanOrEqual(maxValue ?? longestDelay)
      }
    )
  )
})

test('the length of a delay repeats with its seed, and a fork continues the series', () => {
  const draws = (chance: Chance) => Array.from({ length: 5 }, () => chance.next())
  const chance = new Chance(7)
  const first = draws(chance)
  const fork = chance.fork()
  expect(draws(new Chance(7))).toEqual(first)
  expect(draws(fork)).toEqual(draws(chance))
  expect(draws(new Chance(8))).not.toEqual(first)
})
