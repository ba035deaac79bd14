import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMock } from '../../src/doors/program/mock.js'
import { startTestMock, type TestMock } from '../mock.js'

const under = (type: string, media: object) => ({ 200: { description: 'ok', content: { [type]: media } } })
const token = { type: 'object', required: ['token'], properties: { token: { type: 'string' } } }
const lines = 'application/x-ndjson'

const operations: Record<string, object> = {
  say: { 'x-mock': { stream: { first: 1, every: 1 } }, responses: under(lines, { schema: token }) },
  wait: { responses: under(lines, { schema: { type: 'object' } }) },
  hold: { responses: under(lines, { schema: { type: 'object' } }) },
  events: {
    responses: under('text/event-stream', {
      itemSchema: token,
      example: [{ event: 'start', id: '1', data: { token: 'a' } }, { token: 'b' }, { event: 'end', data: 'two\nlines' }]
    })
  },
  sequence: { responses: under('application/json-seq', { schema: token, example: [{ token: 'a' }, { token: 'b' }] }) },
  objects: { responses: under('application/json', { schema: {} }) },
  text: { responses: under('text/plain', { schema: { type: 'string' } }) },
  called: { responses: under('application/json', { schema: {} }) },
  typed: { responses: under('application/json', { schema: {} }) },
  framed: { responses: under('application/json', { schema: {} }) },
  split: { responses: under('application/json', { schema: {} }) },
  refused: { responses: under(lines, { schema: { type: 'object' } }) },
  odd: { responses: under('application/json', { schema: {} }) },
  quoted: { responses: under('application/json', { schema: {} }) }
}

const document = {
  openapi: '3.1.0',
  info: { title: 'Streams', version: '1' },
  paths: Object.fromEntries(
    Object.entries(operations).map(([operationId, it]) => [`/api/${operationId}`, { get: { operationId, ...it } }])
  )
}

const rules = `
let number = 0
const label = () => ({ name: 'Label of a stream ' + ++number })
export function* say(_, { rows }) {
  for (const token of ['x', 'y', 3]) {
    rows.labels.put(label())
    yield { token }
  }
  rows.labels.put(label())
  throw new Error('no more tokens')
}
export async function* wait(_, { rows, refuse }) {
  await undefined
  rows.labels.put(label())
  yield { at: 1 }
  await undefined
  rows.labels.put(label())
  yield { at: 2 }
}
export function* hold(_, { rows }) {
  try {
    for (;;) yield { more: true }
  } finally {
    rows.labels.put({ name: 'Left' })
  }
}
export function* objects() { yield { a: 1 } }
export const text = (_, { reply }) => reply(200, new ReadableStream({
  start(stream) {
    stream.enqueue('ab')
    stream.enqueue(new TextEncoder().encode('cd'))
    stream.close()
  }
}))
export const called = () => () => 1
export const typed = (_, { reply }) => reply(200, [1, 2].values(), { 'content-type': 'application/x-ndjson', etag: 'x' })
export const framed = (_, { reply }) => reply(200, {}, { 'content-length': '3' })
export const split = (_, { reply }) => reply(200, {}, { 'X-Name': 'a\\r\\nb: c' })
export function* refused(_, { refuse }) {
  yield { at: 1 }
  refuse(404, 'no more')
}
export const odd = (_, { reply }) => reply(999, {})
export const quoted = (_, { reply }) => reply('200', {})
`

let mock: TestMock
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'streams-'))
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
  writeFileSync(join(folder, 'rules.mjs'), rules)
  mock = await startTestMock({ with: [folder], strict: false })
})
beforeEach(() => mock.call('POST', '/__mock/reset'))

/** What a client gets before its connection ends. */
async function received(
  path: string
): Promise<{ text: string; isWhole: boolean; headers: IncomingMessage['headers'] }> {
  const call = request(mock.url + path, { headers: { authorization: 'Bearer admin' } }).end()
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  let text = ''
  answer.on('error', () => {})
  answer.on('data', (chunk) => {
    text += chunk
  })
  await new Promise((resolve) => answer.once('close', resolve))
  return { text, isWhole: answer.complete, headers: answer.headers }
}

const journal = async (id: string) => (await mock.call('GET', `/__mock/requests/${id}`)).body
const newest = async () => (await mock.call('GET', '/__mock/requests?limit=1')).body.requests[0]
const labels = async () => (await mock.call('GET', '/__mock/state/labels?limit=200')).body.total

test('a generated text is a value in the form of its stream', async () => {
  const forms = {
    'text/event-stream': /^data: \w+\n\n$/,
    [lines]: /^"\w+"\n$/,
    'application/json-seq': /^."\w+"\n$/
  }
  const paths = Object.fromEntries(
    Object.keys(forms).map((type, at) => [
      `/s${at}`,
      { get: { responses: under(type, { schema: { type: 'string' } }) } }
    ])
  )
  const other = await startTestMock({ with: [{ ...document, paths }] })
  for (const [at, form] of Object.values(forms).entries())
    expect((await other.call('GET', `/s${at}`)).text).toMatch(form)
})

test('a generator sends each value as a line, checks it, and breaks the connection when the rule fails', async () => {
  const before = await labels()
  const { text, isWhole, headers } = await received('/api/say')
  expect(text).toBe('{"token":"x"}\n{"token":"y"}\n{"token":3}\n')
  expect([isWhole, headers['content-type'], headers['content-length']]).toEqual([false, lines, undefined])
  const entry = await journal(headers['x-mock-request-id'] as string)
  expect(entry.failure).toContain('no more tokens')
  expect(entry.violations).toEqual(['value 3: /token must be string'])
  const { frames } = entry.response
  expect(frames).toMatchObject({ count: 3, end: 'error' })
  expect(frames.values.at(-1).value).toEqual({ token: 3 })
  expect(frames.values[0].at_ms).toBeLessThanOrEqual(frames.values[2].at_ms)
  // Writes after the last value are rolled back.
  expect(await labels()).toBe(before + 3)
  expect(entry.writes).toHaveLength(3)
})

test('a rule that waits between values sends them, and its writes are recorded as changes', async () => {
  const before = await labels()
  const { text, headers } = await mock.call('GET', '/api/wait')
  expect(text).toBe('{"at":1}\n{"at":2}\n')
  expect(await labels()).toBe(before + 2)
  const entry = await journal(headers.get('x-mock-request-id') as string)
  expect(entry.changed).toEqual([{ collection: 'labels', added: 2, changed: 0, removed: 0 }])
})

test('a client that leaves ends the rule', async () => {
  const before = await labels()
  const call = request(`${mock.url}/api/hold`, { headers: { authorization: 'Bearer admin' } }).end()
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  await once(answer, 'data')
  answer.destroy()
  while ((await labels()) === before) await new Promise(setImmediate)
  const { id } = await newest()
  expect((await journal(id)).response.frames.end).toBe('gone')
})

test('a stream whose values are always ready lets other requests have their turn', async () => {
  const before = await labels()
  const asked = request(`${mock.url}/api/hold`, { headers: { authorization: 'Bearer admin' } }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  for (let count = 0; count < 3; count++) expect(await labels()).toBe(before)
  answer.destroy()
  while ((await labels()) === before) await new Promise(setImmediate)
})

test('the headers of a reply replace those of the mock, whatever their case', async () => {
  const { text, headers } = await mock.call('GET', '/api/typed')
  expect(text).toBe('1\n2\n')
  expect([headers.get('content-type'), headers.get('etag')]).toEqual([lines, 'x'])
})

test.each([
  ['framed', 'The mock sets content-length itself: leave it out.'],
  ['split', 'one line of Latin-1 text'],
  ['odd', 'reply takes a status from 200 to 599, not 999'],
  ['quoted', 'reply takes a status from 200 to 599, not "200"']
])('a reply that HTTP cannot send is a 500 with the reason: %s', async (name, reason) => {
  const { status, headers } = await mock.call('GET', `/api/${name}`)
  expect(status).toBe(500)
  expect((await journal(headers.get('x-mock-request-id') as string)).failure).toContain(reason)
})

test('a rule that refuses after its first value breaks the connection, and the journal says why', async () => {
  const { text, isWhole, headers } = await received('/api/refused')
  expect([text, isWhole]).toEqual(['{"at":1}\n', false])
  const { failure } = await journal(headers['x-mock-request-id'] as string)
  expect(failure).toContain('The rule refused with 404 after its first value: {"detail":"no more"}')
})

test('a reset ends the streams of the state before it', async () => {
  const asked = request(`${mock.url}/api/hold`, { headers: { authorization: 'Bearer admin' } }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.on('error', () => {}).resume()
  const closed = new Promise((resolve) => answer.once('close', resolve))
  await mock.call('POST', '/__mock/reset?keep_journal=true')
  await closed
  expect(answer.complete).toBe(false)
})

test('chunks that cannot be sent under the type of an override are refused when it is added', async () => {
  const add = (chunk: unknown, type: string) =>
    mock.call('POST', '/__mock/overrides', { body: { path: '/f', chunks: [chunk], headers: { 'Content-Type': type } } })
  expect((await add({ a: 1 }, 'text/plain')).body.detail).toContain('chunks.0: It cannot be sent')
  expect((await add({ event: 'a\nb', data: 1 }, 'text/event-stream')).status).toBe(400)
  expect((await add('text', 'text/plain')).status).toBe(201)
})

test('examples are sent as server-sent events, item by item', async () => {
  const { text, headers } = await mock.call('GET', '/api/events')
  expect(headers.get('content-type')).toBe('text/event-stream')
  expect(text).toBe(
    'event: start\nid: 1\ndata: {"token":"a"}\n\ndata: {"token":"b"}\n\nevent: end\ndata: two\ndata: lines\n\n'
  )
  const entry = await journal(headers.get('x-mock-request-id') as string)
  expect(entry.violations).toEqual(['value 3: / must be object'])
})

test('a sequence of JSON texts has the separator of RFC 7464', async () => {
  expect((await mock.call('GET', '/api/sequence')).text).toBe('\u001e{"token":"a"}\n\u001e{"token":"b"}\n')
  const forced = await mock.call('GET', '/api/sequence', { headers: { Prefer: 'example=example' } })
  expect(forced.text).toBe('\u001e{"token":"a"}\n\u001e{"token":"b"}\n')
})

test('texts and bytes of other types are sent unchanged', async () => {
  const { text, headers } = await mock.call('GET', '/api/text')
  expect([text, headers.get('content-type')]).toEqual(['abcd', 'text/plain'])
})

test('values that cannot be sent are a 500, and the journal describes them', async () => {
  const { status, headers } = await mock.call('GET', '/api/objects')
  expect(status).toBe(500)
  const id = headers.get('x-mock-request-id') as string
  expect((await journal(id)).failure).toContain('objects cannot be sent: it yields an object under application/json')
  const called = await mock.call('GET', '/api/called')
  expect(called.status).toBe(500)
  expect((await newest()).failure).toContain('The rule of called returns a function')
})

test('an override sends chunks on any path, and cuts the connection after some', async () => {
  const chunks = [{ a: 1 }, 'two', { b: 3 }]
  const override = { path: '/api/chat/send', chunks, first: 1, every: 1 }
  await mock.call('POST', '/__mock/overrides', { body: override })
  expect(await received('/api/chat/send')).toMatchObject({ text: '{"a":1}\n"two"\n{"b":3}\n', isWhole: true })
  await mock.call('POST', '/__mock/overrides', { body: { ...override, cutAfter: 2 } })
  expect(await received('/api/chat/send')).toMatchObject({ text: '{"a":1}\n"two"\n', isWhole: false })
  const { id } = await newest()
  expect((await journal(id)).response.frames).toMatchObject({ count: 2, end: 'cut' })
})

test('an override cuts or types the stream of a rule', async () => {
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'say', cutAfter: 1, times: 1 } })
  expect(await received('/api/say')).toMatchObject({ text: '{"token":"x"}\n', isWhole: false })
  const headers = { 'Content-Type': 'text/event-stream' }
  await mock.call('POST', '/__mock/overrides', {
    body: { path: '/e', headers, chunks: [{ event: 'x', data: { y: 1 } }] }
  })
  expect((await mock.call('GET', '/e')).text).toBe('event: x\ndata: {"y":1}\n\n')
})

test('chunks exclude a body, an example and a fault', async () => {
  const body = { path: '/e', chunks: [], body: {}, fault: 'EMPTY_RESPONSE' }
  const { status, body: problem } = await mock.call('POST', '/__mock/overrides', { body })
  expect(status).toBe(400)
  expect(problem.errors.map((it: { field: string }) => it.field)).toEqual(['body', 'chunks', 'chunks'])
})

test('a cut stream in process is a TypeError of its body', async () => {
  await mock.call('POST', '/__mock/overrides', { body: { path: '/f', chunks: [1, 2, 3], cutAfter: 1 } })
  const { body } = await mock.fetch('http://mock/f')
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('1\n')
  await expect(reader.read()).rejects.toThrow(TypeError)
})

test('close() breaks the streams of fetch, and ends their rules', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'streams-'))
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
  writeFileSync(join(folder, 'rules.mjs'), rules)
  const other = createMock({ with: [folder], strict: false, anonymous: 'basic' })
  const { body } = await other.fetch('http://mock/api/hold')
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  await other.close()
  const rest = async () => {
    while (!(await reader.read()).done);
  }
  await expect(rest()).rejects.toThrow('fetch failed')
})

test('two hundred concurrent streams are all complete', async () => {
  const texts = await Promise.all(Array.from({ length: 200 }, () => mock.call('GET', '/api/wait')))
  expect(new Set(texts.map(({ text }) => text))).toEqual(new Set(['{"at":1}\n{"at":2}\n']))
})

test('HEAD has no body, and starts no stream', async () => {
  const before = await labels()
  const { status, text } = await mock.call('HEAD', '/api/hold')
  expect([status, text]).toEqual([200, ''])
  expect(await labels()).toBeLessThanOrEqual(before + 1)
})
