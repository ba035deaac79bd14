import type { Rows } from '../../types.gen.js'
import type { Context } from '../rule.js'

/** The id of the built-in default agent. */
export const builtInPersona = 0

/** All see an agent that is public or has no owner; else administrators, its owner and those it is shared with. */
export function canSee(context: Context, persona: Rows['personas']): boolean {
  const { user } = context
  if (user.role === 'admin' || persona.owner_id === user.id) return true
  const isShared = persona.owner_id === null || persona.is_public || persona.user_ids.includes(user.id)
  return context.assume('persona.visibility') === 'everyone' || isShared
}
