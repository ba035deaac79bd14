// Mock Service Worker asks the mock: `knowledge-chat-mock/msw`.
import { type HttpHandler, HttpResponse, http } from 'msw'

/** A mock, or what else answers requests. */
export interface Answering {
  fetch(input: Request): Promise<Response>
}

/** For MSW's `setupServer` and `setupWorker`: the mock answers all that goes to the origin, such as `http://localhost:4010`. */
export function handlers(mock: Answering, { origin }: { origin: string }): HttpHandler[] {
  if (!URL.canParse(origin) || new URL(origin).origin === 'null') {
    throw new Error(`origin is "${origin}": give one with its scheme, such as http://localhost:4010.`)
  }
  // Where the connection breaks, fetch is to reject.
  return [
    http.all(`${new URL(origin).origin}/*`, ({ request }) => mock.fetch(request).catch(() => HttpResponse.error()))
  ]
}
