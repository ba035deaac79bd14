import type { Rows } from '../../types.gen.js'
import type { Context } from '../rule.js'

/** E14: also removes its attempts, and the pair from every document set. */
export function removePair(context: Context, pair: Rows['connectorCredentials']): void {
  const { rows } = context
  for (const attempt of [...rows.indexAttempts.where('byPair', pair.id)]) rows.indexAttempts.remove(attempt.id)
  for (const set of [...rows.documentSets.where('byPair', pair.id)]) {
    const is_up_to_date = set.is_up_to_date && context.assume('pairing.removal') === 'up-to-date'
    rows.documentSets.put({ ...set, is_up_to_date, cc_pair_ids: set.cc_pair_ids.filter((id) => id !== pair.id) })
  }
  rows.connectorCredentials.remove(pair.id)
}
