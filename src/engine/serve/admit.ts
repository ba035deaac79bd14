import { Refusal } from '../contract/message/refusal.js'
import type { Access } from '../contract/model.js'
import type { Rows } from '../contract/types.gen.js'
import type { Store } from '../store/rows.js'
import { assume, choice, type Exchange, type FoundExchange, type Setting } from './exchange.js'
import { type Caller, whyNobody } from './message/caller.js'

/**
 * The user whose key the token is, from any source, if the user's role may call the operation (section 5). The answer depends
 * on the roles if the operation is not for everyone, or if another choice would refuse this user.
 */
export function authenticate(exchange: Setting<'user' | 'key' | 'signedInBy', FoundExchange>): Rows['users'] | null {
  const { sandbox, contract, operation, withoutCookie } = exchange
  const sent = { key: exchange.key, by: exchange.signedInBy, withoutCookie }
  const { key, by: signedInBy } = counted(sent, (id) => assume(exchange, id))
  exchange.key = key
  exchange.signedInBy = signedInBy
  // One of the user's own operations that anyone may call.
  if (operation.open && key === undefined) return null
  const user =
    signedInBy === 'anonymous'
      ? sandbox.rows.users.first('byKey', key as string)
      : userOf(sandbox.rows, key, (id) => assume(exchange, id))
  if (hasOtherCase(exchange) && assume(exchange, 'auth.scheme-case') === 'exact') {
    throw new Refusal('unauthenticated', { reason: 'the scheme of the Authorization header must be spelled Bearer.' })
  }
  if (!user?.is_active) throw new Refusal('unauthenticated', { reason: whyNot(exchange, user) })
  exchange.user = user.key
  const access = contract.access[operation.access[choice(exchange, 'auth.roles')] ?? 'anyone'] as Access
  if (!admits(access, user)) throw new Refusal('forbidden', { detail: access.detail })
  if (access.roles || !isAdmittedByAll(exchange, user)) exchange.assumed.add('auth.roles')
  return user
}

/** The caller, without a cookie that does not count as the header (5.1). */
export function counted(caller: Omit<Caller, 'sandbox'>, choice: (id: 'auth.cookie') => unknown) {
  return caller.by !== 'cookie' || choice('auth.cookie') === 'any' ? caller : (caller.withoutCookie ?? caller)
}

/** The user whose key a token is. For a token that no user has, the choice in force decides. */
export function userOf(
  { users }: Store,
  key: string | undefined,
  choice: (id: 'auth.unknown-token') => unknown
): Rows['users'] | undefined {
  if (key === undefined) return undefined
  const user = users.first('byKey', key)
  return user || choice('auth.unknown-token') !== 'admin' ? user : users.first('byKey', 'admin')
}

/** Whether the user may call the operation under every choice of `auth.roles`. */
function isAdmittedByAll({ contract, operation: { access } }: FoundExchange, user: Rows['users']): boolean {
  for (const choice in access) if (!admits(contract.access[access[choice] as string] as Access, user)) return false
  return true
}

/** Whether the scheme is "Bearer" in different letter case. */
function hasOtherCase({ request, signedInBy, key }: Exchange): boolean {
  return signedInBy === 'header' && key !== undefined && !request.headers.authorization?.startsWith('Bearer ')
}

function admits({ roles }: Access, user: Rows['users']): boolean {
  return roles === null || roles.includes(user.role)
}

/** The users that every fixture set has. */
const common = ['admin', 'curator', 'basic']

/** The keys to list when a key is wrong. Users of every fixture set come first, and a long list is cut. */
export function keysToName({ users }: Store): string[] {
  const others = [...users.all()].map(({ key }) => key).filter((key) => !common.includes(key))
  return [...common.filter((key) => users.first('byKey', key)), ...others.sort().slice(0, 20)]
}

/** Why a request has no user, as the end of a sentence. */
function whyNot(exchange: Exchange, user: Rows['users'] | undefined): string {
  const { request, sandbox, key, signedInBy: by, tokenCookie: cookie, tellsTokens } = exchange
  if (key === undefined) return whyNobody(by, cookie, request.headers.authorization)
  const token = by === 'cookie' ? `the token in the cookie ${cookie}` : 'this token'
  if (by === 'anonymous') {
    const why = user ? 'which is deactivated' : 'which this sandbox does not have'
    return `no token was sent, and --anonymous names the user ${key}, ${why}.`
  }
  if (user) return `the user with ${token} is deactivated.`
  const { users } = sandbox.rows
  const known = common.filter((key) => tellsTokens && users.first('byKey', key)?.is_active)
  const such = known.length === 0 ? '' : `, such as ${known.join(', ')}`
  return `no user of this sandbox has ${token}. Tokens are the keys of its users${such}.`
}
