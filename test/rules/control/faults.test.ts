import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { readDocuments } from '../../../src/engine/contract/load.js'
import { faultNames } from '../../../src/engine/serve/forced/forced.js'
import { message } from '../../doors/listener/wire.js'
import { startTestMock } from '../../mock.js'
import { unchanged } from '../../serve/unchanged.js'
import { override } from './overriding.js'

const faults = faultNames(readDocuments())
const mock = await startTestMock()
const express = createServer(mock.app)
await new Promise<void>((resolve) => express.listen(0, '127.0.0.1', resolve))
const expressUrl = `http://127.0.0.1:${(express.address() as AddressInfo).port}`
afterAll(() => new Promise((resolve) => express.close(resolve)))

afterEach(async () => {
  await mock.reset()
})

const role = 'GET /api/get-user-role'
const create = 'POST /api/chat/create-chat-session'
const upload = 'POST /api/manage/admin/connector/file/upload'

interface Heard {
  bytes: Buffer
  /** The code of the error with which the connection broke; undefined: it was closed. */
  error: string | undefined
}

/** Everything that is received on a connection after this text, until its end. */
function hear(url: string, data: string | Uint8Array): Promise<Heard> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let error: string | undefined
    const socket = connect(Number(port), hostname)
    socket.write(data)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', (failure: NodeJS.ErrnoException) => {
      error = failure.code
    })
    socket.on('close', () => resolve({ bytes: Buffer.concat(chunks), error }))
  })
}

describe.each([
  ['the listener', mock.url],
  ['the Express app', expressUrl]
])('on %s', (_, url) => {
  describe.each([
    ['a request without a body', message(role, { Prefer: 'fault=F' })],
    ['a request with a body', message(create, { 'Content-Type': 'application/json', Prefer: 'fault=F' }, '{}')],
    ['a large body', message(upload, { 'Content-Type': 'text/plain', Prefer: 'fault=F' }, 'x'.repeat(3_000_000))],
    [
      'a request that comes before an answer is out',
      message(role, { Prefer: 'delay=20' }) + message(role, { Prefer: 'fault=F' })
    ]
  ])('%s', (what, text) => {
    const isSecond = what.includes('before')
    const broken = (fault: string) => unchanged(mock, () => hear(url, text.replace('fault=F', `fault=${fault}`)))

    test('is reset by CONNECTION_RESET_BY_PEER', async () => {
      expect((await broken('CONNECTION_RESET_BY_PEER')).error).toBe('ECONNRESET')
    })

    test('gets no byte with EMPTY_RESPONSE', async () => {
      const { bytes, error } = await broken('EMPTY_RESPONSE')
      expect([error, answersIn(bytes)]).toEqual([undefined, isSecond ? 1 : 0])
      if (!isSecond) expect(bytes).toHaveLength(0)
    })

    test('gets a head and an invalid chunk with MALFORMED_RESPONSE_CHUNK', async () => {
      const { bytes, error } = await broken('MALFORMED_RESPONSE_CHUNK')
      expect([error, answersIn(bytes)]).toEqual([undefined, isSecond ? 2 : 1])
      const start = bytes.lastIndexOf('HTTP/1.1 200 OK\r\n')
      const end = bytes.indexOf('\r\n\r\n', start)
      expect(bytes.toString('latin1', start, end)).toMatch(/^transfer-encoding: chunked$/im)
      expect(bytes.length).toBeGreaterThan(end + 4)
      expect(bytes[end + 4]).toBeGreaterThan(0x7f)
    })

    test('gets bytes that are not HTTP with RANDOM_DATA_THEN_CLOSE', async () => {
      const { bytes, error } = await broken('RANDOM_DATA_THEN_CLOSE')
      expect([error, answersIn(bytes)]).toEqual([undefined, isSecond ? 1 : 0])
      expect(bytes.at(-64)).toBeGreaterThan(0x7f)
    })
  })

  test.each(faults)('a client of HTTP sees %s as a failure, and gets an answer to its next request', async (fault) => {
    await override(mock, { operation: 'getUserRole', fault, times: 2 })
    const ask = async () =>
      (await fetch(`${url}/api/get-user-role`, { headers: { Authorization: 'Bearer admin' } })).json()
    await expect(ask()).rejects.toThrow()
    await expect(ask()).rejects.toThrow()
    expect(await ask()).toEqual({ role: 'admin' })
  })
})

test.each(faults)('%s changes neither other connections nor the state', async (fault) => {
  await override(mock, { operation: 'createChatSession', fault })
  await unchanged(mock, async () => {
    const calls = Array.from({ length: 10 }, () =>
      Promise.allSettled([
        mock.call('POST', '/api/chat/create-chat-session', { body: {} }),
        mock.call('GET', '/api/persona/1')
      ])
    )
    for (const [broken, whole] of await Promise.all(calls)) {
      expect(broken.status).toBe('rejected')
      expect(whole).toMatchObject({ status: 'fulfilled', value: { status: 200 } })
    }
  })
})

test('a page of another origin may read the head of a malformed answer', async () => {
  const { bytes } = await hear(
    mock.url,
    message(role, { Origin: 'https://a.example', Prefer: 'fault=MALFORMED_RESPONSE_CHUNK' })
  )
  expect(bytes.toString('latin1')).toMatch(/^access-control-allow-origin: \*\r$/im)
  expect(bytes.toString('latin1')).toMatch(/^x-mock-request-id: r\d+\r$/im)
  expect(bytes.toString('latin1')).toMatch(/^x-mock-source: override\r$/im)
})

test('the same seed and the same requests get the same garbage, another seed another', async () => {
  const ask = async (url: string) =>
    (await hear(url, message(role, { Prefer: 'fault=RANDOM_DATA_THEN_CLOSE' }))).bytes.toString('hex')
  const first = [await ask(mock.url), await ask(mock.url)]
  expect(first[0]).not.toBe(first[1])
  await mock.call('POST', '/__mock/reset', { body: {} })
  expect([await ask(mock.url), await ask(mock.url)]).toEqual(first)
  const other = await startTestMock({ seed: 2 })
  expect(await ask(other.url)).not.toBe(first[0])
})

test('the journal shows a fault with the status 0, and coverage does not count it', async () => {
  const { id } = await override(mock, { operation: 'getUserRole', fault: 'EMPTY_RESPONSE', times: 1 })
  await hear(mock.url, message(role))
  await hear(mock.url, message(role, { Prefer: 'fault=CONNECTION_RESET_BY_PEER' }))
  const { requests } = (await mock.call('GET', '/__mock/requests')).body
  expect(requests).toMatchObject([
    { operation: 'getUserRole', status: 0, override: 'Prefer', fault: 'CONNECTION_RESET_BY_PEER' },
    { operation: 'getUserRole', status: 0, override: id, fault: 'EMPTY_RESPONSE' }
  ])
  expect((await mock.call('GET', `/__mock/requests/${requests[0].id}`)).status).toBe(200)
  const { operations } = (await mock.call('GET', '/__mock/coverage')).body
  expect(operations.find((it: { operation: string }) => it.operation === 'getUserRole').label).toBe('not used')
})

/** The number of HTTP answers in these bytes. */
function answersIn(bytes: Buffer): number {
  return bytes.toString('latin1').split('HTTP/1.1 200 OK\r\n').length - 1
}
