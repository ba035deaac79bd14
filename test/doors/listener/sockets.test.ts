import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { whenOver } from '../../../src/doors/listener/node-request.js'
import { lingerLimits } from '../../../src/doors/listener/pace.js'
import { startTestMock } from '../../mock.js'
import { restored } from '../../restored.js'
import { unchanged } from '../../serve/unchanged.js'
import { ask, message, Wire } from './wire.js'

restored(lingerLimits)
const longWait = lingerLimits.milliseconds
beforeEach(() => {
  lingerLimits.milliseconds = 1000
})
const mock = await startTestMock()
const tight = await startTestMock({ assume: { 'limits.upload': 'files:2,total:1,json:1,entries:10,unpacked:1' } })

const role = '/api/get-user-role'
const asAdmin = { status: 200, body: { role: 'admin' } }
const instruct = 'POST /api/user/projects/1/instructions'
const upload = 'POST /api/manage/admin/connector/file/upload'
const json = { 'Content-Type': 'application/json' }
const chunked = { ...json, 'Transfer-Encoding': 'chunked' }
const form = { 'Content-Type': 'multipart/form-data; boundary=X' }
const file = '--X\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nsome text'

function instructions(): string | null | undefined {
  return mock.sandbox.rows.projects.get(1)?.instructions
}

/** A second client is answered at once, whatever the first one does. */
async function answersOthers(): Promise<void> {
  expect(await ask(mock.url, message(`GET ${role}`))).toMatchObject(asAdmin)
}

const half = '{"instructions": "half'
test.each([
  ['in the request line', 'POST /api/us'],
  ['in a header', `${instruct} HTTP/1.1\r\nHost: local`],
  ['before the body', message(instruct, { ...json, 'Content-Length': '500' })],
  ['in a JSON body', message(instruct, { ...json, 'Content-Length': '500' }, half)],
  ['in a chunk', message(instruct, chunked, `100\r\n${half}`)],
  ['between chunks', message(instruct, chunked, `5\r\n${half.slice(0, 5)}\r\n`)],
  ['before a form', message(upload, { ...form, 'Content-Length': '5000' })],
  ['in the head of a part', message(upload, { ...form, 'Content-Length': '5000' }, file.slice(0, 40))],
  ['in a file', message(upload, { ...form, 'Content-Length': '5000' }, file)],
  ['after the last boundary', message(upload, { ...form, 'Content-Length': '5000' }, `${file}\r\n--X--`)]
])('a client that leaves: %s changes nothing', async (_, text) => {
  await unchanged(mock, async () => {
    const broken = Wire.open(mock.url)
    await broken.send(text)
    await answersOthers()
    broken.destroy()
    await broken.closed()
    const ended = Wire.open(mock.url)
    await ended.send(text)
    ended.end()
    await ended.closed()
    await answersOthers()
  })
})

test('a client that leaves before its answer does no harm', async () => {
  for (let count = 0; count < 20; count++) {
    const wire = Wire.open(mock.url)
    await wire.send(message(instruct, json, JSON.stringify({ instructions: `left ${count}` })))
    wire.destroy()
    await wire.closed()
  }
  await answersOthers()
})

const body = '{"instructions": "framed"}'

test.each([
  ['a length that is not a number', { ...json, 'Content-Length': 'ten' }],
  ['a negative length', { ...json, 'Content-Length': '-1' }],
  ['a length beyond counting', { ...json, 'Content-Length': '9'.repeat(30) }],
  ['two lengths', { ...json, 'Content-Length': '5', 'content-length': '26' }],
  ['a length and chunks', { ...chunked, 'Content-Length': '26' }],
  ['an unknown coding', { ...json, 'Transfer-Encoding': 'zip' }],
  ['a size of a chunk that is not a number', chunked, `zz\r\n${body}\r\n0\r\n\r\n`],
  ['more in a chunk than its size', chunked, `2\r\n${body}\r\n0\r\n\r\n`],
  ['a header without a colon', { ...json, 'X-A\r\nno colon here': 'x' }],
  ['a header with a space in its name', { ...json, 'X A': 'x' }]
])('framing with %s is refused', async (_, headers: Record<string, string | undefined>, text: string = body) => {
  await unchanged(mock, async () => {
    const wire = Wire.open(mock.url)
    void wire.send(message(instruct, headers, text))
    const reply = await wire.reply()
    expect(reply.status).toBe(400)
    expect(reply.headers.connection).toBe('close')
    await wire.closed()
  })
})

test.each([
  ['the bytes of another protocol', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3])],
  ['bytes other than HTTP', Buffer.from('hello\r\n\r\n')],
  ['HTTP/2', Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')]
])('framing of %s is refused', async (_, bytes) => {
  const reply = await unchanged(mock, () => ask(mock.url, bytes))
  expect([400, 505]).toContain(reply.status)
})

test('framing in chunks of any size, with extensions and trailers, gives one body', async () => {
  const chunks = [...body].map((character) => `1;a=b\r\n${character}\r\n`).join('')
  const reply = await ask(mock.url, message(instruct, chunked, `${chunks}0\r\nX-Trailer: x\r\n\r\n`))
  expect([reply.status, instructions()]).toEqual([200, 'framed'])
})

test('framing may arrive byte by byte while others are answered', async () => {
  const wire = Wire.open(mock.url)
  const text = message(instruct, json, '{"instructions": "slow"}')
  for (const byte of text.slice(0, -1)) await wire.send(byte)
  await answersOthers()
  expect(instructions()).not.toBe('slow')
  void wire.send(text.slice(-1))
  expect([(await wire.reply()).status, instructions()]).toEqual([200, 'slow'])
  wire.destroy()
})

test('framing sends 100 Continue when the client expects it', async () => {
  const wire = Wire.open(mock.url)
  const text = '{"instructions": "expected"}'
  const headers = { ...json, Expect: '100-continue', 'Content-Length': String(text.length) }
  void wire.send(message(instruct, headers))
  expect((await wire.reply()).status).toBe(100)
  void wire.send(text)
  expect([(await wire.reply()).status, instructions()]).toEqual([200, 'expected'])
  wire.destroy()
  expect((await ask(mock.url, message(instruct, { ...json, Expect: 'a miracle' }, text))).status).toBe(417)
})

test('framing does not follow a request for an upgrade', async () => {
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Key': 'x',
    'Sec-WebSocket-Version': '13'
  }
  expect(await ask(mock.url, message(`GET ${role}`, headers))).toMatchObject(asAdmin)
})

test('requests on one connection are answered in order, each with its own answer', async () => {
  const wire = Wire.open(mock.url)
  const bodies = Array.from({ length: 30 }, (_, at) => JSON.stringify({ instructions: `pipelined ${at}` }))
  const texts = bodies.flatMap((body, at) => [
    message(instruct, json, body),
    message(`GET /api/persona/${9000 + at}`),
    message(instruct, json, '{')
  ])
  void wire.send(texts.join(''))
  for (const [at, body] of bodies.entries()) {
    expect(await wire.reply()).toMatchObject({ status: 200, body: JSON.parse(body) })
    expect(await wire.reply()).toMatchObject({
      status: 404,
      body: { detail: `Persona with ID ${9000 + at} does not exist` }
    })
    expect(await wire.reply()).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 1] }] } })
  }
  expect(instructions()).toBe('pipelined 29')
  wire.destroy()
})

test('requests on one connection continue after a body that no operation reads', async () => {
  const wire = Wire.open(mock.url)
  const link = 'POST /api/user/projects/1/files/a87ff679-a2f3-471d-9181-a67b7542122c'
  void wire.send(
    message(link, json, '{"a":'.repeat(20_000)) + message(`GET ${role}`, json, '{}') + message(`GET ${role}`)
  )
  expect(await wire.reply()).toMatchObject({ status: 200, body: { project_id: 1 } })
  expect(await wire.reply()).toMatchObject(asAdmin)
  expect(await wire.reply()).toMatchObject(asAdmin)
  wire.destroy()
})

test.each([
  ['404', 'POST /api/unknown', {}],
  ['405', `POST ${role}`, {}],
  ['403', instruct, { Host: 'evil.example' }],
  ['404', 'DELETE /api/persona/4711', {}],
  ['415', instruct, { 'Content-Encoding': 'gzip' }],
  ['401', 'DELETE /api/persona/1', { Authorization: undefined }]
])(
  'requests on one connection end after a %s whose body was not read: nothing in or after it is read as a request',
  async (status, start, headers) => {
    await unchanged(mock, async () => {
      const wire = Wire.open(mock.url)
      const hidden = message('DELETE /api/persona/1')
      const body = `${hidden}${' '.repeat(100_000)}`
      void wire.send(message(start, { ...json, ...headers }, body) + hidden)
      const reply = await wire.reply()
      expect([reply.status, reply.headers.connection]).toEqual([Number(status), 'close'])
      await wire.closed()
    })
  }
)

test('requests on one connection end with a body over the limit, as soon as its length shows it, and when it has arrived', async () => {
  const detail = 'The body is larger than 1048576 bytes (limits.upload: json).'
  await unchanged(tight, async () => {
    const wire = Wire.open(tight.url)
    void wire.send(message(instruct, { ...json, 'Content-Length': '999999999999' }))
    const early = await wire.reply()
    expect([early.status, early.headers.connection, early.body]).toEqual([413, 'close', { detail }])
    wire.destroy()

    lingerLimits.milliseconds = 6 * longWait
    const late = Wire.open(tight.url)
    void late.send(message(instruct, chunked))
    const chunk = Buffer.from(`100000\r\n${' '.repeat(2 ** 20)}\r\n`)
    void late.send(chunk)
    void late.send(chunk)
    expect((await late.reply()).body).toEqual({ detail })
    // A client that writes to its end before it reads must not be cut off.
    for (let count = 0; count < 20; count++) expect(await late.send(chunk)).toBe(true)
    void late.send('0\r\n\r\n')
    await late.closed()
  })
})

test('requests on one connection with an endless body end when enough of it was read', async () => {
  await unchanged(tight, async () => {
    const wire = Wire.open(tight.url)
    void wire.send(message(instruct, chunked))
    const chunk = Buffer.from(`1000000\r\n${' '.repeat(2 ** 24)}\r\n`)
    let sent = 0
    while (await wire.send(chunk)) sent += 1
    await wire.closed()
    expect(sent * 16).toBeLessThan(512)
  })
})

test('many parts of the mock can wait for the end of one request: each is called once, and node warns of no leak', async () => {
  const calls: number[] = []
  const warnings: string[] = []
  const warn = ({ name }: Error) => warnings.push(name)
  process.on('warning', warn)
  const server = createServer((_, response) => {
    const stop = whenOver(response, () => calls.push(-1))
    for (let count = 0; count < 20; count++) whenOver(response, () => calls.push(count))
    stop()
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closed = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)))
  await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, message('GET /'))
  await closed
  server.close()
  process.off('warning', warn)
  expect([warnings, calls]).toEqual([[], Array.from({ length: 20 }, (_, count) => count)])
})

test('two hundred silent connections delay no other client', async () => {
  const idle = Array.from({ length: 200 }, () => Wire.open(mock.url))
  await Promise.all(idle.map((wire) => wire.send('GET')))
  await answersOthers()
  for (const wire of idle) wire.destroy()
})

test('a change by another request during the upload of a body is kept, and no body is stored in part', async () => {
  const [first, second] = [Wire.open(mock.url), Wire.open(mock.url)]
  const texts = ['first', 'second'].map((name) => message(instruct, json, `{"instructions": "${name}"}`))
  const [one, two] = texts as [string, string]
  await first.send(one.slice(0, -3))
  await second.send(two.slice(0, -3))
  void second.send(two.slice(-3))
  expect([(await second.reply()).status, instructions()]).toEqual([200, 'second'])
  void first.send(one.slice(-3))
  expect([(await first.reply()).status, instructions()]).toEqual([200, 'first'])
  for (const wire of [first, second]) wire.destroy()
})
