import { shortened } from '../../../../engine/contract/message/refusal.js'
import type { InputError } from '../../../../engine/contract/model.js'
import { Invalid } from '../../../../engine/contract/pydantic/explain.js'
import type { Rows } from '../../types.gen.js'
import { removeUser } from '../indexing/removal.js'
import { type Context, missing, Refusal, type Rules } from '../rule.js'
import { type BadAddress, readAddress } from './email.js'

/** Users: E27 to E29. */
export const userRules: Rules<'users'> = {
  /** E27: all or none. An address that is already on the list stays unchanged. */
  inviteUsers({ body }, context) {
    const { rows, ids, user, now } = context
    const addresses = readAll(context, body.emails)
    const before = rows.invites.size
    for (const email of addresses) {
      if (isInvited(context, email) || isLeftOut(context, email)) continue
      rows.invites.put({ id: ids.next('invites'), email, invited_at: now, invited_by: user.id })
    }
    return context.assume('invites.count') === 'new' ? rows.invites.size - before : rows.invites.size
  },

  /** E28: also deletes the user's own rows. */
  deleteUser({ body }, context) {
    const user = userAt(context, body.user_email)
    if (!user) throw missing(user, { user_email: body.user_email })
    if (user.is_active && context.assume('users.delete-active') === 'refused') throw new Refusal('active')
    if (user.id === context.user.id) throw new Refusal('oneself')
    removeUser(context, user)
    return { deleted: true, id: null }
  },

  /** E29 */
  getUserRole(_input, { user }) {
    return { role: user.role }
  }
}

function isInvited(context: Context, email: string): boolean {
  const spelled = [...context.rows.invites.where('byEmail', email.toLowerCase())]
  const isThere = spelled.some((invite) => invite.email === email)
  return isThere || (spelled.length > 0 && context.assume('invites.case') === 'same')
}

/** Whether an address is skipped because a user has it. */
function isLeftOut(context: Context, email: string): boolean {
  const isUsers = context.rows.users.first('byEmail', email.toLowerCase()) !== undefined
  return isUsers && context.assume('invites.registered') === 'left-out'
}

function userAt(context: Context, address: string): Rows['users'] | undefined {
  const user = context.rows.users.first('byEmail', address.toLowerCase())
  if (!user || user.email === address) return user
  return context.assume('users.address-case') === 'any' ? user : undefined
}

/** Parses an address, or returns why it is wrong. */
function addressFrom(context: Context, email: string): string | BadAddress {
  const address = readAddress(email)
  return address === email || context.assume('invites.addresses') === 'checked' ? address : email
}

/** The addresses in stored form. One wrong address rejects them all. */
function readAll(context: Context, emails: string[]): string[] {
  const addresses: string[] = []
  const problems: InputError[] = []
  for (const [position, input] of emails.entries()) {
    const address = addressFrom(context, input)
    if (typeof address === 'string') {
      addresses.push(address)
      continue
    }
    const values = { email: shortened(input), reason: address.reason }
    if (context.assume('invites.invalid') === '400') throw new Refusal('bad-address', values)
    const msg = `Value error, Invalid email address: ${values.email} - ${values.reason}`
    problems.push({ type: 'value_error', loc: ['body', 'emails', position], msg, input, ctx: { error: {} } })
  }
  if (problems.length > 0) throw new Invalid(problems)
  return addresses
}
