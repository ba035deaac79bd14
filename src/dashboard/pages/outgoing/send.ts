import { base, call, Gone } from '../client.js'
import { latestExchange } from '../live.js'
import { exchangeHref, go, route } from '../route.js'
import { headersOf, type Outgoing } from './outgoing.js'

/** The answer. The status is 0 if a fault broke the connection. */
export interface ReceivedAnswer {
  status: number
  /** The id of the new exchange. */
  id: string | undefined
  headers: Headers
  text: string
  /** Milliseconds, as the page saw it. */
  took: number
}

/** Sends a request to the mock. Rejects with Gone if the mock does not answer at all. */
export async function sendRequest(outgoing: Outgoing, sandbox: string): Promise<ReceivedAnswer> {
  const { method, url, user } = outgoing
  const latest = sandbox === route.peek().sandbox ? latestExchange() : 0
  const begun = performance.now()
  // Cookies of the browser may name another sandbox, or a user although none is wanted.
  const headers = { ...headersOf(outgoing, sandbox), 'x-mock-sandbox': sandbox }
  const credentials = user === null ? 'omit' : 'same-origin'
  const sent: RequestInit = { method, headers, credentials, redirect: 'manual', cache: 'no-store' }
  const body = bodyOf(outgoing)
  if (body !== undefined && !['GET', 'HEAD'].includes(method)) sent.body = body
  try {
    const response = await fetch(base + url, sent)
    const text = await response.text()
    const { status, headers } = response
    const id = headers.get('x-mock-request-id') ?? (await newestOf(outgoing, sandbox, latest))?.id
    return { status, id, headers, text, took: performance.now() - begun }
  } catch {
    const took = performance.now() - begun
    const cut = await newestOf(outgoing, sandbox, latest)
    if (!cut) throw new Gone()
    return { status: 0, id: cut.id, headers: new Headers(), text: '', took }
  }
}

/** Sends a request, and goes to its exchange. Resolves to a text about the answer. */
export async function resend(outgoing: Outgoing, how: string): Promise<string> {
  const { status, id } = await sendRequest(outgoing, route.peek().sandbox)
  if (id !== undefined) go(exchangeHref(id))
  return `Sent ${how}: ${status}.`
}

function bodyOf({ body }: Outgoing): string | FormData | undefined {
  if (!body || 'text' in body) return body?.text
  const form = new FormData()
  for (const part of body.form) {
    if ('file' in part) form.append(part.name, part.file, part.file.name)
    else form.append(part.name, 'text' in part ? part.text : '')
  }
  return form
}

/** The latest exchange of a request whose answer names none. */
async function newestOf({ method }: Outgoing, sandbox: string, since: number) {
  const { requests } = await call('listRequests', { query: { since: `r${since}`, limit: 20 } }, sandbox)
  return requests.find((it) => it.method === method)
}
