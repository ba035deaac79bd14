import type { JournalEntry, RowChange } from '../../contract/types.gen.js'
import type { Write } from '../../store/touches.js'

type Changed = NonNullable<JournalEntry['changed']>[number]
type Row = Record<string, unknown>

/** How many rows of each collection were added, changed and removed. */
export function countsOf(writes: readonly Write[]): Changed[] {
  const counts = new Map<string, Changed>()
  for (const { collection, before, after } of netOf(writes)) {
    const count = counts.get(collection) ?? { collection, added: 0, changed: 0, removed: 0 }
    counts.set(collection, count)
    count[before ? (after ? 'changed' : 'removed') : 'added'] += 1
  }
  return [...counts.values()]
}

/** The first changes of rows: a new or removed row in full, of a changed one the fields that changed. */
export function changesIn(writes: readonly Write[], most: number): RowChange[] {
  if (writes.length === 0) return []
  return netOf(writes)
    .slice(0, most)
    .map(({ collection, id, before, after }) => {
      const [old, row] = before && after ? difference(before as Row, after as Row) : [before, after]
      return { collection, id, ...(old && { before: old as Row }), ...(row && { after: row as Row }) }
    })
}

/** One write per row, from the state before to the state after. */
function netOf(writes: readonly Write[]): Write[] {
  if (writes.length < 2) return [...writes]
  const rows = new Map<string, Write>()
  for (const write of writes) {
    const key = `${write.collection} ${write.id}`
    const first = rows.get(key)
    rows.set(key, first ? { ...write, before: first.before } : write)
  }
  return [...rows.values()].filter(({ before, after }) => before ?? after)
}

function difference(before: Row, after: Row): [Row, Row] {
  const old: Row = {}
  const now: Row = {}
  for (const name in after) {
    if (after[name] === before[name] || JSON.stringify(after[name]) === JSON.stringify(before[name])) continue
    if (name in before) old[name] = before[name]
    now[name] = after[name]
  }
  for (const name in before) if (!(name in after)) old[name] = before[name]
  return [old, now]
}
