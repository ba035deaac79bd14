import BTreeModule from 'sorted-btree'
import type { Rows } from '../contract/types.gen.js'

// CommonJS package: the class is the default export of the module, or the module, by who loads it.
const BTree = ((BTreeModule as { default?: unknown }).default ?? BTreeModule) as typeof BTreeModule.default
type Tree<K, V> = InstanceType<typeof BTree<K, V>>

type Id = string | number
/** What an index is ordered by: the values of its fields, the last of them making it unique. */
type Key = unknown[]
type Fields = readonly [string, ...string[]]

/** Stands for "after every value" in a search key; undefined stands for "before every value". */
const LAST = Symbol('last')

/**
 * The indices of a collection: name, then the fields by which its entries are ordered. A lookup fixes the first of
 * them; where that is a list, a row has an entry per element, and where it is null, none. `lower(field)` is the
 * field's text in lower case.
 */
export type Indices = Readonly<Record<string, Fields>>

interface Index<Row> {
  fields: Fields
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
  private constructor(
    private readonly rows: Tree<Id, Row>,
    private readonly indices: Record<string, Index<Row>>
  ) {}

  static create<C extends keyof Rows, I extends Indices>(indices: I): Collection<Rows[C], keyof I & string> {
    const trees = Object.entries(indices).map(([name, fields]) => [
      name,
      { fields, tree: new BTree<Key, Rows[C]>(undefined, compareKeys) }
    ])
    return new Collection(new BTree<Id, Rows[C]>(undefined, compare), Object.fromEntries(trees))
  }

  get size(): number {
    return this.rows.size
  }

  get(id: Id | null): Row | undefined {
    return id === null ? undefined : this.rows.get(id)
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
    this.rows.set(id, row)
    for (const name in this.indices) {
      const { tree, fields } = this.indices[name] as Index<Row>
      if (old) for (const key of keysOf(old, fields)) tree.delete(key)
      for (const key of keysOf(row, fields)) tree.set(key, row)
    }
    return row
  }

  remove(id: Id): Row | undefined {
    const old = this.rows.get(id)
    if (!old) return undefined
    this.rows.delete(id)
    for (const name in this.indices) {
      const { tree, fields } = this.indices[name] as Index<Row>
      for (const key of keysOf(old, fields)) tree.delete(key)
    }
    return old
  }

  /** The rows of an index whose first field has this value, in the order of its other fields. */
  *where(name: Names, value: Id, { descending = false, from }: Scan = {}): IterableIterator<Row> {
    const { tree, fields } = this.indices[name] as Index<Row>
    const probe: Key = fields.map(() => (descending === (from === undefined) ? LAST : undefined))
    probe[0] = value
    if (from !== undefined) probe[1] = from
    const walk = descending ? tree.entriesReversed(probe) : tree.entries(probe)
    for (const [key, row] of walk) {
      if (key[0] !== value) return
      yield row
    }
  }

  /** The first row of an index with this value. */
  first(name: Names, value: Id): Row | undefined {
    for (const row of this.where(name, value)) return row
    return undefined
  }

  fork(): Collection<Row, Names> {
    const indices: Record<string, Index<Row>> = {}
    for (const name in this.indices) {
      const { fields, tree } = this.indices[name] as Index<Row>
      indices[name] = { fields, tree: tree.clone() }
    }
    return new Collection<Row, Names>(this.rows.clone(), indices)
  }

  toJSON(): Row[] {
    return [...this.all()]
  }
}

/** The keys under which an index has a row. */
function keysOf(row: object, fields: Fields): Key[] {
  const [first, ...others] = fields
  const values = row as Record<string, unknown>
  const rest = others.map((field) => values[field])
  if (first.startsWith('lower(')) return [[String(values[first.slice(6, -1)]).toLowerCase(), ...rest]]
  const value = values[first]
  if (value === null) return []
  return Array.isArray(value) ? [...new Set(value)].map((element) => [element, ...rest]) : [[value, ...rest]]
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
