import type { Rows } from '../contract/types.gen.js'
import type { Context } from './rule.js'

/** E14: with its attempts, and taken out of every document set. */
export function removePair({ rows }: Context, pair: Rows['connectorCredentials']): void {
  for (const attempt of [...rows.indexAttempts.where('byPair', pair.id)]) rows.indexAttempts.remove(attempt.id)
  for (const set of [...rows.documentSets.where('byPair', pair.id)]) {
    rows.documentSets.put({ ...set, cc_pair_ids: set.cc_pair_ids.filter((id) => id !== pair.id) })
  }
  rows.connectorCredentials.remove(pair.id)
}
