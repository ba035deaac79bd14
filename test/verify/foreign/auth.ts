import type { FastifyRequest } from 'fastify'
import type { User } from './data/rows.js'
import { Refused } from './refused.js'
import type { Service } from './state.js'

/** The user whose token the request carries. */
export function userOf(service: Service, request: FastifyRequest): User {
  const header = request.headers.authorization ?? ''
  const [, token] = /^Bearer (\S+)$/.exec(header) ?? []
  const user = service.rows.users.find((it) => it.token === token)
  if (user) return user
  throw new Refused(
    401,
    { error: { code: 'unauthorized', text: 'Send a bearer token.' } },
    { 'www-authenticate': 'Bearer' }
  )
}

/** Paths of administrators are for them. */
export function mayCall(_service: Service, user: User, url: string): boolean {
  return !url.includes('/admin/') || user.role === 'admin'
}
