import { request as askHttp, Agent as HttpAgent, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as askHttps, Agent as HttpsAgent } from 'node:https'

/** How the real service is reached. */
export interface UpstreamOptions {
  /** Its base address; a path in it comes before every path that is asked. */
  url: string
  /** Certificates that its own is checked against, beside the usual ones; PEM. */
  ca?: string | undefined
  /** How many milliseconds it may stay silent. */
  timeout: number
}

/** The service gave no answer that could be passed on: 502 or 504, and why. */
export class UpstreamError extends Error {
  constructor(
    readonly status: 502 | 504,
    message: string
  ) {
    super(message)
  }
}

/** An answer that has begun. */
export interface Begun {
  message: IncomingMessage
  /** What to tell of an error that ended it. */
  explain: (error: unknown) => UpstreamError
}

/** Sends a request on, as it came in, and gives what the service answers. Rejects with an UpstreamError. */
export interface Upstream {
  ask(request: IncomingMessage): Promise<Begun>
  close(): void
}

/** Headers that are between two neighbours only (RFC 9110, 7.6.1), and those that the mock itself reads. */
const own = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'x-mock-sandbox',
  'x-mock-control-token',
  'x-mock-request-id',
  'x-mock-violations'
])

/** Throws an Error that says what is wrong when the address is none. */
export function createUpstream({ url, ca, timeout }: UpstreamOptions): Upstream {
  const base = readBase(url)
  const isSecure = base.protocol === 'https:'
  const agent = isSecure ? new HttpsAgent({ keepAlive: true, ca }) : new HttpAgent({ keepAlive: true })
  const prefix = base.pathname.replace(/\/$/, '')
  return {
    close: () => agent.destroy(),
    ask: (request) =>
      new Promise<Begun>((resolve, reject) => {
        const options: RequestOptions = {
          agent,
          host: base.hostname.replace(/^\[(.*)\]$/, '$1'),
          port: base.port || (isSecure ? 443 : 80),
          method: request.method,
          path: prefix + request.url,
          // A list keeps names, order and repetitions as they came.
          headers: ['Host', base.host, ...passedOn(request)] as unknown as RequestOptions['headers'],
          setHost: false
        }
        let ended: UpstreamError | undefined
        const explain = (error: unknown) => ended ?? asUpstreamError(error as Error, base.origin)
        const sent = (isSecure ? askHttps : askHttp)(options, (message) => resolve({ message, explain }))
        const end = (why: UpstreamError) => {
          ended ??= why
          sent.destroy(why)
        }
        sent.setTimeout(timeout, () =>
          end(new UpstreamError(504, `${base.origin} was silent for ${timeout} ms (--timeout).`))
        )
        sent.once('error', (error) => reject(explain(error)))
        request.once('close', () => {
          if (!request.complete) end(new UpstreamError(502, 'The client went away.'))
        })
        request.pipe(sent)
      })
  }
}

function readBase(text: string): URL {
  const base = URL.canParse(text) ? new URL(text) : undefined
  if (!base || !/^https?:$/.test(base.protocol)) {
    throw new Error(`The upstream is "${text}": give an address such as http://127.0.0.1:8080.`)
  }
  if (base.search || base.hash) throw new Error(`The upstream is "${text}": give it without a query or a fragment.`)
  return base
}

/** The headers to pass on. A body of unknown length says so itself: node does not for every method. */
function passedOn({ rawHeaders, headers }: IncomingMessage): string[] {
  const kept = endToEnd(rawHeaders, headers.connection)
  return headers['transfer-encoding'] === undefined ? kept : [...kept, 'Transfer-Encoding', 'chunked']
}

/** Names and values in turn, without those that concern two neighbours only, or that the mock gives itself. */
export function endToEnd(rawHeaders: readonly string[], connection = ''): string[] {
  const named = new Set(connection.split(',').map((name) => name.trim().toLowerCase()))
  const kept: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (!own.has(name.toLowerCase()) && !named.has(name.toLowerCase())) kept.push(name, rawHeaders[at + 1] as string)
  }
  return kept
}

function asUpstreamError(error: Error & { code?: string }, name: string): UpstreamError {
  if (error instanceof UpstreamError) return error
  const why = reasons[error.code ?? ''] ?? error.message
  return new UpstreamError(502, `${name} gave no answer: ${why}.`)
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ECONNRESET: 'the connection was closed before the answer was whole',
  EPROTO: 'it does not speak the protocol of its address',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  HPE_INVALID_CONSTANT: 'it does not speak HTTP',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself (--ca <file> trusts it)',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority (--ca <file> trusts one)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority (--ca <file> trusts one)'
}
