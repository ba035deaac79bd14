import type { Steps } from './steps.js'
import { growing, type Tree } from './tree.js'

/** A key after every value. A missing key, or undefined, comes before every value. */
export const LAST = Symbol('last')

/** The order of numbers, texts and booleans of the same type. Null comes first. */
export function compare(a: unknown, b: unknown): number {
  if (a === b) return 0
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : 1
  if (a === undefined || b === LAST) return -1
  if (b === undefined || a === LAST) return 1
  if (a === null) return -1
  if (b === null) return 1
  return (a as string) < (b as string) ? -1 : 1
}

/** The entry of a row in an index: the row, or a derived value with its id if the first field is a function. */
type Entry<Row> = Row | SortKey

interface SortKey {
  first: unknown
  id: Id
}

type Id = string | number

interface EntryForm<Row> {
  /** The entries of a row: one for each value of its first field. */
  entriesOf(row: Row): Entry<Row>[]
  compare(a: Entry<Row>, b: Entry<Row>): number
  /** The value of an entry's first field. */
  firstOf(entry: Entry<Row>): unknown
  rowOf(entry: Entry<Row>, rows: Tree<Id, Row>): Row | undefined
  /** Whether a row has the same entries as the row that it replaces. */
  stays(old: Row, row: Row): boolean
  /** An entry with these values, for look-ups. */
  probe(first: unknown, second: unknown, rest: unknown): Entry<Row>
}

/**
 * The fields that order the entries of an index. A look-up fixes the first one; a row where it is null has no entry.
 * Only the first one may be a function, and `id` is then the other one: `each(field)` has an entry for each element of
 * a list, `lower(field)` is a text in lower case, `when(field)` has the entry `true` if the field is true,
 * `filled(field)` if it is a non-empty list, `absent(field)` if it is null.
 */
export type Fields = readonly [string, string, string?]

interface ReadLog {
  read(collection: string, row: object): void
}

export interface Scan {
  /** The last entry first. */
  descending?: boolean
  /** Starts before this value of the second field, or after it when ascending. */
  from?: string | number | undefined
}

/** Rows in the order of some of their fields. */
export class SortedIndex<Row extends object> {
  /** How many of the collection's changes it has followed. */
  position = 0

  private constructor(
    private readonly name: string,
    private readonly form: EntryForm<Row>,
    /** A set: keys without values. */
    private readonly tree: Tree<Entry<Row>, undefined>
  ) {}

  static *creating<Row extends object>(name: string, fields: Fields, rows: readonly Row[]): Steps<SortedIndex<Row>> {
    const form = formOf<Row>(fields)
    const entries: [Entry<Row>, undefined][] = []
    for (const row of rows) for (const entry of form.entriesOf(row)) entries.push([entry, undefined])
    yield
    return new SortedIndex(name, form, yield* growing(entries, form.compare))
  }

  /** Follows the changes since the last call: old and new rows, alternating. */
  follow(changes: readonly (Row | undefined)[]): void {
    for (; this.position < changes.length; this.position += 2)
      this.replace(changes[this.position], changes[this.position + 1])
  }

  /** Most changes of a row do not touch the fields of an index. Then the row only replaces the old one. */
  private replace(old: Row | undefined, row: Row | undefined): void {
    const { compare, stays, entriesOf } = this.form
    if (old && row && stays(old, row)) return
    const before = old ? entriesOf(old) : []
    const after = row ? entriesOf(row) : []
    const isSame =
      before.length === after.length && after.every((entry, at) => compare(entry, before[at] as Entry<Row>) === 0)
    if (!isSame) for (const entry of before) this.tree.delete(entry)
    for (const entry of after) this.tree.set(entry, undefined)
  }

  /** The rows whose first field has this value, in the order of the other fields. */
  *where(
    rows: Tree<Id, Row>,
    notes: ReadLog,
    value: unknown,
    { descending = false, from }: Scan = {}
  ): IterableIterator<Row> {
    const { probe, firstOf, rowOf } = this.form
    const start = descending === (from === undefined) ? probe(value, from ?? LAST, LAST) : probe(value, from, undefined)
    const pair = [] as unknown as [Entry<Row>, undefined]
    for (const [entry] of descending ? this.tree.entriesReversed(start, pair) : this.tree.entries(start, pair)) {
      if (firstOf(entry) !== value) return
      const row = rowOf(entry, rows)
      // It may have been removed since the first one.
      if (!row) continue
      notes.read(this.name, row)
      yield row
    }
  }

  first(rows: Tree<Id, Row>, notes: ReadLog, value: unknown): Row | undefined {
    const { probe, firstOf, rowOf } = this.form
    const entry = this.tree.nextHigherKey(probe(value, undefined, undefined))
    if (entry === undefined || firstOf(entry) !== value) return undefined
    const row = rowOf(entry, rows)
    if (row) notes.read(this.name, row)
    return row
  }

  fork(): SortedIndex<Row> {
    const fork = new SortedIndex(this.name, this.form, this.tree.clone())
    fork.position = this.position
    return fork
  }
}

function formOf<Row extends object>([first, second, third]: Fields): EntryForm<Row> {
  const [, how, name] = /^(each|lower|when|filled|absent)\((.+)\)$/.exec(first) ?? []
  if (how === undefined) return formOfRows(first, second, third)
  return formOfDerived(derivations[how as keyof typeof derivations], name as string)
}

/** Entries that are the rows themselves. They take no extra memory and need no allocation to compare. */
function formOfRows<Row extends object>(first: string, second: string, third: string | undefined): EntryForm<Row> {
  const fields = third === undefined ? [first, second] : [first, second, third]
  return {
    entriesOf: (row) => (fieldOf(row, first) === null ? [] : [row]),
    // Without a loop: it runs a dozen times for each new row.
    compare: (a, b) =>
      compare(fieldOf(a, first), fieldOf(b, first)) ||
      compare(fieldOf(a, second), fieldOf(b, second)) ||
      (third === undefined ? 0 : compare(fieldOf(a, third), fieldOf(b, third))),
    firstOf: (row) => fieldOf(row, first),
    rowOf: (row) => row as Row,
    // The entry is the row itself, so it must always be replaced.
    stays: () => false,
    probe: (...values) => probeOf(fields, values) as Row
  }
}

function formOfDerived<Row extends object>(valuesOf: (value: unknown) => unknown[], first: string): EntryForm<Row> {
  const idOf = (row: Row) => fieldOf(row, 'id') as Id
  return {
    entriesOf: (row) => valuesOf(fieldOf(row, first)).map((value) => ({ first: value, id: idOf(row) })),
    compare(one, other) {
      const [a, b] = [one as SortKey, other as SortKey]
      return compare(a.first, b.first) || compare(a.id, b.id)
    },
    firstOf: (entry) => (entry as SortKey).first,
    rowOf: (entry, rows) => rows.get((entry as SortKey).id),
    stays: (old, row) => fieldOf(old, first) === fieldOf(row, first),
    probe: (value, id) => ({ first: value, id: id as Id })
  }
}

/** The functions of the first field. */
const derivations = {
  each: (value: unknown) => [...new Set(value as unknown[])],
  lower: (value: unknown) => (value === null ? [] : [String(value).toLowerCase()]),
  when: (value: unknown) => (value === true ? [true] : []),
  filled: (value: unknown) => ((value as unknown[]).length > 0 ? [true] : []),
  absent: (value: unknown) => (value === null ? [true] : [])
}

/** An object with these values in these fields. The last value is used for all remaining fields. */
function probeOf(fields: readonly string[], values: unknown[]): object {
  const probe: Record<string, unknown> = {}
  let at = 0
  for (const field of fields) {
    probe[field] = values[at]
    if (at < values.length - 1) at++
  }
  return probe
}

function fieldOf(row: object, name: string): unknown {
  return (row as Record<string, unknown>)[name]
}
