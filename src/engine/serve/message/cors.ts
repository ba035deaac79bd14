import { lazily } from '../../contract/lazy.js'
import type { AnswerHeaders, Request } from './message.js'

const exposed = [
  'X-Mock-Request-Id',
  'X-Mock-Assumed',
  'X-Mock-Source',
  'X-Mock-Violations',
  'X-Mock-Resets-At',
  'X-Mock-Node',
  'Preference-Applied',
  'Location',
  'Retry-After',
  'WWW-Authenticate'
]

export interface CorsAnswer {
  headers: AnswerHeaders
  /** The complete answer to a preflight. Undefined for other requests. */
  preflight: { status: number } | undefined
}

/**
 * Lets pages of other origins call the API. `*` allows all. Pages on this machine and on listed origins may also send cookies,
 * because front ends sign in with one.
 */
export function createCors(origins: readonly string[]): (request: Request) => CorsAnswer {
  const any = origins.includes('*')
  const originSet = new Set(origins)
  const shared = { methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], exposedHeaders: exposed, maxAge: 600 }
  return (request) => {
    const cors = lazily('cors') as typeof import('cors')
    const sender = request.headers.origin as string
    const isTrusted = !any || isLocal(sender) || originSet.has(sender)
    const origin = any ? (isTrusted ? true : '*') : [...origins]
    const handler = cors({ ...shared, origin, credentials: isTrusted })
    const headers: AnswerHeaders = {}
    // The package answers a preflight itself and calls `next` for everything else.
    const response = {
      statusCode: 200,
      getHeader: (name: string) => headers[name],
      setHeader: (name: string, value: string) => {
        headers[name] = value
      },
      end: () => {}
    }
    let isPreflight = true
    handler(request as never, response as never, () => {
      isPreflight = false
    })
    return { headers, preflight: isPreflight ? { status: response.statusCode } : undefined }
  }
}

/** Whether pages on an origin may call the control API: those on this machine, on listed origins, and its own. */
export function createOriginCheck(listed: readonly string[]): (origin: string, host: string | undefined) => boolean {
  const originSet = new Set(listed.filter((origin) => origin !== '*'))
  return (origin, host) => isLocal(origin) || originSet.has(origin) || /^https?:\/\/(.*)$/.exec(origin)?.[1] === host
}

export function isLocal(origin: string): boolean {
  return /^https?:\/\/(localhost|[a-z0-9-]+\.localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(origin)
}
