import { mockTable } from '../../src/doors/options/mock-table.js'
import { settle } from '../../src/doors/options/option.js'
import { UploadBudget } from '../../src/engine/serve/body/limits.js'
import { ask, message, Wire } from '../doors/listener/wire.js'
import { startTestMock, type TestMock } from '../mock.js'

const mebibyte = 2 ** 20
const most = 4 * mebibyte
const mock = await startTestMock({ maxUploadBytes: most })

const upload = 'POST /api/manage/admin/connector/file/upload'
const instruct = 'POST /api/user/projects/1/instructions'
const json = { 'Content-Type': 'application/json' }
const form = { 'Content-Type': 'multipart/form-data; boundary=X' }
const chunked = { 'Transfer-Encoding': 'chunked' }
const fileHead = '--X\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n'
const fileEnd = '\r\n--X--\r\n'
const full = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: {
    detail: `All uploads in progress may have ${most} bytes in total (--max-upload-bytes), and there is no room for this one. Try again when others have finished.`
  }
}

const wires: Wire[] = []
afterEach(() => {
  for (const wire of wires.splice(0)) wire.destroy()
})

function open(to = mock): Wire {
  const wire = Wire.open(to.url)
  wires.push(wire)
  return wire
}

const inChunks = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

/** An upload that stops in the middle of its file, after this many bytes. */
async function hold(bytes: number, to: TestMock = mock, headers: Record<string, string> = chunked): Promise<Wire> {
  const wire = open(to)
  const part = `${fileHead}${'x'.repeat(bytes)}`
  const isChunked = 'Transfer-Encoding' in headers
  void wire.send(message(upload, { ...form, ...headers }))
  void wire.send(isChunked ? inChunks(part) : part)
  return wire
}

/** Resolves when this many bytes are in use; others are answered meanwhile. */
async function held(count: (bytes: number) => boolean, to: TestMock = mock): Promise<void> {
  while (!count(to.uploads.held)) await ask(to.url, message('GET /api/get-user-role'))
}

const isEmpty = (bytes: number) => bytes === 0

test('uploads in progress may use only the limit together: one more is refused, and one that ends makes room', async () => {
  const three = await Promise.all([hold(mebibyte), hold(mebibyte), hold(mebibyte)])
  await held((bytes) => bytes >= 3 * mebibyte)
  const fourth = await hold(mebibyte)
  expect(await fourth.reply()).toMatchObject(full)
  await held((bytes) => bytes >= 3 * mebibyte && bytes < most)
  const [first] = three
  void first?.send(`${inChunks(fileEnd)}0\r\n\r\n`)
  expect((await first?.reply())?.status).toBe(200)
  const again = await hold(mebibyte)
  void again.send(`${inChunks(fileEnd)}0\r\n\r\n`)
  expect((await again.reply()).status).toBe(200)
  for (const wire of three) wire.destroy()
  await held(isEmpty)
})

test('uploads in progress are refused by their declared length, before they arrive', async () => {
  const wire = await hold(3 * mebibyte, mock, chunked)
  await held((bytes) => bytes >= 3 * mebibyte)
  const early = open()
  void early.send(message(upload, { ...form, 'Content-Length': String(2 * mebibyte) }))
  expect(await early.reply()).toMatchObject(full)
  const body = open()
  void body.send(message(instruct, { ...json, 'Content-Length': String(2 * mebibyte) }))
  expect(await body.reply()).toMatchObject(full)
  wire.destroy()
  await held(isEmpty)
})

test('uploads in progress include JSON, also for the control API', async () => {
  const wire = open()
  void wire.send(message(instruct, { ...json, ...chunked }))
  void wire.send(inChunks(`{"instructions": "${'x'.repeat(3.5 * mebibyte)}`))
  await held((bytes) => bytes >= 3.5 * mebibyte)
  const state = message('PUT /__mock/state', json, `{"users": "${'x'.repeat(mebibyte)}"}`)
  expect(await ask(mock.url, state)).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1', 'content-type': 'application/problem+json' },
    body: { detail: full.body.detail }
  })
  void wire.send(`${inChunks('"}')}0\r\n\r\n`)
  expect((await wire.reply()).status).toBe(200)
  await held(isEmpty)
})

test('uploads in progress free their room when they are refused, break off, or are not forms', async () => {
  const whole = `${fileHead}${'x'.repeat(mebibyte)}${fileEnd}`
  const endings: [status: number, start: string, headers: Record<string, string>, body: string][] = [
    [200, upload, form, whole],
    [422, upload, form, whole.slice(0, -20)],
    [401, upload, { ...form, Authorization: 'Bearer nobody' }, whole],
    [415, upload, { ...form, 'Content-Encoding': 'gzip' }, whole],
    [422, instruct, json, `"${'x'.repeat(mebibyte)}`],
    [413, instruct, json, `[${'1,'.repeat(30_000)}1]`],
    [422, instruct, json, `["${'x'.repeat(mebibyte)}"]`],
    [404, `${instruct.replace('1', '4711')}`, json, `{"instructions": "${'x'.repeat(mebibyte)}"}`],
    [400, instruct, { ...json, Prefer: 'code=503' }, '{}'],
    [200, `${instruct}?__code=200`, json, `{"instructions": "${'x'.repeat(mebibyte)}"}`]
  ]
  for (const [status, start, headers, body] of endings) {
    const { status: got } = await ask(mock.url, message(start, headers, body))
    expect([start, headers, got]).toEqual([start, headers, status])
  }
  for (const fault of ['CONNECTION_RESET_BY_PEER', 'EMPTY_RESPONSE', 'MALFORMED_RESPONSE_CHUNK']) {
    const wire = open()
    await wire.send(message(upload, { ...form, Prefer: `fault=${fault}` }, whole))
    await wire.closed()
  }
  const delayed = open()
  await delayed.send(message(instruct, { ...json, Prefer: 'delay=3600000' }, `{"instructions": "${'x'.repeat(2e6)}"}`))
  await held((bytes) => bytes > 2e6)
  delayed.destroy()
  await held(isEmpty)
})

test('uploads in progress larger than the total limit are refused for good', async () => {
  const detail = `The body is larger than the ${most} bytes that all uploads together may hold (--max-upload-bytes).`
  const wire = open()
  void wire.send(message(upload, { ...form, 'Content-Length': String(most + 1) }))
  expect(await wire.reply()).toMatchObject({ status: 413, body: { detail } })
  const lie = await hold(most)
  expect(await lie.reply()).toMatchObject({ status: 413, body: { detail } })
  await held(isEmpty)
})

test('uploads in progress that wait in a pipeline free their room when the connection closes', async () => {
  const wire = open()
  const slow = message('GET /api/get-user-role', { Prefer: 'delay=3600000' })
  await wire.send(slow + message(instruct, json, `{"instructions": "${'x'.repeat(mebibyte)}"}`))
  await held((bytes) => bytes > mebibyte)
  wire.destroy()
  await held(isEmpty)
})

test('over the limit are refused with the time to wait', async () => {
  const limit = 640 * 1024
  const narrow = await startTestMock({ public: true, rateLimit: 0, maxUploadBytes: limit, maxSandboxes: 10_000 })
  const all = await Promise.all(Array.from({ length: 280 }, () => hold(49_000, narrow, { 'Content-Length': '50000' })))
  const statuses: number[] = []
  for (const wire of all)
    void wire.reply().then(
      ({ status }) => statuses.push(status),
      () => {}
    )
  while (statuses.length < 280 - 13) await ask(narrow.url, message('GET /api/get-user-role'))
  expect([new Set(statuses), narrow.uploads.held <= limit]).toEqual([new Set([503]), true])
  for (const wire of all) wire.destroy()
  await held(isEmpty, narrow)
})

test('are limited more strictly in a public mock by default', () => {
  expect(settle(mockTable, { public: true }).maxUploadBytes).toBe(64 * mebibyte)
  expect(settle(mockTable, { public: true, maxUploadBytes: 1 }).maxUploadBytes).toBe(1)
})

test('are counted completely once they are not small, and freed once', () => {
  const budget = new UploadBudget(10_000)
  const share = budget.open({ whenOver: () => () => {} })
  expect([share.take(1000), budget.held]).toEqual([undefined, 0])
  expect([share.take(6000), share.take(5000) !== undefined, budget.held]).toEqual([undefined, true, 7000])
  share.release()
  share.release()
  expect(budget.held).toBe(0)
})
