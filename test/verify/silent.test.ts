import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import { Bounds } from '../../src/tools/verify/calls/bounds.js'
import { Client, type Reply, reach } from '../../src/tools/verify/calls/client.js'
import { Stopped, Unreachable } from '../../src/tools/verify/calls/patience.js'
import { type Call, callOf } from '../../src/tools/verify/calls/request.js'
import { Silences } from '../../src/tools/verify/calls/silence.js'
import { startTestMock } from '../mock.js'
import { operationOf, startBroken } from './mutants/server.js'

const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

/** A mock of which some requests are never answered. Nobody waits for them: their time is up at once. */
async function hanging(hangs: (call: Call) => boolean): Promise<string> {
  const { url } = await startTestMock()
  const { send } = Client.prototype
  jest.spyOn(Client.prototype, 'send').mockImplementation(function (this: Client, call, authorization) {
    if (hangs(call)) return Promise.reject(new Unreachable('It does not answer within 10 s.', 'late'))
    return send.call(this, call, authorization)
  })
  return url
}

afterEach(() => jest.restoreAllMocks())

const text = ({ body, target }: Call) => `${target} ${body ?? ''}`

test('a request that makes an operation hang is one finding, and all else is checked', async () => {
  const url = await hanging((call) => call.operation.id === 'createChatSession' && /\u0351/.test(text(call)))
  const { findings, checks } = await verify({ url, mutating: true, operations: 'E1', cases: 2 })
  expect(findings).toEqual([
    expect.objectContaining({
      operation: 'createChatSession',
      check: 'request_answered',
      got: 'It does not answer within 10 s.'
    })
  ])
  expect(findings[0]?.curl).toContain('/api/chat/create-chat-session')
  const made = checks.filter(({ operation }) => operation === 'createChatSession').map(({ check }) => check)
  expect(made).toEqual(expect.arrayContaining(['ignored_auth', 'others_untouched', 'positive_data_acceptance']))
})

test.each([[['getUserRole', 'listProjects', 'getIndexingStatus', 'updatePersona', 'deleteFile']]])(
  'where %j never answers, that is told, and the other operations are checked',
  async (silent) => {
    const sent: string[] = []
    const url = await hanging(({ operation }) => {
      if (silent.includes(operation.id)) sent.push(operation.id)
      return silent.includes(operation.id)
    })
    const operations = [...silent, 'E1', 'E4', 'E22'].join()
    const { findings, notChecked, checks } = await verify({ url, mutating: true, cases: 2, operations })
    expect(findings).toEqual([])
    for (const id of silent) {
      const reasons = notChecked.filter(({ operation }) => operation === id).map(({ why }) => why)
      expect(reasons).toContain('It does not answer within 10 s')
      expect(reasons.every((why) => why.trim() !== '')).toBe(true)
      // Three in a row, and what went out at the same time.
      expect(sent.filter((it) => it === id).length).toBeLessThan(20)
    }
    expect(checks.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(['createChatSession', 'getProjectDetails'])
    )
  }
)

test('a connection that ends without an answer is a finding, and the run continues', async () => {
  const server = await startBroken(() => async (asked) => {
    if (asked.operation === 'createChatSession' && asked.bytes.includes('\\u0000')) asked.socket.destroy()
    return asked.pass()
  })
  closing.push(() => server.close())
  const { findings, checks } = await verify({ url: server.url, mutating: true, operations: 'E1', cases: 2 })
  expect(findings.map(({ operation, check, got }) => [operation, check, got])).toEqual([
    ['createChatSession', 'request_answered', expect.stringContaining('closed the connection without an answer')]
  ])
  expect(checks.length).toBeGreaterThan(8)
})

const call = callOf(operationOf('listProjects'), {})
const good: Reply = { status: 200, headers: {}, text: '[]', body: [] }

/** Answers what the list says, one after the other, and the last again and again. */
function silences(...answers: (Reply | Unreachable)[]) {
  const told: string[] = []
  const slept: number[] = []
  let sent = 0
  const client = {
    async send() {
      const answer = answers[Math.min(sent++, answers.length - 1)] as Reply | Unreachable
      if (answer instanceof Error) throw answer
      return answer
    }
  }
  const time = { now: () => 0, sleep: async (milliseconds: number) => void slept.push(milliseconds) }
  const all = new Silences(client as unknown as Client, (_call, _curl, got) => told.push(got), time)
  const ask = (it = call) => all.send(it, null, 'curl x')
  return { all, ask, told, slept, sent: () => sent }
}

test('a server that starts again is waited for', async () => {
  const { ask, told, slept } = silences(
    good,
    new Unreachable('Nobody.', 'absent'),
    new Unreachable('Nobody.', 'absent'),
    good
  )
  await ask()
  expect(await ask()).toBe(good)
  expect([told, slept]).toEqual([[], [250, 500]])
})

test('a server that is gone is reported once, and gets no more requests', async () => {
  const { all, ask, told, sent } = silences(good, new Unreachable('Nobody.', 'absent'))
  await ask()
  await expect(ask()).rejects.toBeInstanceOf(Stopped)
  const before = sent()
  await expect(ask()).rejects.toThrow('the server no longer answers')
  expect([told, sent(), all.gone]).toEqual([['Nobody.'], before, 'the server no longer answers'])
})

test('a late answer is a finding if the operation has answered before, and otherwise is only listed', async () => {
  const never = silences(new Unreachable('Too late.', 'late'))
  await expect(never.ask()).rejects.toThrow('Too late')
  const late = silences(good, new Unreachable('Too late.', 'late'))
  await late.ask()
  await expect(late.ask()).rejects.toMatchObject({ message: '' })
  expect([never.told, late.told]).toEqual([[], ['Too late.']])
})

test('requests without an answer answers that wait for other servers may be late', async () => {
  const { ask, told } = silences(good, new Unreachable('Too late.', 'late'))
  const open = callOf(operationOf('openUrls'), { body: { urls: ['https://example.com'] } })
  await ask(open)
  await expect(ask(open)).rejects.toThrow('Too late')
  expect(told).toEqual([])
})

test('an operation is given up after three in a row, and one that answers between is not', async () => {
  const late = new Unreachable('Too late.', 'late')
  const { ask, sent } = silences(late, late, good, late)
  for (let n = 0; n < 2; n++) await expect(ask()).rejects.toBeInstanceOf(Stopped)
  await ask()
  for (let n = 0; n < 3; n++) await expect(ask()).rejects.toBeInstanceOf(Stopped)
  expect(sent()).toBe(6)
  await expect(ask()).rejects.toThrow('it did not answer 3 times in a row')
  expect(sent()).toBe(6)
})

test('a large request may be refused before it was sent whole', async () => {
  const { ask, told } = silences(good, new Unreachable('It closed.', 'broken'))
  await ask()
  await expect(ask({ ...call, body: Buffer.alloc(100_000) })).rejects.toThrow('It closed')
  expect(told).toEqual([])
  await expect(ask()).rejects.toMatchObject({ message: '' })
  expect(told).toEqual(['It closed.'])
})

describe('the client', () => {
  /** A client of a server. Only a test of what comes late has a short timeout. */
  async function started(listener: RequestListener, timeout = 60_000) {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = new Client({
      url,
      headers: {},
      timeout,
      concurrency: 1,
      bounds: new Bounds({ maxWrites: Infinity, maxTime: Infinity })
    })
    closing.push(() => {
      client.close()
      server.closeAllConnections()
      server.close()
    })
    return { url, client }
  }
  const operation = operationOf('getUserRole')

  test('an answer that drips without end is late', async () => {
    const { client } = await started((_, response) => {
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    }, 200)
    await expect(reach(client, 'x', [operation])).rejects.toMatchObject({ silence: 'late' })
  })

  test('a request that waited for a connection, which the server then closes, is sent again', async () => {
    const used = new Set<Socket>()
    const { client } = await started(({ socket }, response) => {
      if (used.has(socket)) return void socket.destroy()
      used.add(socket)
      response.end('{}')
    })
    const replies = await Promise.all([1, 2, 3].map(() => client.send(callOf(operation, {}), null)))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(used.size).toBeGreaterThan(1)
  })

  test('a request that hangs on a connection that was used before is late, and is not sent again', async () => {
    let asked = 0
    const { client } = await started((_, response) => {
      if (asked++ === 0) response.end('{}')
    }, 200)
    await client.send(callOf(operation, {}), null)
    await expect(client.send(callOf(operation, {}), null)).rejects.toMatchObject({ silence: 'late' })
    expect(asked).toBe(2)
  })

  test('an answer that comes compressed unasked is read; one of an unknown encoding is not a fault', async () => {
    const encodings = ['gzip', 'zstd']
    const { client } = await started((_, response) => {
      const encoding = encodings.shift() as string
      response.setHeader('Content-Encoding', encoding).end(gzipSync('{"role":"admin"}'))
    })
    expect((await client.send(callOf(operation, {}), null)).body).toEqual({ role: 'admin' })
    await expect(client.send(callOf(operation, {}), null)).rejects.toMatchObject({ silence: 'unread' })
  })

  test('an answer that nests 200,000 levels deep cannot be read anywhere, and ends nothing', async () => {
    const { client } = await started((_, response) => void response.end('['.repeat(200_000) + ']'.repeat(200_000)))
    await expect(client.send(callOf(operation, {}), null)).rejects.toMatchObject({
      silence: 'unreadable',
      message: expect.stringContaining('nests deeper than 500 levels')
    })
  })
})
