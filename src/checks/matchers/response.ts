import type { Received } from '../../contract/validation/conformance.js'

/** A response with what is known of the request that it answers. */
export interface Answered extends Received {
  method: string | undefined
  path: string | undefined
}

/** What fetch gives. */
type FetchResponse = Response

/** What supertest and superagent give. */
interface SuperagentResponse {
  status: number
  headers: Record<string, string>
  text?: string
  body: unknown
  req: { method: string; path: string }
}

/** A response in the words of any other client. `url` may be a whole address or a path. */
export interface PlainResponse {
  status: number
  method?: string
  url?: string
  path?: string
  /** Parsed; left out or undefined: none. */
  body?: unknown
  headers?: Record<string, string> | Headers
}

export type AnyResponse = FetchResponse | SuperagentResponse | PlainResponse

/** Reads a response of any client. One of fetch is read as a copy, so that it can still be read; hence the promise. */
export function readResponse(response: unknown): Answered | Promise<Answered> {
  if (isFetchResponse(response)) return readFetch(response)
  if (typeof response !== 'object' || response === null || typeof (response as PlainResponse).status !== 'number') {
    throw new Error('Give a response of fetch or supertest, or {operation | method and url, status, body}.')
  }
  return 'req' in response ? readSuperagent(response as SuperagentResponse) : readPlain(response as PlainResponse)
}

/** Not by its class: test environments bring their own. */
function isFetchResponse(response: unknown): response is FetchResponse {
  return typeof (response as FetchResponse)?.clone === 'function' && 'bodyUsed' in (response as FetchResponse)
}

async function readFetch(response: FetchResponse): Promise<Answered> {
  if (response.bodyUsed) {
    throw new Error(
      'The body of this response was read before. Check the response first, or give {method, url, status, body}.'
    )
  }
  const text = await response.clone().text()
  const { status, url, headers } = response
  return {
    status,
    method: undefined,
    path: pathOf(url),
    type: headers.get('content-type') ?? undefined,
    body: parsed(text)
  }
}

function readSuperagent({ status, headers, text, body, req }: SuperagentResponse): Answered {
  const { method, path } = req
  return {
    status,
    method,
    path: pathOf(path),
    type: headers['content-type'],
    body: text === undefined ? body : parsed(text)
  }
}

function readPlain({ status, method, url, path = url, body, headers = {} }: PlainResponse): Answered {
  const pairs = typeof headers.get === 'function' ? headers : Object.entries(headers)
  const [, type] =
    [...(pairs as Iterable<[string, string]>)].find(([name]) => name.toLowerCase() === 'content-type') ?? []
  return { status, method: method?.toUpperCase(), path: pathOf(path), type, body }
}

function pathOf(url: string | undefined): string | undefined {
  return url ? new URL(url, 'http://localhost').pathname : undefined
}

/** A body that is no JSON stays the text that it is, which breaks any contract. */
function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
