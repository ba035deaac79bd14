import { connect } from 'node:net'
import { call, startTestMock, type TestMock } from '../../mock.js'
import { Stream } from './stream.js'

let mock: TestMock
beforeEach(async () => {
  mock = await startTestMock({ journalEntries: 50 })
})

const ask = (path = '/api/get-user-role', as = 'admin') => mock.call('GET', path, { as })

test('the stream of events sends every exchange as it happens, in the form of the list', async () => {
  const stream = await Stream.open(mock.url)
  expect(stream.response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  await ask('/api/persona/1')
  await ask('/api/personas/1')
  const events = [await stream.next(), await stream.next()]
  const { requests } = (await mock.call('GET', '/__mock/requests')).body
  expect(events).toEqual([
    { id: 'r1', event: 'exchange', data: requests[1] },
    { id: 'r2', event: 'exchange', data: requests[0] }
  ])
  expect(requests[0].near_misses).toHaveLength(3)
  stream.close()
})

test('the stream of events sends exchanges of one sandbox only', async () => {
  const stream = await Stream.open(mock.url, { 'X-Mock-Sandbox': 'mine' })
  await ask('/api/persona/1', 'admin')
  await ask('/api/persona/2', 'admin~mine')
  expect(await stream.next()).toMatchObject({ id: 'r1', data: { url: '/api/persona/2' } })
  stream.close()
})

test('the stream of events of a missing sandbox does not create it, and sends its exchanges once it exists', async () => {
  const [stream, forked] = [
    await Stream.open(mock.url, { 'X-Mock-Sandbox': 'later' }),
    await Stream.open(mock.url, { 'X-Mock-Sandbox': 'copy' })
  ]
  await mock.call('GET', '/__mock/clock', { as: 'admin~later' })
  expect([mock.sandboxes.find('later'), mock.sandboxes.find('copy')]).toEqual([undefined, undefined])
  await ask('/api/persona/1', 'admin~later')
  expect(await stream.next()).toMatchObject({ id: 'r1', data: { url: '/api/persona/1' } })
  await mock.call('POST', '/__mock/sandboxes', { body: { name: 'copy', from: 'later' } })
  await ask('/api/persona/2', 'admin~copy')
  expect(await forked.next()).toMatchObject({ id: 'r2', data: { url: '/api/persona/2' } })
  stream.close()
  forked.close()
})

test('the stream of events sends calls that change something, if requested', async () => {
  const stream = await Stream.open(mock.url, {}, '?control=true')
  await mock.call('GET', '/__mock/clock')
  await mock.call('PUT', '/__mock/clock', { body: { speed: 60 } })
  await mock.call('PUT', '/__mock/clock', { body: { speed: 'fast' } })
  await mock.call('POST', '/__mock/snapshots/now')
  await mock.call('POST', '/__mock/sandboxes', { body: { name: 'another' } })
  await mock.call('POST', '/__mock/snapshots/now', { as: 'admin~another' })
  await mock.call('POST', '/__mock/scenarios/first-day')
  await ask()
  const events: unknown[] = []
  while (!events.includes('playScenario')) {
    const { event, data } = await stream.next()
    events.push(event === 'control' ? data.operation : event)
  }
  expect(events).toEqual(expect.arrayContaining(['setClock', 'takeSnapshot', 'makeSandbox', 'playScenario']))
  expect(events.filter((it) => it === 'setClock')).toHaveLength(1)
  stream.close()
})

test('the stream of events sends at most one exchange in each interval, the latest', async () => {
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'setImmediate', 'setInterval', 'queueMicrotask', 'Date', 'performance']
  })
  try {
    const stream = await Stream.open(mock.url, {}, '?every=200')
    for (let count = 0; count < 60; count++) await ask()
    jest.advanceTimersByTime(200)
    expect((await stream.next()).id).toBe('r60')
    await ask()
    jest.advanceTimersByTime(200)
    expect((await stream.next()).id).toBe('r61')
    stream.close()
  } finally {
    jest.useRealTimers()
  }
})

test('the stream of events continues after the last event that the client received', async () => {
  for (let count = 0; count < 5; count++) await ask()
  const stream = await Stream.open(mock.url, { 'Last-Event-ID': 'r3' })
  await ask()
  expect([await stream.next(), await stream.next(), await stream.next()].map(({ id }) => id)).toEqual([
    'r4',
    'r5',
    'r6'
  ])
  stream.close()
})

test('the stream of events starts with the oldest exchange in the journal if the client missed more', async () => {
  for (let count = 0; count < 60; count++) await ask()
  const stream = await Stream.open(mock.url, { 'Last-Event-ID': 'r3' })
  expect((await stream.next()).id).toBe('r11')
  stream.close()
})

test('the stream of events starts from the beginning for a client from before a reset', async () => {
  await mock.reset()
  await ask()
  const stream = await Stream.open(mock.url, { 'Last-Event-ID': 'r40' })
  expect((await stream.next()).id).toBe('r1')
  stream.close()
})

test.each([
  ['?since=r1', ['r2', 'r3']],
  ['?since=2026-03-02T09:00:00Z', ['r1', 'r2']],
  ['?since=2026-03-02T10:00:00Z', ['r1', 'r2']],
  ['?since=2026-03-02T10:00:01Z', ['r4', 'r5']],
  ['?since=r0&status=404', ['r2', 'r5']],
  ['?since=r0&operation=getUserRole', ['r1', 'r3']],
  ['?unmatched=true', ['r5']]
])('the stream of events filtered by %s sends %j', async (query, ids) => {
  for (const path of ['/api/get-user-role', '/api/lost', '/api/get-user-role']) await ask(path)
  const stream = await Stream.open(mock.url, {}, query)
  await ask('/api/get-user-role')
  await ask('/api/lost')
  const received: (string | undefined)[] = []
  while (received.length < ids.length) received.push((await stream.next()).id)
  expect(received).toEqual(ids)
  stream.close()
})

test('a client with a Last-Event-ID gets what followed, whatever its since is', async () => {
  for (let count = 0; count < 3; count++) await ask()
  const stream = await Stream.open(mock.url, { 'Last-Event-ID': 'r2' }, '?since=r0')
  expect((await stream.next()).id).toBe('r3')
  stream.close()
})

test.each([
  ['?status=wrong', 'status'],
  ['?operation=getPersonas', 'operation'],
  ['?since=yesterday', 'since'],
  ['?since=2026-02-30', 'since'],
  ['?limit=3', 'limit']
])('the stream of events refuses %s and lists the good values', async (query, field) => {
  const { status, body } = await mock.call('GET', `/__mock/events${query}`)
  expect([status, body.errors[0].field]).toEqual([400, field])
})

test('the stream of events reports an emptied journal, and continues', async () => {
  const stream = await Stream.open(mock.url)
  await ask()
  await mock.call('DELETE', '/__mock/requests')
  await ask()
  await mock.call('POST', '/__mock/reset', { body: {} })
  await ask()
  const events: [string, string | undefined][] = []
  while (events.length < 5) {
    const { event, id } = await stream.next()
    events.push([event, id])
  }
  expect(events).toEqual([
    ['exchange', 'r1'],
    ['cleared', undefined],
    ['exchange', 'r2'],
    ['cleared', undefined],
    ['exchange', 'r1']
  ])
  stream.close()
})

test('the stream of events answers HEAD without waiting for an end', async () => {
  const { status, headers, text } = await mock.call('HEAD', '/__mock/events')
  expect([status, headers.get('content-type'), text]).toEqual([200, 'text/event-stream', ''])
})

test('the stream of events is kept open by comments when nothing happens', async () => {
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout', 'queueMicrotask', 'Date', 'performance']
  })
  try {
    const stream = await Stream.open(mock.url)
    expect(await stream.block()).toBe(': the journal')
    jest.advanceTimersByTime(15_000)
    expect(await stream.block()).toBe(':')
    jest.advanceTimersByTime(30_000)
    expect([await stream.block(), await stream.block()]).toEqual([':', ':'])
    stream.close()
  } finally {
    jest.useRealTimers()
  }
})

test('a stream ends with an event when its sandbox is dropped', async () => {
  await ask('/api/get-user-role', 'admin~brief')
  const stream = await Stream.open(mock.url, { 'X-Mock-Sandbox': 'brief' })
  await mock.call('DELETE', '/__mock/sandboxes/brief')
  expect(await stream.next()).toEqual({ id: undefined, event: 'dropped', data: {} })
  expect(await stream.ended()).toBe('')
})

test('a stream ends for all but the default sandbox when the whole mock is reset', async () => {
  await ask('/api/get-user-role', 'admin~other')
  const [other, standard] = [await Stream.open(mock.url, { 'X-Mock-Sandbox': 'other' }), await Stream.open(mock.url)]
  await mock.reset()
  expect((await other.next()).event).toBe('dropped')
  expect((await standard.next()).event).toBe('cleared')
  await ask()
  expect((await standard.next()).id).toBe('r1')
  standard.close()
})

test('a stream ends when the mock is closed, without delaying it', async () => {
  const closing = await startTestMock()
  const streams = [await Stream.open(closing.url), await Stream.open(closing.url, { 'X-Mock-Sandbox': 'other' })]
  await call(closing.url, 'GET', '/api/get-user-role')
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'Date', 'performance'] })
  try {
    // The timer that would break connections off is stopped: only the end of the streams lets the server close.
    await closing.close()
  } finally {
    jest.useRealTimers()
  }
  for (const stream of streams) {
    expect(await stream.ended()).not.toContain('dropped')
    // Ended by the server, and not given up by the client.
    expect(stream.response.complete).toBe(true)
  }
})

test('a stream ends for a client that leaves, without listeners left', async () => {
  const stream = await Stream.open(mock.url)
  expect(listeners(mock)).toBe(1)
  stream.close()
  while (listeners(mock) > 0) await ask()
  expect((await ask()).status).toBe(200)
})

test('a stream ends for a client so slow that the journal has dropped its next events', async () => {
  const { hostname, port } = new URL(mock.url)
  const socket = connect({ host: hostname, port: Number(port) }).pause()
  socket.on('error', () => {})
  socket.write(`GET /__mock/events HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
  while (listeners(mock) === 0) await ask()
  const long = `/api/get-user-role?q=${'x'.repeat(8000)}`
  let sent = 0
  while (listeners(mock) > 0 && sent < 20_000) {
    await Promise.all(Array.from({ length: 20 }, () => ask(long)))
    sent += 20
  }
  expect(listeners(mock)).toBe(0)
  expect((await ask()).status).toBe(200)
  socket.destroy()
})

/** How many streams of the default sandbox there are. */
function listeners({ sandbox }: TestMock): number {
  return (sandbox.journal as unknown as { listeners: Set<unknown> }).listeners.size
}
