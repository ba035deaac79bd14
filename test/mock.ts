import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServerOptions } from '../src/doors/options/table.js'
import { type OpenServer, startMock } from '../src/doors/program/server.js'
import type { Sandbox } from '../src/mock/sandbox/sandbox.js'

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
  readonly sandbox: Sandbox
  /** Another one by its name. */
  sandboxNamed(name: string): Sandbox
  /** What programs get of a sandbox. */
  handle: OpenServer['sandbox']
}

/** When the tests take place. The clock stands still there. */
export const testNow = '2026-03-02T10:00:00.000Z'

/** The door that `call` goes through: `npm run test:doors` runs the same tests through the others. */
const door = process.env.KCM_DOOR ?? 'listener'

const running: OpenServer[] = []
const servers: Server[] = []
afterAll(async () => {
  for (const server of servers) server.closeAllConnections()
  await Promise.all([
    ...running.map((mock) => mock.close()),
    ...servers.map((server) => new Promise((resolve) => server.close(resolve)))
  ])
})

/** What sends requests through the door that is tried. */
async function doorOf(mock: OpenServer): Promise<Send> {
  switch (door) {
    case 'listener':
      return (path, init) => fetch(mock.url + path, init)
    case 'fetch':
      return (path, init) => mock.fetch(new Request(mock.url + path, init))
    case 'express': {
      const server = createServer(mock.app).listen(0, '127.0.0.1')
      servers.push(server)
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      return (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init)
    }
    default:
      throw new Error(`KCM_DOOR is ${door}: give listener, fetch or express.`)
  }
}

type Send = (path: string, init: RequestInit) => Promise<Response>

/** A mock on a free port, closed after the tests of the file. A reply that breaks its contract is a 500. */
export async function startTestMock(options: ServerOptions = {}): Promise<TestMock> {
  const mock = await startMock({ port: 0, now: testNow, strict: true, ...options })
  running.push(mock)
  const send = await doorOf(mock)
  const more: Omit<TestMock, keyof Omit<OpenServer, 'sandbox'>> = {
    get sandbox() {
      return mock.sandboxes.use('default')
    },
    handle: mock.sandbox,
    sandboxNamed: (name) => mock.sandboxes.use(name),
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
  const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : undefined, text }
}
