import type { IncomingMessage } from 'node:http'
import type { Request } from '../../engine/serve/message/message.js'

/** Hop-by-hop headers (RFC 9110, section 7.6.1), and headers that the proxy handles itself. */
const replaced = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade', 'expect', 'host', 'x-mock-sandbox'],
  ...['x-mock-control-token', 'x-mock-request-id', 'x-mock-violations']
])

/**
 * Headers that `Connection` must not name (RFC 9110, section 7.6.1). Removing Content-Length would turn the body into
 * the next request.
 */
const forAll = /^(content-|authorization$|cookie$|set-cookie$|location$|www-authenticate$|cache-control$)/

/** Alternating names and values, in their order, without hop-by-hop headers. */
export function endToEnd({ rawHeaders, headers }: Pick<Request, 'rawHeaders' | 'headers'>): string[] {
  const names = new Set(
    (headers.connection ?? '')
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => !forAll.test(name))
  )
  const result: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    if (!replaced.has(name) && !names.has(name)) result.push(rawHeaders[at] as string, rawHeaders[at + 1] as string)
  }
  return result
}

/** The headers of a request for the service. Adds Transfer-Encoding, which node does not do for every method. */
export function requestHeaders(request: Request): string[] {
  const headers = endToEnd(request)
  return request.headers['transfer-encoding'] === undefined ? headers : [...headers, 'Transfer-Encoding', 'chunked']
}

/**
 * The headers of an answer for the client. A 204 has no length (RFC 9110, section 8.6), a 205 no content. A redirect
 * within the service stays at this address.
 */
export function answerHeaders(answer: IncomingMessage, base: URL, mount: string): string[] {
  const headers = endToEnd(answer).map((value, at, all) =>
    at % 2 === 1 && /^location$/i.test(all[at - 1] as string) ? nearBy(value, base, mount) : value
  )
  if (answer.statusCode !== 204 && answer.statusCode !== 205) return headers
  return headers.filter((_, at) => !/^content-length$/i.test(headers[at - (at % 2)] as string))
}

/** An absolute address within the service, as a path of the mock. */
function nearBy(location: string, { origin, pathname }: URL, mount: string): string {
  const url = /^https?:/i.test(location) && URL.canParse(location) ? new URL(location) : undefined
  const folder = pathname.replace(/\/$/, '')
  if (url?.origin !== origin || !`${url.pathname}/`.startsWith(`${folder}/`)) return location
  return `${mount}${url.pathname.slice(folder.length) || '/'}${url.search}${url.hash}`
}
