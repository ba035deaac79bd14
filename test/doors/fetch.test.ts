import { createMock } from '../../src/doors/program/mock.js'
import { testNow } from '../mock.js'

const mock = createMock({ now: testNow, strict: true })
const admin = { Authorization: 'Bearer admin' }
const json = { ...admin, 'Content-Type': 'application/json' }
const create = 'http://any.example/api/chat/create-chat-session'

afterAll(() => mock.close())

/** A body from a stream; node's fetch needs `duplex` for it. */
function streaming(
  source: NonNullable<ConstructorParameters<typeof ReadableStream<Uint8Array>>[0]>,
  headers: Record<string, string> = json
): RequestInit {
  return { method: 'POST', headers, body: new ReadableStream(source), duplex: 'half' } as RequestInit
}

test('accepts an address instead of a request, and answers with a status text', async () => {
  const answer = await mock.fetch('http://any.example/api/get-user-role', { headers: admin })
  expect([answer.status, answer.statusText, await answer.json()]).toEqual([200, 'OK', { role: 'admin' }])
})

test('answers with the address of the request, as fetch does, without its fragment', async () => {
  const { url } = await mock.fetch('http://any.example/api/persona/1?x=1#top', { headers: admin })
  expect(url).toBe('http://any.example/api/persona/1?x=1')
})

test('uses the class Request of the moment, which tools such as MSW replace for a while', async () => {
  const { Request } = globalThis
  let made = 0
  const construct = (target: typeof Request, given: unknown[]) => {
    made += 1
    return Reflect.construct(target, given)
  }
  globalThis.Request = new Proxy(Request, { construct })
  try {
    await mock.fetch('http://mock/api/get-user-role')
  } finally {
    globalThis.Request = Request
  }
  expect(made).toBe(1)
  expect(
    (await mock.fetch('http://mock/api/get-user-role', { headers: { Authorization: 'Bearer admin' } })).status
  ).toBe(200)
  expect(made).toBe(1)
})

test('reads a body of bytes', async () => {
  const made = await mock.fetch(create, { method: 'POST', headers: json, body: Buffer.from('{"description":"bytes"}') })
  expect(made.status).toBe(200)
})

test('refuses a body without an end, cancels it, and delays nothing else', async () => {
  let pulls = 0
  let isCancelled = false
  const endless = streaming({
    pull(controller) {
      pulls += 1
      controller.enqueue(new Uint8Array(65_536))
    },
    cancel() {
      isCancelled = true
    }
  })
  const timer = new Promise((resolve) => setTimeout(resolve, 1))
  expect((await mock.fetch(create, endless)).status).toBe(413)
  await timer
  const before = pulls
  await new Promise((resolve) => setImmediate(resolve))
  expect([isCancelled, pulls - before]).toEqual([true, 0])
})

test('cancels a body that it does not need', async () => {
  let isCancelled = false
  const open = streaming({
    cancel() {
      isCancelled = true
    }
  })
  expect((await mock.fetch('http://any.example/nothing', open)).status).toBe(404)
  expect(isCancelled).toBe(true)
})

test('reads a small body that it does not need to its end, because servers close a connection with an unread body', async () => {
  const left = ['{"description":', '"in vain"}']
  const events: string[] = []
  const sent = streaming(
    {
      pull(controller) {
        const next = left.shift()
        if (next) controller.enqueue(new TextEncoder().encode(next))
        else controller.close()
        events.push(next ? 'read' : 'end')
      },
      cancel: () => void events.push('cancelled')
    },
    { ...json, 'Content-Length': '25' }
  )
  const { status } = await mock.fetch('http://any.example/nothing', sent)
  expect([status, events]).toEqual([404, ['read', 'read', 'end']])
})

test('rejects with the error of a body that fails, and changes nothing', async () => {
  const disk = new Error('disk')
  const broken = streaming({
    pull: (controller) => controller.error(disk)
  })
  const before = mock.sandboxes.use('default').rows.chatSessions?.size
  await expect(mock.fetch(create, broken)).rejects.toMatchObject({ name: 'TypeError', cause: disk })
  expect(mock.sandboxes.use('default').rows.chatSessions?.size).toBe(before)
})

test('rejects a request whose body was already read', async () => {
  const used = new Request(create, { method: 'POST', headers: json, body: '{}' })
  await used.text()
  await expect(mock.fetch(used)).rejects.toThrow(TypeError)
})

test('reports the missing fields of a form without a body, as over a port', async () => {
  const headers = { ...admin, 'Content-Type': 'multipart/form-data; boundary=x' }
  const upload = 'http://any.example/api/manage/admin/connector/file/upload'
  expect((await mock.fetch(upload, { method: 'POST', headers })).status).toBe(422)
})

test('rejects with the reason of an abort: before the request, while it waits, and in the stream of events', async () => {
  const why = new Error('enough')
  const role = 'http://any.example/api/get-user-role'
  await expect(mock.fetch(role, { signal: AbortSignal.abort(why) })).rejects.toBe(why)
  const waiting = new AbortController()
  const late = mock.fetch(role, { headers: { ...admin, Prefer: 'delay=600000' }, signal: waiting.signal })
  setImmediate(() => waiting.abort(why))
  await expect(late).rejects.toBe(why)
  const watching = new AbortController()
  const events = await mock.fetch('http://any.example/__mock/events', { signal: watching.signal })
  const reader = (events.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  watching.abort(why)
  await expect(reader.read()).rejects.toBe(why)
})

test('a closed mock rejects every request, also one that is waiting', async () => {
  const closing = createMock({ now: testNow })
  const waiting = closing.fetch('http://x/api/get-user-role', { headers: { ...admin, Prefer: 'delay=600000' } })
  const rejection = expect(waiting).rejects.toThrow(TypeError)
  await new Promise((resolve) => setImmediate(resolve))
  await closing.close()
  await rejection
  await expect(closing.fetch('http://x/api/get-user-role', { headers: admin })).rejects.toMatchObject({
    cause: new Error('The mock is closed.')
  })
})
