import type { IncomingMessage } from 'node:http'

/** What one connection may ask of the server; each is an option of `serve`. Times are in seconds, 0 means any. */
export interface ConnectionOptions {
  /** Bytes of a request's line and headers together. Default 16 KiB. */
  maxHeaderBytes?: number
  /** Headers of one request. Default 200. */
  maxHeaders?: number
  /** Connections at once. Default 1000. */
  maxConnections?: number
  /** Requests of one connection that may wait for their answers; more are read when these have them. Default 100. */
  maxUnanswered?: number
  /** The time in which the headers of a request must have come. Default 60. */
  headersTimeout?: number
  /** The time in which a whole request must have come. Default 300. */
  requestTimeout?: number
  /** The time that a connection is kept after an answer. Default 65. */
  keepAliveTimeout?: number
  /** Bytes that are read and dropped after a refusal, so that the client sees it. Default 128 MiB. */
  lingerBytes?: number
  /** The time in which they must come. Default 10. */
  lingerTimeout?: number
}

export const connectionDefaults = {
  maxHeaderBytes: 16 * 1024,
  maxHeaders: 200,
  maxConnections: 1000,
  maxUnanswered: 100,
  headersTimeout: 60,
  requestTimeout: 300,
  keepAliveTimeout: 65,
  lingerBytes: 128 * 1024 * 1024,
  lingerTimeout: 10
} satisfies ConnectionOptions

const least: ConnectionOptions = { maxHeaderBytes: 256, maxHeaders: 1, maxConnections: 1, maxUnanswered: 2 }

export interface ConnectionLimits extends Required<ConnectionOptions> {
  /** Milliseconds between two looks for connections whose time is over. */
  checkingInterval: number
}

/** Throws an Error that names the good values when one is wrong. */
export function readLimits(options: ConnectionOptions): ConnectionLimits {
  const limits = { ...connectionDefaults }
  for (const name of Object.keys(limits) as (keyof ConnectionOptions)[]) {
    const value = options[name]
    if (value === undefined) continue
    const from = least[name] ?? 0
    const isGood = Number.isFinite(value) && value >= from && (!(name in least) || Number.isInteger(value))
    if (!isGood) throw new Error(`${name} is ${value}: give a ${name in least ? 'whole ' : ''}number from ${from}.`)
    limits[name] = value
  }
  const { requestTimeout } = limits
  // The headers are part of the request.
  if (requestTimeout > 0) limits.headersTimeout = Math.min(limits.headersTimeout || requestTimeout, requestTimeout)
  const shortest = Math.min(limits.headersTimeout || 60, requestTimeout || 60)
  return { ...limits, checkingInterval: Math.min(1000, Math.max(20, shortest * 100)) }
}

/** Why a connection ends. */
export interface Fault {
  status: number
  detail: string
}

export function tooMany({ maxConnections }: ConnectionLimits): Fault {
  return { status: 503, detail: `There are ${maxConnections} connections already (--max-connections).` }
}

/** What is wrong with a request before anybody is asked for an answer. */
export function faultOfRequest(request: IncomingMessage, { maxHeaders }: ConnectionLimits): Fault | undefined {
  const { rawHeaders, httpVersion } = request
  if (!httpVersion.startsWith('1.')) {
    return { status: 400, detail: `This is no HTTP/1.1 request: its version is ${httpVersion}.` }
  }
  if (rawHeaders.length > 2 * maxHeaders) {
    return { status: 431, detail: `The request has more than ${maxHeaders} headers (--max-headers).` }
  }
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  // RFC 9112, 3.2
  if (hosts > 1) return { status: 400, detail: 'The request has more than one Host header.' }
  if (hosts === 0 && httpVersion !== '1.0') return { status: 400, detail: 'The request has no Host header.' }
  if (hosts === 1 && request.headers.host === '') return { status: 400, detail: 'The Host header is empty.' }
  return faultOfFraming(request)
}

/** Where two readers could find the end of a body at two places, one could be sent requests that the other does not see (RFC 9112, 6.1). */
function faultOfFraming({ headers, httpVersion }: IncomingMessage): Fault | undefined {
  const coding = headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (httpVersion === '1.0') return { status: 400, detail: 'Transfer-Encoding is not supported in HTTP/1.0.' }
  if (headers['content-length'] !== undefined) {
    return { status: 400, detail: 'The request has both Transfer-Encoding and Content-Length.' }
  }
  if (coding.trim().toLowerCase() !== 'chunked') {
    return {
      status: 400,
      detail: `This is no HTTP/1.1 request: Transfer-Encoding is ${coding}, only chunked is supported.`
    }
  }
  return undefined
}

/** What a parser or a clock found; `isInBody`: the headers had come. */
export function faultOfError(
  error: NodeJS.ErrnoException & { reason?: string },
  isInBody: boolean,
  limits: ConnectionLimits
): Fault {
  const { maxHeaderBytes, headersTimeout, requestTimeout } = limits
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW': {
      const what = isInBody ? 'trailers' : 'request line and the headers'
      return {
        status: 431,
        detail: `The ${what} are larger than ${maxHeaderBytes} bytes together (--max-header-bytes).`
      }
    }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, detail: 'The extensions of the chunks are larger than 16384 bytes together.' }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return {
        status: 408,
        detail: isInBody
          ? `The request did not come within ${requestTimeout} seconds (--request-timeout).`
          : `The headers did not come within ${headersTimeout} seconds (--headers-timeout).`
      }
    default:
      return { status: 400, detail: `This is no HTTP/1.1 request: ${error.reason ?? error.message}.` }
  }
}
