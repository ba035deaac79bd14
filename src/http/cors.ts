import type { IncomingMessage, ServerResponse } from 'node:http'
import { lazily } from '../contract/lazy.js'

const exposed = [
  'X-Mock-Request-Id',
  'X-Mock-Assumed',
  'X-Mock-Violations',
  'X-Mock-Resets-At',
  'Preference-Applied',
  'Location',
  'Retry-After',
  'WWW-Authenticate'
]

/**
 * Lets pages of other origins call the API. `*` lets any; pages of this machine may then send cookies too, because
 * the front ends of this platform do. Returns true when the request was a preflight and is answered.
 */
export function createCors(
  origins: readonly string[]
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const any = origins.includes('*')
  const shared = { methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], exposedHeaders: exposed, maxAge: 600 }
  return (request, response) => {
    const cors = lazily('cors') as typeof import('cors')
    const isTrusted = !any || isLocal(request.headers.origin as string)
    const origin = any ? (isTrusted ? true : '*') : [...origins]
    const handler = cors({ ...shared, origin, credentials: isTrusted })
    let passed = false
    // The package answers a preflight itself, and calls on for everything else.
    handler(request as Parameters<typeof handler>[0], response as Parameters<typeof handler>[1], () => {
      passed = true
    })
    return !passed
  }
}

/** Whether an origin is of this machine. */
export function isLocal(origin: string): boolean {
  return /^https?:\/\/(localhost|[a-z0-9-]+\.localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(origin)
}
