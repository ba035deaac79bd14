import { token } from '../engine.js'

export interface Answer {
  status: number
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  body: any
  request: string | null
}

export interface Sent {
  method: string
  path: string
  /** A user's key. */
  as?: string
  body?: string | FormData
  headers?: Record<string, string>
}

/** Sends a request once. Undefined: no answer. */
export async function send(url: string, sandbox: string, sent: Sent): Promise<Answer | undefined> {
  try {
    const request = new Request(url + sent.path, requestOf(sandbox, sent))
    const response = await fetch(request, { signal: AbortSignal.timeout(20_000) })
    const text = await response.text()
    const { status, headers } = response
    return { status, text, body: parsed(text), request: headers.get('x-mock-request-id') }
  } catch {
    return undefined
  }
}

export function requestOf(sandbox: string, { method, as = 'admin', body, headers }: Sent): RequestInit {
  const own = { authorization: `Bearer ${as}~${sandbox}`, 'x-mock-control-token': token }
  return { method, headers: { ...headers, ...own }, ...(body !== undefined && { body }) }
}

export function json(method: string, path: string, body?: object): Sent {
  if (body === undefined) return { method, path }
  return { method, path, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

/** Whether a request was certainly not done. */
export function isRefused(answer: Answer | undefined): boolean {
  return answer?.status === 507 || (answer?.status === 503 && /was not done/.test(answer.text))
}

/** Whether it is not known if a request was done. */
export function isUnknown(answer: Answer | undefined): boolean {
  return answer === undefined || ((answer.status === 502 || answer.status === 503) && !isRefused(answer))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
