import type { FastifyRequest } from 'fastify'
import type { User } from './data/rows.js'
import { forbidden, notFound, Refused } from './refused.js'
import type { Service } from './state.js'
import type { Choice } from './switches/choices/index.js'

/** Connections that sent a good token. */
const seen = new WeakMap<object, User>()

/** The token as the service reads it. */
function tokenOf(service: Service, request: FastifyRequest): string | undefined {
  const header = request.headers.authorization ?? ''
  const form = service.chose('scheme-in-any-case') ? /^Bearer (\S+)$/i : /^Bearer (\S+)$/
  const [, token] = form.exec(header) ?? []
  if (token !== undefined) return token
  if (service.broken('basic-scheme') && /^Basic /.test(header)) return header.slice(6)
  if (service.broken('bare-token') && !/\s/.test(header)) return header
  if (service.broken('token-in-query')) {
    const { access_token, token } = request.query as Record<string, string>
    return access_token ?? token
  }
  return undefined
}

function known(service: Service, token: string): User | undefined {
  const { users } = service.rows
  const admin = users[0]
  if (service.broken('any-token')) return users.find((it) => it.token === token) ?? admin
  if (service.broken('token-with-suffix')) return users.find((it) => token.startsWith(it.token))
  if (service.broken('token-start')) return users.find((it) => token.length > 2 && it.token.startsWith(token))
  if (service.broken('token-in-any-case')) return users.find((it) => it.token.toLowerCase() === token.toLowerCase())
  return users.find((it) => it.token === token)
}

/** The user whose token the request carries. */
export function userOf(service: Service, request: FastifyRequest, operation: string): User {
  const token = tokenOf(service, request)
  const user = token === undefined ? withoutToken(service, request, operation) : known(service, token)
  if (user) {
    seen.set(request.raw.socket, user)
    return user
  }
  const tokens = service.rows.users.map((it) => it.token)
  throw new Refused(
    service.chose('no-token-403') ? 403 : 401,
    { error: { code: 'unauthorized', text: 'Send a bearer token.', ...(service.broken('401-token') && { tokens }) } },
    { 'www-authenticate': 'Bearer' }
  )
}

function withoutToken(service: Service, request: FastifyRequest, operation: string): User | undefined {
  const [admin] = service.rows.users
  const isOpen =
    service.has(`no-token ${operation}`) ||
    (service.broken('no-token-for-head') && request.method === 'HEAD') ||
    (service.broken('empty-token') && /^Bearer\s*$/.test(request.headers.authorization ?? ''))
  if (isOpen) return admin
  return service.broken('token-sticks') ? seen.get(request.raw.socket) : undefined
}

/** Choices by which a plain user may not call an operation. */
const plainMayNot: [Choice, string[]][] = [
  ['plain-makes-no-credentials', ['E8']],
  ['plain-changes-no-agents', ['E6', 'E7']],
  ['plain-opens-no-pages', ['E18']]
]

/** Throws where the user may not call the operation. Paths of administrators are for them. */
export function checkRole(service: Service, user: User, { id, url }: { id: string; url: string }, sent: string): void {
  if (user.role === 'admin' || service.has(`open ${id}`) || service.broken('open-all')) return
  if (service.broken('open-if-encoded') && /%[46]1/.test(sent)) return
  if (service.broken('open-if-doubled') && sent.includes('//')) return
  if (url.includes('/admin/')) {
    if (service.chose('role-404')) throw notFound('page')
    throw new Refused(service.chose('role-401') ? 401 : 403, { error: { code: 'role', text: 'For administrators.' } })
  }
  for (const [choice, ids] of plainMayNot) {
    if (service.chose(choice) && ids.includes(id)) throw forbidden('Ask an administrator.')
  }
}
