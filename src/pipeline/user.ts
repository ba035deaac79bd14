import type { Operation } from '../contract/contract.js'
import { Refusal } from '../contract/refusal.js'
import type { Rows } from '../contract/types.gen.js'
import { assume, choice, type Exchange } from './exchange.js'

/** The user whose key the token is, if the user's role may call the operation (section 5). */
export function authenticate(exchange: Exchange): Rows['users'] {
  const { sandbox, contract, key } = exchange
  const operation = exchange.operation as Operation
  const { users } = sandbox.rows
  let user = key === undefined ? undefined : users.first('byKey', key)
  if (key !== undefined && !user && assume(exchange, 'auth.unknown-token') === 'admin') {
    user = users.first('byKey', 'admin')
  }
  if (!user?.is_active) throw new Refusal('unauthenticated')
  exchange.user = user.key
  const rolesChoice = choice(exchange, 'auth.roles')
  const access = contract.access[operation.access[rolesChoice] ?? 'anyone']
  if (access?.roles && !access.roles.includes(user.role)) throw new Refusal('forbidden', { detail: access.detail })
  return user
}
