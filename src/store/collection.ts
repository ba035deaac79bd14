import BTreeModule from 'sorted-btree'
import type { Rows } from '../contract/types.gen.js'

// CommonJS package: the class is the default export of the module, or the module, by who loads it.
const BTree = ((BTreeModule as { default?: unknown }).default ?? BTreeModule) as typeof BTreeModule.default
type Tree<K, V> = InstanceType<typeof BTree<K, V>>

type Value = string | number | boolean | null
type Fields = Record<string, unknown>

/** Stands for "after every value" in a search key; undefined stands for "before every value". */
const LAST = Symbol('last')

/**
 * The indices of a collection: name, then the fields by which its entries are ordered. A lookup fixes the first of
 * them; where that is a list, a row has an entry per element. `lower(field)` is the field's text in lower case.
 */
export type Indices = Readonly<Record<string, readonly [string, ...string[]]>>

interface Index {
  fields: readonly [string, ...string[]]
  tree: Tree<Fields, undefined>
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
    private readonly rows: Tree<Value, Row>,
    private readonly indices: Record<string, Index>
  ) {}

  static create<C extends keyof Rows, I extends Indices>(indices: I): Collection<Rows[C], keyof I & string> {
    const trees = Object.entries(indices).map(([name, fields]) => [
      name,
      { fields, tree: new BTree<Fields, undefined>(undefined, comparator(fields)) }
    ])
    return new Collection(new BTree<Value, Rows[C]>(undefined, order), Object.fromEntries(trees))
  }

  get size(): number {
    return this.rows.size
  }

  get(id: Value): Row | undefined {
    return this.rows.get(id)
  }

  /** All rows in the order of their ids. */
  all(): IterableIterator<Row> {
    return this.rows.values()
  }

  /** The highest id; undefined in an empty collection. */
  lastId(): Value | undefined {
    return this.rows.maxKey()
  }

  /** Adds a row, or puts it in the place of the one with its id. */
  put(row: Row): Row {
    const key = (row as Fields).id as Value
    const old = this.rows.get(key)
    this.rows.set(key, row)
    for (const name in this.indices) {
      const { tree, fields } = this.indices[name] as Index
      if (old) for (const entry of entries(old as Fields, fields)) tree.delete(entry)
      for (const entry of entries(row as Fields, fields)) tree.set(entry, undefined)
    }
    return row
  }

  remove(id: Value): Row | undefined {
    const old = this.rows.get(id)
    if (!old) return undefined
    this.rows.delete(id)
    for (const name in this.indices) {
      const { tree, fields } = this.indices[name] as Index
      for (const entry of entries(old as Fields, fields)) tree.delete(entry)
    }
    return old
  }

  /** The rows of an index whose first field has this value, in the order of its other fields. */
  *where(name: Names, value: Value, { descending = false, from }: Scan = {}): IterableIterator<Row> {
    const { tree, fields } = this.indices[name] as Index
    const first = fields[0]
    const probe: Fields = { [first]: value }
    if (from !== undefined) probe[fields[1] as string] = from
    if (descending && from === undefined) for (const field of fields.slice(1)) probe[field] = LAST
    if (!descending && from !== undefined) for (const field of fields.slice(2)) probe[field] = LAST
    const walk = descending ? tree.entriesReversed(probe) : tree.entries(probe)
    for (const [entry] of walk) {
      if (entry[first] !== value) return
      yield (entry.row ?? entry) as Row
    }
  }

  /** The first row of an index with this value. */
  first(name: Names, value: Value): Row | undefined {
    for (const row of this.where(name, value)) return row
    return undefined
  }

  fork(): Collection<Row, Names> {
    const indices: Record<string, Index> = {}
    for (const name in this.indices) {
      const { fields, tree } = this.indices[name] as Index
      indices[name] = { fields, tree: tree.clone() }
    }
    return new Collection<Row, Names>(this.rows.clone(), indices)
  }

  toJSON(): Row[] {
    return [...this.all()]
  }
}

/** A row is its own index entry, unless the index is on a list (an entry per different element) or on lower case. */
function entries(row: Fields, fields: readonly [string, ...string[]]): Iterable<Fields> {
  const first = fields[0]
  if (first.startsWith('lower(')) {
    return [{ [first]: String(row[first.slice(6, -1)]).toLowerCase(), id: row.id, row }]
  }
  const value = row[first]
  if (!Array.isArray(value)) return [row]
  return [...new Set(value)].map((element) => ({ [first]: element, id: row.id, row }))
}

function comparator(fields: readonly string[]): (a: Fields, b: Fields) => number {
  return (a, b) => {
    for (const field of fields) {
      const result = order(a[field], b[field])
      if (result !== 0) return result
    }
    return 0
  }
}

function order(a: unknown, b: unknown): number {
  if (a === b) return 0
  if (a === undefined || b === LAST) return -1
  if (b === undefined || a === LAST) return 1
  if (a === null) return -1
  if (b === null) return 1
  return (a as string) < (b as string) ? -1 : 1
}
