import diffAgainstModule from 'sorted-btree/extended/diffAgainst.js'
import type { JsonObject } from '../contract/load.js'
import { compare, type Fields, type Scan, SortedIndex } from './sorted-index.js'
import { atOnce, type Steps } from './steps.js'
import { growing, type Tree } from './tree.js'

// This CommonJS package is loaded as its default export or as a module, depending on the loader.
const diffAgainst = ((diffAgainstModule as { default?: unknown }).default ??
  diffAgainstModule) as typeof diffAgainstModule.default

export type Id = string | number

export type AnyRow = JsonObject & { readonly id: Id }

export type Indices = Readonly<Record<string, Fields>>

/** Receives every row that a collection gets or loses. A replaced row is both. */
export interface Follower<Row> {
  add(row: Row): void
  remove(row: Row): void
}

/**
 * The rows that an exchange touched: the ids of the first rows that it read, those that it looked for by id and did not find, and
 * each written row before and after.
 */
export interface Touches {
  /** Alternating collections and ids. The journal stores one flat list more cheaply than many pairs. */
  reads: (string | number)[]
  missed: (string | number)[]
  writes: Write[]
}

export interface Write {
  collection: string
  id: string | number
  /** Undefined if the row was new. */
  before: object | undefined
  /** Undefined if the row was removed. */
  after: object | undefined
  /** The size of what only the old row has, and of what only the new one has. */
  lost: number
  gained: number
}

/** The highest number of read rows per exchange in the journal. */
const mostReads = 50

/** Records the reads and writes of a store's collections. */
export class Notes {
  /** Undefined while nothing is recorded. */
  touches: Touches | undefined

  read(collection: string, row: object): void {
    const { touches } = this
    if (touches && touches.reads.length < 2 * mostReads) touches.reads.push(collection, (row as { id: number }).id)
  }

  miss(collection: string, id: Id): void {
    const { touches } = this
    if (touches && touches.missed.length < 2 * mostReads) touches.missed.push(collection, id)
  }

  write(write: Write): void {
    this.touches?.writes.push(write)
  }
}

const none: readonly never[] = []

/** So many rows are sorted at once, and so many changes wait for the first read of an index. */
const few = 2000

/**
 * Rows of one kind, by id and by index. Rows are never changed, only replaced, so readers need no copy. `fork` costs
 * almost nothing: both sides share the trees until one writes, and share unchanged nodes after that.
 */
export class Collection<Row extends object = AnyRow, Names extends string = string> {
  private views: Map<string, unknown> | undefined
  private followers: readonly Follower<Row>[] = none
  /** Whether a fork, or the collection that this one was forked from, shares the trees. */
  private isShared = false
  /** Whether all indices were created once. */
  private isWhole = false

  private constructor(
    private readonly name: string,
    readonly notes: Notes,
    private rows: Tree<Id, Row>,
    /** The existing indices of `fields`. Collections that share the rows also share this map, and the changes. */
    private indices: Map<string, SortedIndex<Row>>,
    /** Replaced and new rows, alternating. An index follows them when it is read. */
    private changes: (Row | undefined)[],
    private readonly fields: Indices,
    /** The approximate size of all rows as JSON. */
    public bytes: number
  ) {}

  static *creating(name: string, indices: Indices, rows: Iterable<AnyRow>, notes: Notes): Steps<Collection> {
    const all = [...rows]
    const sorted = new Map<string, SortedIndex<AnyRow>>()
    // Few rows are sorted on first use: most tests need few indices.
    for (const [index, fields] of all.length > few ? Object.entries(indices) : []) {
      sorted.set(index, yield* SortedIndex.creating(name, fields, all))
      yield
    }
    const byId = all.map((row) => [row.id, row] as [Id, AnyRow])
    const bytes = all.reduce((sum, row) => sum + sizeOf(row), 0)
    yield
    return new Collection(name, notes, yield* growing(byId, compare), sorted, [], indices, bytes)
  }

  get size(): number {
    return this.rows.size
  }

  get(id: Id | null): Row | undefined {
    if (id === null) return undefined
    const row = this.rows.get(id)
    if (row) this.notes.read(this.name, row)
    else this.notes.miss(this.name, id)
    return row
  }

  has(id: Id): boolean {
    return this.rows.has(id)
  }

  /** All rows in the order of their ids. */
  all(): IterableIterator<Row> {
    return this.rows.values()
  }

  /** The highest id. Undefined if the collection is empty. */
  lastId(): Id | undefined {
    return this.rows.maxKey()
  }

  /** Adds a row, if none has its id. Returns whether it did. */
  add(row: Row): boolean {
    this.prepareToWrite()
    if (!this.rows.set((row as { id: Id }).id, row, false)) return false
    this.record(undefined, row)
    return true
  }

  /** Adds a row, or replaces the row with the same id. */
  put(row: Row): Row {
    // Most rows are new, so one descent of the tree is enough.
    if (this.add(row)) return row
    const { id } = row as { id: Id }
    const old = this.rows.get(id) as Row
    this.rows.set(id, row)
    this.record(old, row)
    return row
  }

  /** Records a new row, which may replace another one. */
  private record(old: Row | undefined, row: Row): void {
    const { id } = row as { id: Id }
    const lost = old ? differenceOf(old, row) : 0
    const gained = old ? differenceOf(row, old) : sizeOf(row)
    this.notes.write({ collection: this.name, id, before: old, after: row, lost, gained })
    this.bytes += gained - lost
    this.noteChange(old, row)
    for (const follower of this.followers) {
      if (old) follower.remove(old)
      follower.add(row)
    }
  }

  /** Replaces rows of a fork without followers. The indices of few rows are rebuilt on first use. */
  replace(rows: readonly Row[]): void {
    if (this.size > few || this.followers.length > 0) {
      for (const row of rows) this.put(row)
      return
    }
    this.rows = this.rows.clone()
    this.indices = new Map()
    this.changes = []
    this.isShared = this.isWhole = false
    for (const row of rows) {
      const { id } = row as { id: Id }
      const old = this.rows.get(id) as Row
      this.bytes += differenceOf(row, old) - differenceOf(old, row)
      this.rows.set(id, row)
    }
  }

  remove(id: Id): Row | undefined {
    const old = this.rows.get(id)
    if (!old) return undefined
    const lost = sizeOf(old)
    this.notes.write({ collection: this.name, id, before: old, after: undefined, lost, gained: 0 })
    this.prepareToWrite()
    this.rows.delete(id)
    this.bytes -= lost
    this.noteChange(old, undefined)
    for (const follower of this.followers) follower.remove(old)
    return old
  }

  /** The rows of an index whose first field has this value, in the order of its other fields. */
  where(name: Names, value: Id | true, scan?: Scan): IterableIterator<Row> {
    return this.index(name).where(this.rows, this.notes, value, scan)
  }

  first(name: Names, value: Id): Row | undefined {
    return this.index(name).first(this.rows, this.notes, value)
  }

  /** The first row with this value of a field that an index begins with. */
  firstWith(field: string, value: Id): Row | undefined {
    for (const name in this.fields)
      if (this.fields[name]?.[0] === field) return this.index(name).first(this.rows, this.notes, value)
    for (const row of this.all()) if ((row as AnyRow)[field] === value) return row
    return undefined
  }

  /** A value that is cached with the rows under this name. The first call creates it. A fork creates its own. */
  view<View>(name: string, make: () => View): View {
    this.views ??= new Map()
    if (!this.views.has(name)) this.views.set(name, make())
    return this.views.get(name) as View
  }

  follow(follower: Follower<Row>): void {
    this.followers = [...this.followers, follower]
  }

  fork(notes = new Notes()): Collection<Row, Names> {
    const { name, rows, indices, changes, fields, bytes } = this
    const fork = new Collection<Row, Names>(name, notes, rows, indices, changes, fields, bytes)
    fork.isShared = this.isShared = true
    return fork
  }

  /** Whether neither side has been written to since one was forked from the other. */
  isAs(other: Collection<Row, Names>): boolean {
    return this.rows === other.rows
  }

  /** The rows that another collection has added, changed and removed. Both must have a common origin. */
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

  /** Creates all indices, so that collections that share the rows need not each create its own, and stops sharing. */
  private prepareToWrite(): void {
    if (!this.isWhole) for (const name in this.fields) this.index(name)
    this.isWhole = true
    if (this.isShared) this.unshare()
  }

  /** Stops sharing trees. Nodes are copied one by one when they are written to. */
  private unshare(): void {
    this.indices = new Map([...this.indices].map(([name, index]) => [name, index.fork()]))
    this.changes = [...this.changes]
    this.rows = this.rows.clone()
    this.isShared = false
  }

  private index(name: string): SortedIndex<Row> {
    let index = this.indices.get(name)
    if (!index) {
      index = atOnce(SortedIndex.creating(this.name, this.fields[name] as Fields, [...this.rows.values()]))
      index.position = this.changes.length
      this.indices.set(name, index)
    }
    index.follow(this.changes)
    return index
  }

  private noteChange(old: Row | undefined, row: Row | undefined): void {
    if (this.indices.size === 0) return
    this.changes.push(old, row)
    if (this.changes.length > 2 * Math.max(few, this.size)) this.forgetUnread()
  }

  /** Forgets indices that were not read for long: creating them again costs no more than following. */
  private forgetUnread(): void {
    const { changes } = this
    for (const [name, index] of this.indices) {
      if (index.position < changes.length / 2) this.indices.delete(name)
      else index.follow(changes)
      index.position = 0
    }
    this.changes = []
  }
}

/** The approximate bytes of a value as JSON, one per character. In memory it takes two to three times that. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 5
  let size = 2
  if (Array.isArray(value)) for (const item of value) size += 1 + sizeOf(item)
  else for (const name in value) size += name.length + 4 + sizeOf((value as Record<string, unknown>)[name])
  return size
}

/** The size of the fields that another row does not have, or has with another value. */
function differenceOf(row: object, other: object): number {
  const fields = row as Record<string, unknown>
  const others = other as Record<string, unknown>
  let size = 0
  for (const name in fields) {
    const isIn = fields[name] !== undefined || name in others
    if (fields[name] === others[name] && isIn) continue
    size += sizeOf(fields[name]) + (name in others ? 0 : name.length + 4)
  }
  return size
}
