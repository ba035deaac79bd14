import type { Sandbox } from '../src/mock/sandbox.js'
import type { ServerOptions } from '../src/options/table.js'
import { type OpenServer, startMock } from '../src/server.js'

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

const running: OpenServer[] = []
afterAll(async () => {
  await Promise.all(running.map((mock) => mock.close()))
})

/** A mock on a free port, closed after the tests of the file. A reply that breaks its contract is a 500. */
export async function startTestMock(options: ServerOptions = {}): Promise<TestMock> {
  const mock = await startMock({ port: 0, now: testNow, strict: true, ...options })
  running.push(mock)
  return {
    ...mock,
    get sandbox() {
      return mock.sandboxes.use('default')
    },
    handle: mock.sandbox,
    sandboxNamed: (name) => mock.sandboxes.use(name),
    call: (method, path, callOptions) => call(mock.url, method, path, callOptions)
  }
}

export async function call(base: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { as = 'admin', body, form, headers = {} } = options
  if (as !== null) headers.Authorization = `Bearer ${as}`
  if (body !== undefined) headers['Content-Type'] ??= 'application/json'
  const response = await fetch(base + path, {
    method,
    headers,
    body: form ?? (body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)),
    redirect: 'manual'
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : undefined, text }
}
