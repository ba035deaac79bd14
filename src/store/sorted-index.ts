import BTreeModule from 'sorted-btree'
import { bulkLoad } from 'sorted-btree/extended/bulkLoad.js'
import { sorting } from './sorting.js'
import type { Steps } from './steps.js'
import { noteRead } from './touches.js'

// CommonJS package: the class is the default export of the module, or the module, by who loads it.
const BTree = ((BTreeModule as { default?: unknown }).default ?? BTreeModule) as typeof BTreeModule.default
export type Tree<K, V> = InstanceType<typeof BTree<K, V>>

/** What an index is ordered by: the values of its fields, the last of them making it unique. */
type Key = unknown[]

/**
 * The fields by which the entries of an index are ordered. A lookup fixes the first of them; a row whose first field is
 * null has no entry. Only the first may be more than a field: `each(field)` has an entry for each element of a list,
 * `lower(field)` is a text in lower case; `when(field)` has the entry `true` where the field is true, `absent(field)`
 * where it is null.
 */
export type Fields = readonly [string, ...string[]]

export interface Scan {
  /** Last entry first. */
  descending?: boolean
  /** Start before this value of the second field (after it, when ascending). */
  from?: string | number | undefined
}

const nodeSize = 32

/** Stands for "after every value" in a search key; undefined, or nothing, stands for "before every value". */
const LAST = Symbol('last')

/** Rows in the order of some of their fields. */
export class SortedIndex<Row extends object> {
  private constructor(
    /** Of the collection. */
    private readonly name: string,
    private readonly keysOf: (row: Row) => Key[],
    private readonly tree: Tree<Key, Row>
  ) {}

  static *creating<Row extends object>(name: string, fields: Fields, rows: readonly Row[]): Steps<SortedIndex<Row>> {
    const keysOf = keyReader(fields)
    const entries: [Key, Row][] = []
    for (const row of rows) for (const key of keysOf(row)) entries.push([key, row])
    yield
    return new SortedIndex(name, keysOf, yield* growing(entries, compareKeys))
  }

  add(row: Row): void {
    for (const key of this.keysOf(row)) this.tree.set(key, row)
  }

  remove(row: Row): void {
    for (const key of this.keysOf(row)) this.tree.delete(key)
  }

  /** Most changes of a row leave the fields of an index as they are: then its entries only get another row. */
  replace(old: Row, row: Row): void {
    const before = this.keysOf(old)
    const after = this.keysOf(row)
    const isSame = before.length === after.length && after.every((key, at) => compareKeys(key, before[at] as Key) === 0)
    if (!isSame) for (const key of before) this.tree.delete(key)
    for (const key of after) this.tree.set(key, row)
  }

  /** The rows whose first field has this value, in the order of the other fields. */
  *where(value: unknown, { descending = false, from }: Scan = {}): IterableIterator<Row> {
    const probe = descending === (from === undefined) ? [value, from ?? LAST, LAST, LAST] : [value, from]
    const entry = [] as unknown as [Key, Row]
    for (const [key, row] of descending ? this.tree.entriesReversed(probe, entry) : this.tree.entries(probe, entry)) {
      if (key[0] !== value) return
      noteRead(this.name, row)
      yield row
    }
  }

  /** The first row whose first field has this value. */
  first(value: unknown): Row | undefined {
    const [key, row] = this.tree.nextHigherPair([value]) ?? []
    if (!row || key?.[0] !== value) return undefined
    noteRead(this.name, row)
    return row
  }

  fork(): SortedIndex<Row> {
    return new SortedIndex(this.name, this.keysOf, this.tree.clone())
  }
}

/** Makes a tree of many entries: much faster than adding one after the other. */
export function* growing<K, V>(entries: [K, V][], order: (a: K, b: K) => number): Steps<Tree<K, V>> {
  if (entries.length === 0) return new BTree<K, V>(undefined, order)
  const sorted = yield* sorting(entries, ([a], [b]) => order(a, b))
  const keys = sorted.map(([key]) => key)
  const values = sorted.map(([, value]) => value)
  yield
  return bulkLoad(keys, values, nodeSize, order) as Tree<K, V>
}

/** What gives the keys of a row: one for each value that its first field stands for. */
function keyReader(fields: Fields): (row: object) => Key[] {
  const [, how = 'plain', name] = /^(each|lower|when|absent)\((.+)\)$/.exec(fields[0]) ?? []
  const valuesOf = firsts[how as keyof typeof firsts]
  const first = name ?? fields[0]
  const others = fields.slice(1)
  return (row) => {
    const fieldsOf = row as Record<string, unknown>
    return valuesOf(fieldsOf[first]).map((value) => [value, ...others.map((field) => fieldsOf[field])])
  }
}

/** The values that an index has for the value of its first field. */
const firsts = {
  plain: (value: unknown) => (value === null ? [] : [value]),
  each: (value: unknown) => [...new Set(value as unknown[])],
  lower: (value: unknown) => (value === null ? [] : [String(value).toLowerCase()]),
  when: (value: unknown) => (value === true ? [true] : []),
  absent: (value: unknown) => (value === null ? [true] : [])
}

function compareKeys(a: Key, b: Key): number {
  for (let at = 0; at < a.length || at < b.length; at++) {
    const result = compare(a[at], b[at])
    if (result !== 0) return result
  }
  return 0
}

/** The order of numbers, texts and truths among their like; null comes first. */
export function compare(a: unknown, b: unknown): number {
  if (a === b) return 0
  if (a === undefined || b === LAST) return -1
  if (b === undefined || a === LAST) return 1
  if (a === null) return -1
  if (b === null) return 1
  return (a as string) < (b as string) ? -1 : 1
}
