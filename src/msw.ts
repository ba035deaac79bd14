// Answers for Mock Service Worker: `knowledge-chat-mock/msw`.
import { type HttpHandler, HttpResponse, http } from 'msw'

/** A mock, or anything else that answers requests. */
export interface Answering {
  fetch(input: Request): Promise<Response>
}

export interface HandlersOptions {
  /** The origin of requests that the mock answers, such as `http://localhost:4010`. */
  origin: string
  /** The paths that it answers, such as `/api/*`. Default: all. A page of the same origin needs its own files. */
  paths?: readonly string[]
}

/** For MSW's `setupServer` and `setupWorker`: the mock answers all requests to the origin. */
export function handlers(mock: Answering, { origin, paths = ['/*'] }: HandlersOptions): HttpHandler[] {
  if (typeof mock?.fetch !== 'function') throw new Error('handlers needs a mock, such as createMock() gives.')
  if (origin === undefined || !URL.canParse(origin) || new URL(origin).origin === 'null') {
    throw new Error(`origin is "${origin}": give one with its scheme, such as http://localhost:4010.`)
  }
  const wrong = paths.find((path) => !path.startsWith('/'))
  if (wrong !== undefined) throw new Error(`paths has "${wrong}": give paths that begin with a slash, such as /api/*.`)
  // If the connection breaks, fetch must reject.
  return paths.map((path) =>
    http.all(new URL(origin).origin + path, ({ request }) => mock.fetch(request).catch(() => HttpResponse.error()))
  )
}
