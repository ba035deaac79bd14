import BTreeModule from 'sorted-btree'
import { bulkLoad } from 'sorted-btree/extended/bulkLoad.js'
import type { Rows } from '../contract/types.gen.js'
import { noteRead, noteWrite } from './touches.js'
import { WordIndex } from './words.js'

// CommonJS package: the class is the default export of the module, or the module, by who loads it.
const BTree = ((BTreeModule as { default?: unknown }).default ?? BTreeModule) as typeof BTreeModule.default
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
 * `fork` costs next to nothing: both sides share the trees until one writes, and then still their nodes.
 */
export class Collection<Row extends object, Names extends string = string> {
  /** Made when a search first asks for it; a fork makes its own. */
  private words: WordIndex<Row> | undefined
  /** Whether a fork, or what this one is a fork of, has the same trees. */
  private isShared = false

  private constructor(
    private readonly name: string,
    private rows: Tree<Id, Row>,
    private indices: Record<string, Index<Row>>
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
    noteWrite(this.name, id)
    if (this.isShared) this.unshare()
    const old = this.rows.get(id)
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
    noteWrite(this.name, id)
    if (this.isShared) this.unshare()
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
    const fork = new Collection<Row, Names>(this.name, this.rows, this.indices)
    fork.isShared = this.isShared = true
    return fork
  }

  /** Takes trees of its own, whose nodes are copied one by one as they are written to. */
  private unshare(): void {
    const own = Object.entries(this.indices).map(([name, index]) => [name, { ...index, tree: index.tree.clone() }])
    this.indices = Object.fromEntries(own)
    this.rows = this.rows.clone()
    this.isShared = false
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
