import type { JournalEntry, RowChange } from '../../contract/types.gen.js'
import type { Write } from '../../store/touches.js'

type ChangeCounts = NonNullable<JournalEntry['changed']>[number]
type Row = Record<string, unknown>

/** How many rows of each collection were added, changed and removed. */
export function countsOf(writes: readonly Write[]): ChangeCounts[] {
  const counts: ChangeCounts[] = []
  for (const write of netOf(writes)) count(counts, write)
  return counts
}

/** The first rows that changed: a new or removed row in full, of a changed one the fields that changed. */
export function changesOf(writes: readonly Write[], most: number): RowChange[] {
  return netOf(writes).slice(0, most).map(rowChange)
}

/** The bytes of the rows that writes hold, old and new. */
export function heldBy(writes: readonly Pick<Write, 'lost' | 'gained'>[]): number {
  let bytes = 0
  for (const { lost, gained } of writes) bytes += lost + gained
  return bytes
}

function count(counts: ChangeCounts[], { collection, before, after }: Write): void {
  let own = counts.find((it) => it.collection === collection)
  if (!own) {
    own = { collection, added: 0, changed: 0, removed: 0 }
    counts.push(own)
  }
  own[before ? (after ? 'changed' : 'removed') : 'added'] += 1
}

function rowChange({ collection, id, before, after }: Write): RowChange {
  if (before && after) return { collection, id, ...difference(before as Row, after as Row) }
  return before ? { collection, id, before: before as Row } : { collection, id, after: after as Row }
}

/** One write per row, from the state before to the state after. */
function netOf(writes: readonly Write[]): readonly Write[] {
  if (writes.length < 2) return writes
  const rows = new Map<string, Write>()
  for (const write of writes) {
    const key = `${write.collection} ${write.id}`
    const first = rows.get(key)
    rows.set(key, first ? { ...write, before: first.before } : write)
  }
  return [...rows.values()].filter(({ before, after }) => before ?? after)
}

function difference(before: Row, after: Row): { before: Row; after: Row } {
  const old: Row = {}
  const now: Row = {}
  for (const name in after) {
    if (after[name] === before[name] || JSON.stringify(after[name]) === JSON.stringify(before[name])) continue
    if (name in before) old[name] = before[name]
    now[name] = after[name]
  }
  for (const name in before) if (!(name in after)) old[name] = before[name]
  return { before: old, after: now }
}
