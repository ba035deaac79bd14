import type { Api } from '../api.js'
import { Refusal } from '../contract/message/refusal.js'
import type { Access } from '../contract/model.js'
import type { AnyRow } from '../store/collection.js'
import { collectionOf, type Store } from '../store/rows.js'
import { assume, choice, type Exchange, type FoundExchange, lap, type Setting } from './exchange.js'
import { type Caller, whyNobody } from './message/caller.js'
import { howToSend, lackingTokens } from './message/tokens.js'

/**
 * The user whose key the token is, from any source, if the user's role may call the operation (section 5). The answer depends
 * on the roles if the operation is not for everyone, or if another choice would refuse this user.
 */
export function admit(exchange: Setting<'user' | 'key' | 'signedInBy' | 'lap', FoundExchange>): AnyRow | null {
  try {
    return admitted(exchange)
  } finally {
    lap(exchange, 'user')
  }
}

function admitted(exchange: Setting<'user' | 'key' | 'signedInBy', FoundExchange>): AnyRow | null {
  const { sandbox, contract, operation, withoutCookie } = exchange
  const { api } = contract
  const sent = { key: exchange.key, by: exchange.signedInBy, withoutCookie }
  const { key, by: signedInBy } = counted(sent, (id) => assume(exchange, id))
  exchange.key = key
  exchange.signedInBy = signedInBy
  // One of the user's own operations that anyone may call.
  if (operation.open && key === undefined) return null
  const user =
    signedInBy === 'anonymous'
      ? userWith(api, sandbox.rows, key as string)
      : userOf(api, sandbox.rows, key, (id) => assume(exchange, id))
  if (!user && operation.open && api.document) return null
  if (hasOtherCase(exchange) && assume(exchange, 'auth.scheme-case') === 'exact') {
    throw new Refusal('unauthenticated', { reason: 'the scheme of the Authorization header must be spelled Bearer.' })
  }
  if (!user || !isActive(api, user)) throw new Refusal('unauthenticated', { reason: whyNot(exchange, user) })
  const lacking = signedInBy === 'header' && api.document ? lackingTokens(api, operation, exchange.request) : undefined
  if (lacking !== undefined) throw new Refusal('unauthenticated', { reason: lacking })
  exchange.user = user[api.users.token] as string
  const access = contract.access[operation.access[choice(exchange, 'auth.roles')] ?? 'anyone'] as Access
  if (!admits(api, access, user)) throw new Refusal('forbidden', { detail: access.detail })
  if (access.roles || !isAdmittedByAll(exchange, user)) exchange.assumed.add('auth.roles')
  return user
}

/** The caller, without a cookie that does not count as the header (5.1). */
export function counted(caller: Omit<Caller, 'sandbox'>, choice: (id: 'auth.cookie') => unknown) {
  return caller.by !== 'cookie' || choice('auth.cookie') === 'any' ? caller : (caller.withoutCookie ?? caller)
}

/** The user whose key a token is. For a token that no user has, the choice in force decides. */
export function userOf(
  api: Api,
  rows: Store,
  key: string | undefined,
  choice: (id: 'auth.unknown-token') => unknown
): AnyRow | undefined {
  if (key === undefined) return undefined
  const user = userWith(api, rows, key)
  return user || choice('auth.unknown-token') !== 'admin' ? user : userWith(api, rows, api.users.common[0] as string)
}

/** Whether the user may call the operation under every choice of `auth.roles`. */
function isAdmittedByAll({ contract, operation: { access } }: FoundExchange, user: AnyRow): boolean {
  const { api } = contract
  for (const choice in access) if (!admits(api, contract.access[access[choice] as string] as Access, user)) return false
  return true
}

/** Whether the scheme is "Bearer" in different letter case. */
function hasOtherCase({ request, signedInBy, key }: Exchange): boolean {
  const { authorization = '' } = request.headers
  return (
    signedInBy === 'header' &&
    key !== undefined &&
    /^bearer /i.test(authorization) &&
    !authorization.startsWith('Bearer ')
  )
}

function admits({ users }: Api, { roles }: Access, user: AnyRow): boolean {
  return roles === null || roles.includes(user[users.role] as string)
}

/** Why a request has no user, as the end of a sentence. */
function whyNot(exchange: Exchange, user: AnyRow | undefined): string {
  const { request, sandbox, contract, key, signedInBy: by, tokenCookie: cookie, tellsTokens } = exchange
  if (key === undefined && contract.api.document && request.headers.authorization === undefined)
    return `there is no token. ${howToSend(contract.api, exchange.operation)}`
  if (key === undefined) return whyNobody(by, cookie, request.headers.authorization)
  const token = by === 'cookie' ? `the token in the cookie ${cookie}` : 'this token'
  if (by === 'anonymous') {
    const why = user ? 'which is deactivated' : 'which this sandbox does not have'
    return `no token was sent, and --anonymous names the user ${key}, ${why}.`
  }
  if (user) return `the user with ${token} is deactivated.`
  const { api } = contract
  const keys = api.users.common.filter((it) => tellsTokens && isActive(api, userWith(api, sandbox.rows, it)))
  const such = keys.length === 0 ? '' : `, such as ${keys.join(', ')}`
  return `no user of this sandbox has ${token}. Tokens are the keys of its users${such}.`
}

export function userWith({ users }: Api, rows: Store, token: string): AnyRow | undefined {
  return collectionOf(rows, users.collection).firstWith(users.token, token)
}

export function isActive({ users }: Api, user: AnyRow | undefined): boolean {
  return user !== undefined && (users.active === undefined || user[users.active] === true)
}

/** The tokens to list when a token is wrong. Users of every fixture set come first, and a long list is cut. */
export function tokensToName(api: Api, rows: Store): string[] {
  const { collection, token, common } = api.users
  const others = [...collectionOf(rows, collection).all()].map((user) => user[token] as string)
  return [
    ...common.filter((it) => userWith(api, rows, it)),
    ...others
      .filter((it) => !common.includes(it))
      .sort()
      .slice(0, 20)
  ]
}
