import type { Response as Received } from 'supertest'
import type { ServerOptions } from '../src/doors/options/table.js'
import { type OpenServer, startMock } from '../src/doors/program/server.js'
import type { TestSandbox } from './stores.js'

export interface CallOptions {
  /** A user's key, or null for no token. Default admin. */
  as?: string | null
  /** Sent as JSON. */
  body?: unknown
  form?: FormData
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
  text: string
}

export interface TestMock extends Omit<OpenServer, 'sandbox'> {
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** The default sandbox, live. */
  readonly sandbox: TestSandbox
  /** Another one by its name. */
  sandboxNamed(name: string): TestSandbox
  /** The handle of a sandbox for programs. */
  handle: OpenServer['sandbox']
}

/** When the tests take place. The clock is stopped there. */
export const testNow = '2026-03-02T10:00:00.000Z'

/**
 * The door of the mocks that tests start. `npm run test:doors` runs the same tests through the others: with `express`, the
 * port leads to the router too, and `call` is supertest on the app.
 */
const door = process.env.TEST_DOOR ?? 'direct'
if (!['direct', 'express', 'fetch'].includes(door)) {
  throw new Error(`TEST_DOOR is ${door}: give direct, express or fetch.`)
}

const running: OpenServer[] = []
afterAll(() => Promise.all(running.map((mock) => mock.close())))

/** Sends requests through the door under test. */
function doorOf(mock: OpenServer): Send {
  if (door === 'fetch') return (path, init) => mock.fetch(new Request(mock.url + path, init))
  if (door === 'express') return (path, init) => bySupertest(mock, path, init)
  return (path, init) => fetch(mock.url + path, init)
}

async function bySupertest({ app }: OpenServer, path: string, { method = 'GET', headers, body }: RequestInit) {
  const { default: supertest } = await import('supertest')
  const sent = supertest(app)
    [method.toLowerCase() as 'get'](path)
    .set(headers as Record<string, string>)
    .redirects(0)
    .buffer(true)
    .parse(bytesOf)
  if (body instanceof FormData) {
    const form = new Response(body)
    sent.set('Content-Type', form.headers.get('content-type') as string).send(Buffer.from(await form.arrayBuffer()))
  } else if (typeof body === 'string') sent.send(body)
  const { status, headers: received, body: bytes } = await sent
  const pairs = Object.entries(received as Record<string, string | string[]>).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value])
  )
  // Without a body, superagent does not call the parser.
  return new Response(Buffer.isBuffer(bytes) && ![204, 304].includes(status) ? new Uint8Array(bytes) : null, {
    status,
    headers: pairs
  })
}

function bytesOf(response: Received, done: (error: Error | null, bytes: Buffer) => void): void {
  const chunks: Buffer[] = []
  response.on('data', (chunk: Buffer) => chunks.push(chunk))
  response.on('end', () => done(null, Buffer.concat(chunks)))
}

type Send = (path: string, init: RequestInit) => Promise<Response>

/** A mock on a free port, closed after the tests of the file. A reply that breaks its contract is a 500. */
export async function startTestMock(options: ServerOptions = {}): Promise<TestMock> {
  const through = door === 'express' ? { door } : {}
  const mock = await startMock({ port: 0, now: testNow, strict: true, ...through, ...options } as ServerOptions)
  running.push(mock)
  const send = doorOf(mock)
  const more: Omit<TestMock, keyof Omit<OpenServer, 'sandbox'>> = {
    get sandbox() {
      return mock.sandboxes.use('default') as TestSandbox
    },
    handle: mock.sandbox,
    sandboxNamed: (name) => mock.sandboxes.use(name) as TestSandbox,
    call: (method, path, callOptions) => callThrough(send, method, path, callOptions)
  }
  // Not `{ ...mock }`, which would ask for the Express app and so load Express.
  return Object.setPrototypeOf(more, mock)
}

/** The body of a 422 for a value that cannot be used. In chat its item has more. */
export function invalidAt(loc: (string | number)[], text: string, more: object = {}): object {
  return { detail: [{ type: 'value_error', loc, msg: `Value error, ${text}`, ...more }] }
}

export function call(base: string, method: string, path: string, options?: CallOptions): Promise<Answer> {
  return callThrough((at, init) => fetch(base + at, init), method, path, options)
}

async function callThrough(send: Send, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { as = 'admin', body, form, headers = {} } = options
  if (as !== null) headers.Authorization = `Bearer ${as}`
  if (body !== undefined) headers['Content-Type'] ??= 'application/json'
  const response = await send(path, {
    method,
    headers,
    body: form ?? (body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)),
    redirect: 'manual'
  })
  const text = await response.text()
  const isJson =
    /^application\/([\w.-]+\+)?json\b(?!-seq)/.test(response.headers.get('content-type') ?? '') && text !== ''
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : undefined, text }
}
