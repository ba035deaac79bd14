import type { JournalDetail, JournalEntry } from '../../contract/types.gen.js'
import type { Moment } from '../../sandbox/history.js'
import { historyOf } from '../../sandbox/sandbox.js'
import { shown } from '../overrides.js'
import type { ControlContext } from '../rule.js'
import { momentOf } from './history.js'

/** The override that answered an exchange, and what added it. Undefined: the history does not go back so far. */
export function forcedBy(
  { sandbox, contract }: ControlContext,
  { override: id, real_time }: JournalEntry
): JournalDetail['forced_by'] {
  if (id === undefined) return undefined
  const history = historyOf(sandbox)
  const entryAt = ({ overrides }: Moment) => overrides.find((it) => it.id === id)
  const changes = history.after(history.earliest).filter(({ real }) => real <= Date.parse(real_time))
  // The answer itself may have used it up. Before that, it was there without a break.
  const since = changes.slice(Math.max(0, changes.findIndex(entryAt)))
  const gap = since.findIndex((change) => !entryAt(change))
  const isOfStart = gap < 0 && entryAt(history.earliest) !== undefined
  const adder = isOfStart ? undefined : since.slice(0, gap < 0 ? undefined : gap).at(-1)
  const begin = adder ?? history.earliest
  const override = entryAt(begin)
  if (!override) return undefined
  const isCall = adder?.control !== undefined && !adder.isByProgram
  return {
    override: shown(override),
    at: `m${begin.number}`,
    ...(isCall && { added_by: momentOf(contract, adder) }),
    in_force: sandbox.overrides.find(id) !== undefined
  }
}
