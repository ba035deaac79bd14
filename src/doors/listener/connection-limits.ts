import type { IncomingMessage } from 'node:http'
import { passHeader } from '../replicas/signed.js'

/** The limits of one connection: numbers, and times in seconds. 0 means no limit. */
export interface ConnectionOptions {
  maxHeaderBytes: number
  maxHeaders: number
  maxConnections: number
  maxUnanswered: number
  headersTimeout: number
  requestTimeout: number
  keepAliveTimeout: number
  lingerBytes: number
  lingerTimeout: number
}

export interface ConnectionLimits extends ConnectionOptions {
  /** Milliseconds between two checks for expired connections. */
  checkingInterval: number
}

export function readLimits(options: ConnectionOptions): ConnectionLimits {
  const { requestTimeout } = options
  let { headersTimeout } = options
  // The headers are part of the request, so their limit cannot be longer.
  if (requestTimeout > 0) headersTimeout = Math.min(headersTimeout || requestTimeout, requestTimeout)
  const shortest = Math.min(headersTimeout || 60, requestTimeout || 60)
  return { ...options, headersTimeout, checkingInterval: Math.min(1000, Math.max(20, shortest * 100)) }
}

/** Why a connection is closed. */
export interface ConnectionRefusal {
  status: number
  detail: string
}

export function tooMany({ maxConnections }: ConnectionLimits): ConnectionRefusal {
  return { status: 503, detail: `There are ${maxConnections} connections already (--max-connections).` }
}

function tooLarge(what: string, { maxHeaderBytes }: ConnectionLimits): ConnectionRefusal {
  return {
    status: 431,
    detail: `The ${what} are larger than ${maxHeaderBytes} bytes together (--max-header-bytes).`
  }
}

/** As Node counts them. */
function bytesOf({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, url.length)
}

/** What is wrong with a request before its operation is looked up. */
export function refusalOfRequest(
  request: IncomingMessage,
  limits: ConnectionLimits,
  hasPeers = false
): ConnectionRefusal | undefined {
  const { rawHeaders, httpVersion } = request
  if (!httpVersion.startsWith('1.')) {
    return { status: 400, detail: `This is not an HTTP/1.1 request: its version is ${httpVersion}.` }
  }
  // What a process passes on was within the limits of that one.
  if (!hasPeers || request.headers[passHeader] === undefined) {
    const { maxHeaders, maxHeaderBytes } = limits
    if (rawHeaders.length > 2 * maxHeaders) {
      return { status: 431, detail: `The request has more than ${maxHeaders} headers (--max-headers).` }
    }
    if (hasPeers && bytesOf(request) >= maxHeaderBytes) return tooLarge('request line and the headers', limits)
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
  return refusalOfFraming(request)
}

/**
 * If two readers could disagree on where a body ends, one could be sent requests that the other does not see (RFC 9112,
 * 6.1).
 */
function refusalOfFraming({ headers, httpVersion }: IncomingMessage): ConnectionRefusal | undefined {
  const coding = headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (httpVersion === '1.0') return { status: 400, detail: 'Transfer-Encoding is not supported in HTTP/1.0.' }
  if (headers['content-length'] !== undefined) {
    return { status: 400, detail: 'The request has both Transfer-Encoding and Content-Length.' }
  }
  if (coding.trim().toLowerCase() !== 'chunked') {
    return {
      status: 400,
      detail: `This is not an HTTP/1.1 request: Transfer-Encoding is ${coding}, but only chunked is supported.`
    }
  }
  return undefined
}

/** The answer to an error of the parser or a timeout. `isInBody` means that the headers had been received. */
export function refusalOfError(
  error: NodeJS.ErrnoException & { reason?: string },
  isInBody: boolean,
  limits: ConnectionLimits
): ConnectionRefusal {
  const { headersTimeout, requestTimeout } = limits
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW': {
      return tooLarge(isInBody ? 'trailers' : 'request line and the headers', limits)
    }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, detail: 'The extensions of the chunks are larger than 16384 bytes together.' }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return {
        status: 408,
        detail: isInBody
          ? `The request was not received within ${requestTimeout} seconds (--request-timeout).`
          : `The headers were not received within ${headersTimeout} seconds (--headers-timeout).`
      }
    default:
      return { status: 400, detail: `This is not an HTTP/1.1 request: ${error.reason ?? error.message}.` }
  }
}
