import type { ReceivedResponse } from '../../engine/contract/validation/conformance.js'

/** A response with the known parts of its request. */
export interface TestedResponse extends ReceivedResponse {
  method: string | undefined
  path: string | undefined
}

/** A response of supertest or superagent. */
interface SuperagentResponse {
  status: number
  headers: Record<string, string>
  text?: string
  body: unknown
  req: { method: string; path: string }
}

/** A response of any other client. `url` may be an address or a path. */
export interface PlainResponse {
  status: number
  method?: string
  url?: string
  path?: string
  /** The parsed body. Undefined or missing: none. */
  body?: unknown
  headers?: Record<string, string> | Headers
}

export type AnyResponse = Response | SuperagentResponse | PlainResponse

/** Reads a response of any client. One of fetch is read from a copy, so that it can be read again: hence the promise. */
export function readResponse(response: unknown): TestedResponse | Promise<TestedResponse> {
  if (isFetchResponse(response)) return readFetch(response)
  if (typeof response !== 'object' || response === null || typeof (response as PlainResponse).status !== 'number') {
    throw new Error('Give a response of fetch or supertest, or {operation | method and url, status, body}.')
  }
  return 'req' in response ? readSuperagent(response as SuperagentResponse) : readPlain(response as PlainResponse)
}

/** Classes cannot be compared, because test environments replace them. */
function isFetchResponse(response: unknown): response is Response {
  return typeof (response as Response)?.clone === 'function' && 'bodyUsed' in (response as Response)
}

async function readFetch(response: Response): Promise<TestedResponse> {
  if (response.bodyUsed) {
    throw new Error(
      'The body of this response has already been read. Check the response first, or give {method, url, status, body}.'
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

function readSuperagent({ status, headers, text, body, req }: SuperagentResponse): TestedResponse {
  const { method, path } = req
  return {
    status,
    method,
    path: pathOf(path),
    type: headers['content-type'],
    body: text === undefined ? body : parsed(text)
  }
}

function readPlain({ status, method, url, path = url, body, headers = {} }: PlainResponse): TestedResponse {
  const pairs = typeof headers.get === 'function' ? headers : Object.entries(headers)
  const [, type] =
    [...(pairs as Iterable<[string, string]>)].find(([name]) => name.toLowerCase() === 'content-type') ?? []
  return { status, method: method?.toUpperCase(), path: pathOf(path), type, body }
}

function pathOf(url: string | undefined): string | undefined {
  return url ? new URL(url, 'http://localhost').pathname : undefined
}

/** A body that is not JSON stays a text, which breaks every contract. */
function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The result of a matcher, in the format of Jest and Vitest. */
export interface MatcherResult {
  pass: boolean
  message: () => string
}
