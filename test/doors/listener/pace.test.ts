import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createHttpServer, limits } from '../../../src/doors/listener/connection.js'
import { createPace, giveUp, ignoreRequest, isGivenUp, lingerLimits } from '../../../src/doors/listener/pace.js'
import { restored } from '../../restored.js'
import { ask, message, Wire } from './wire.js'

restored(limits, lingerLimits)
limits.unanswered = 10
lingerLimits.milliseconds = 2000
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections()
})

async function serve(listener: RequestListener): Promise<string> {
  const { server } = createHttpServer(listener)
  server.listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe.each([
  ['without bodies', '', (response: ServerResponse) => response.req.resume()],
  ['with bodies that are read', '{}', (response: ServerResponse) => response.req.on('data', () => {})],
  ['with bodies that are not read', '{}', () => {}]
])('a pipeline of requests %s', (_, body, read) => {
  test('is read only as fast as it is answered, and is answered completely', async () => {
    const waiting: ServerResponse[] = []
    let seen = 0
    let peak = 0
    const url = await serve((_, response) => {
      seen += 1
      waiting.push(response)
      peak = Math.max(peak, waiting.length)
      read(response)
    })
    const count = 4000
    const wire = Wire.open(url)
    const one = message('POST /', { Authorization: undefined }, body)
    void wire.send(one.repeat(count))
    let answered = 0
    while (answered < count) {
      // Turns of the event loop, in which more would be read.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
      for (const response of waiting.splice(0, 500)) {
        answered += 1
        response.end(String(answered))
      }
    }
    expect([seen, peak]).toEqual([count, 10])
    let last = ''
    for (let reply = 0; reply < count; reply++) last = (await wire.reply()).body
    expect(last).toBe(String(count))
    wire.destroy()
  })
})

test('a body that arrives while the connection is held is read once the others are answered', async () => {
  const waiting: ServerResponse[] = []
  const url = await serve((request, response) => {
    if (request.url === '/canary') return void response.end()
    request.on('data', () => {})
    request.on('end', () => waiting.push(response))
  })
  const wire = Wire.open(url)
  void wire.send(message('POST /').repeat(9) + message('POST /', { 'Content-Length': '3' }))
  while (waiting.length < 9) await ask(url, message('GET /canary'))
  void wire.send('abc')
  for (const response of waiting.splice(0)) response.end()
  for (let reply = 0; reply < 9; reply++) expect((await wire.reply()).status).toBe(200)
  while (waiting.length < 1) await ask(url, message('GET /canary'))
  waiting[0]?.end()
  expect((await wire.reply()).status).toBe(200)
  wire.destroy()
})

test('a client that leaves while its connection is held is noticed, and no more of its requests start', async () => {
  const sockets = new Set<Socket>()
  let started = 0
  const url = await serve((request, response) => {
    if (request.url === '/canary') return void response.end()
    started += 1
    sockets.add(request.socket)
  })
  const wire = Wire.open(url)
  await wire.send(message('GET /').repeat(500))
  while (started < 10) await ask(url, message('GET /canary'))
  const [socket] = [...sockets] as [Socket]
  const closed = new Promise((resolve) => socket.once('close', resolve))
  wire.destroy()
  await closed
  expect([started, sockets.size]).toEqual([10, 1])
})

test('a client that ends its side gets its answers, and the wait for it has a limit', async () => {
  const waiting: ServerResponse[] = []
  const ended: Promise<unknown>[] = []
  const url = await serve((request, response) => {
    waiting.push(response)
    ended.push(new Promise((resolve) => request.socket.once('end', resolve)))
  })
  const good = Wire.open(url)
  await good.send(message('GET /').repeat(2))
  good.end()
  while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve))
  await Promise.all(ended)
  for (const response of waiting) response.end('late')
  expect([(await good.reply()).body, (await good.reply()).body]).toEqual(['late', 'late'])
  await good.closed()
  const left = Wire.open(url)
  await left.send(message('GET /'))
  left.end()
  await left.closed()
  expect(waiting).toHaveLength(3)
})

test('an idle connection after its time still answers a client that counts later, and then ends', async () => {
  const sockets: Socket[] = []
  const url = await serve(({ socket }, response) => {
    sockets.push(socket)
    response.end('answer')
  })
  const server = servers.at(-1) as Server
  const wire = Wire.open(url)
  const ask = async () => {
    await wire.send(message('GET /'))
    return (await wire.reply()).body
  }
  await ask()
  for (let n = 0; n < 2; n++) {
    server.emit('timeout', sockets[0])
    expect(await ask()).toBe('answer')
  }
  server.emit('timeout', sockets[0])
  server.emit('timeout', sockets[0])
  await wire.closed()
})

test('a client that writes on and reads nothing for long gets its answers when it reads', async () => {
  const pace = createPace(10, 1)
  const long = 'x'.repeat(16 * 2 ** 20)
  const server = createServer((request, response) => {
    pace(request, response, () => response.end(request.url === '/long' ? long : 'short'))
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const wire = Wire.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  wire.pause()
  const count = 1000
  void wire.send(message('GET /long') + message('GET /', { Padding: 'y'.repeat(8000) }).repeat(count))
  // The connection is checked more often than it may be read without an answer.
  for (let look = 0; look < 100; look++) await new Promise((resolve) => setTimeout(resolve, 1))
  wire.resume()
  expect((await wire.reply()).body).toHaveLength(long.length)
  for (let reply = 0; reply < count; reply++) expect((await wire.reply()).body).toBe('short')
  wire.destroy()
})

test.each([
  ['are not a request', 'x'],
  ['are empty lines', '\r\n']
])('a client that sends bytes without end that %s, while its answer is sent, is dropped', async (_, text) => {
  const pace = createPace(10, 1)
  const server = createServer((request, response) => pace(request, response, () => response.write('event')))
  // The door refuses invalid bytes once, after the answer.
  server.on('clientError', () => {}).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const wire = Wire.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await wire.send(message('GET /'))
  await wire.text('event')
  const chunk = text.repeat(2 ** 20)
  const most = 1000
  let count = 0
  while (count < most && (await wire.send(chunk))) count += 1
  expect(count).toBeLessThan(most)
  await wire.closed()
})

test('a slow answer is delivered, however much follows a refusal behind it in the pipeline', async () => {
  const pace = createPace(10, 1)
  let held: ServerResponse | undefined
  const server = createServer((request, response) => {
    if (isGivenUp(request.socket)) return ignoreRequest(request)
    pace(request, response, () => {
      if (request.url === '/held') held = response
      else {
        giveUp(request.socket)
        response.writeHead(400, { Connection: 'close', 'Content-Length': 7 }).end('refused')
      }
    })
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const wire = Wire.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  void wire.send(message('GET /held') + message('POST /refused', {}, 'x'))
  await wire.send(message('POST /more', {}, 'y'.repeat(2 ** 20)).repeat(4))
  // The connection is checked often enough to see that it has sent too much.
  for (let look = 0; look < 100; look++) await new Promise((resolve) => setTimeout(resolve, 1))
  held?.end('late')
  expect([(await wire.reply()).body, (await wire.reply()).body]).toEqual(['late', 'refused'])
  wire.destroy()
})
