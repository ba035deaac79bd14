import BTreeModule from 'sorted-btree'
import { bulkLoad } from 'sorted-btree/extended/bulkLoad.js'
import diffAgainstModule from 'sorted-btree/extended/diffAgainst.js'
import type { Rows } from '../contract/types.gen.js'
import { noteRead, noteWrite } from './touches.js'
import { WordIndex } from './words.js'

// CommonJS package: the class is the default export of the module, or the module, by who loads it.
const BTree = ((BTreeModule as { default?: unknown }).default ?? BTreeModule) as typeof BTreeModule.default
const diffAgainst = ((diffAgainstModule as { default?: unknown }).default ??
  diffAgainstModule) as typeof diffAgainstModule.default
type Tree<K, V> = InstanceType<typeof BTree<K, V>>

type Id = string | number
/** What an index is ordered by: the values of its fields, the last of them making it unique. */
type Key = unknown[]
type Fields = readonly [string, ...string[]]

const nodeSize = 32

/** Stands for "after every value" in a search key; undefined stands for "before every value". */
const LAST = Symbol('last')

/**
 * The indices of a collection: name, then the fields by which its entries are ordered. A lookup fixes the first of
 * them; a row whose first field is null has no entry. `each(field)` has an entry for each element of a list,
 * `lower(field)` is a text in lower case; both can only come first.
 */
export type Indices = Readonly<Record<string, Fields>>

interface Index<Row> {
  fields: Fields
  /** The keys under which it has a row. */
  keysOf: (row: Row) => Key[]
  tree: Tree<Key, Row>
}

export interface Scan {
  /** Last entry first. */
  descending?: boolean
  /** Start before this value of the second field (after it, when ascending). */
  from?: string | number
}

/**
 * Rows of one kind, by id and by index. Rows are never changed, only replaced, so readers need no copy.
 * `fork` costs the same however many rows there are: the trees share their nodes until one side writes.
 */
export class Collection<Row extends object, Names extends string = string> {
  /** Made when a search first asks for it; a fork makes its own. */
  private words: WordIndex<Row> | undefined

  private constructor(
    private readonly name: string,
    private readonly rows: Tree<Id, Row>,
    private readonly indices: Record<string, Index<Row>>
  ) {}

  static create<C extends keyof Rows, I extends Indices>(
    name: C,
    indices: I,
    rows: Iterable<Rows[C]>
  ): Collection<Rows[C], keyof I & string> {
    const all = [...rows]
    const trees = Object.entries(indices).map(([name, fields]) => [name, createIndex(fields, all)])
    const byId = all.map((row) => [row.id, row] as [Id, Rows[C]])
    return new Collection(name, treeOf(byId, compare), Object.fromEntries(trees))
  }

  get size(): number {
    return this.rows.size
  }

  get(id: Id | null): Row | undefined {
    const row = id === null ? undefined : this.rows.get(id)
    if (row) noteRead(this.name, row)
    return row
  }

  has(id: Id): boolean {
    return this.rows.has(id)
  }

  /** All rows in the order of their ids. */
  all(): IterableIterator<Row> {
    return this.rows.values()
  }

  /** The highest id; undefined in an empty collection. */
  lastId(): Id | undefined {
    return this.rows.maxKey()
  }

  /** Adds a row, or puts it in the place of the one with its id. */
  put(row: Row): Row {
    const { id } = row as { id: Id }
    const old = this.rows.get(id)
    noteWrite(this.name, id, old)
    this.rows.set(id, row)
    for (const name in this.indices) {
      const index = this.indices[name] as Index<Row>
      if (old) for (const key of index.keysOf(old)) index.tree.delete(key)
      for (const key of index.keysOf(row)) index.tree.set(key, row)
    }
    if (old) this.words?.remove(old)
    this.words?.add(row)
    return row
  }

  remove(id: Id): Row | undefined {
    const old = this.rows.get(id)
    if (!old) return undefined
    noteWrite(this.name, id, old)
    this.rows.delete(id)
    for (const name in this.indices) {
      const index = this.indices[name] as Index<Row>
      for (const key of index.keysOf(old)) index.tree.delete(key)
    }
    this.words?.remove(old)
    return old
  }

  /** The rows of an index whose first field has this value, in the order of its other fields. */
  *where(name: Names, value: Id, { descending = false, from }: Scan = {}): IterableIterator<Row> {
    const { tree, fields } = this.indices[name] as Index<Row>
    const rest = fields.map(() => (descending === (from === undefined) ? LAST : undefined))
    const probe: Key = from === undefined ? [value, ...rest.slice(1)] : [value, from, ...rest.slice(2)]
    for (const [key, row] of descending ? tree.entriesReversed(probe) : tree.entries(probe)) {
      if (key[0] !== value) return
      noteRead(this.name, row)
      yield row
    }
  }

  /** The first row of an index with this value. */
  first(name: Names, value: Id): Row | undefined {
    for (const row of this.where(name, value)) return row
    return undefined
  }

  /** The rows by the words of a text: those of `owner`, in the order of `time`. */
  byWord(owner: keyof Row & string, text: keyof Row & string, time: keyof Row & string): WordIndex<Row> {
    if (!this.words) {
      this.words = new WordIndex(owner, text, time)
      for (const row of this.all()) this.words.add(row)
    }
    return this.words
  }

  fork(): Collection<Row, Names> {
    const indices: Record<string, Index<Row>> = {}
    for (const name in this.indices) {
      const index = this.indices[name] as Index<Row>
      indices[name] = { ...index, tree: index.tree.clone() }
    }
    return new Collection<Row, Names>(this.name, this.rows.clone(), indices)
  }

  /** Which rows another collection, with the same rows once, has beside this one or has changed, and which it lacks. */
  difference(other: Collection<Row, Names>): { put: Row[]; remove: Id[] } {
    const put: Row[] = []
    const remove: Id[] = []
    diffAgainst(
      this.rows,
      other.rows,
      (id) => void remove.push(id),
      (_, row) => void put.push(row),
      (_, __, row) => void put.push(row)
    )
    return { put, remove }
  }

  toJSON(): Row[] {
    return [...this.all()]
  }
}

/** A tree of many entries: much faster than adding one after the other. */
function treeOf<K, V>(entries: [K, V][], order: (a: K, b: K) => number): Tree<K, V> {
  if (entries.length === 0) return new BTree<K, V>(undefined, order)
  entries.sort(([a], [b]) => order(a, b))
  const keys = entries.map(([key]) => key)
  const values = entries.map(([, value]) => value)
  return bulkLoad(keys, values, nodeSize, order) as Tree<K, V>
}

function createIndex<Row extends object>(fields: Fields, rows: Row[]): Index<Row> {
  const keysOf = keyReader(fields)
  const entries: [Key, Row][] = []
  for (const row of rows) for (const key of keysOf(row)) entries.push([key, row])
  return { fields, keysOf, tree: treeOf(entries, compareKeys) }
}

/** What gives the keys of a row: one, one for each element of the first field's list, or none where that is null. */
function keyReader(fields: Fields): (row: object) => Key[] {
  const [, how, name] = /^(each|lower)\((.+)\)$/.exec(fields[0]) ?? []
  const first = name ?? fields[0]
  const others = fields.slice(1)
  return (row) => {
    const values = row as Record<string, unknown>
    const value = values[first]
    if (value === null) return []
    const rest = others.map((field) => values[field])
    if (how === 'each') return [...new Set(value as unknown[])].map((element) => [element, ...rest])
    return [[how === 'lower' ? String(value).toLowerCase() : value, ...rest]]
  }
}

function compareKeys(a: Key, b: Key): number {
  for (let at = 0; at < a.length; at++) {
    const result = compare(a[at], b[at])
    if (result !== 0) return result
  }
  return 0
}

function compare(a: unknown, b: unknown): number {
  if (a === b) return 0
  if (a === undefined || b === LAST) return -1
  if (b === undefined || a === LAST) return 1
  if (a === null) return -1
  if (b === null) return 1
  return (a as string) < (b as string) ? -1 : 1
}
