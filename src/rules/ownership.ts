import type { Rows } from '../contract/types.gen.js'
import type { Context } from './rule.js'

export function isCurator(user: Rows['users']): boolean {
  return user.role === 'curator' || user.role === 'global_curator'
}

/** Whether the caller may change what others own, where it may see it. */
export function changesAll(context: Context): boolean {
  const { user } = context
  const curatorsToo = context.assume('auth.editing') === 'curators-too'
  return user.role === 'admin' || (curatorsToo && isCurator(user))
}
