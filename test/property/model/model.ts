import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'

type Name = keyof Rows
type Id = string | number
type User = Rows['users']

/** A call of an operation, before it is sent. */
export interface Call {
  operation: string
  /** A user's key; null: no token. */
  as: string | null
  path: Record<string, Id>
  query: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  /** Sent as a form: texts, or files with a name. */
  form?: [name: string, value: string | { name: string; text: string }][]
  /** Sent unchanged, not as JSON. */
  malformed?: string
  /** The place of a 422. */
  wrong?: Id[]
}

/** The expected answer to a call. */
export interface Expected {
  status: number
  /** The whole body; or a function that finds mistakes in an unpredictable one. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  body?: unknown | ((body: any) => unknown)
  /** What the call changes, given its reply. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  then?: (body: any) => void
}

// biome-ignore lint/suspicious/noExplicitAny: the body of a call is what its operation takes
export type Predict = (call: Call & { body: any }, model: Model, user: User) => Expected

/** The state of a mock, in maps: rows are changed in place, searched one by one, and sorted if order matters. */
export class Model {
  readonly tables: { [C in Name]: Map<Id, Rows[C]> }
  /** Ids that existed once. */
  readonly gone: { [C in Name]: Id[] }
  /** Every id that was ever seen, by its collection. */
  private readonly seen = new Map<Name, Set<Id>>()
  now: number

  constructor({ collections, now }: { collections: object; now: number }) {
    const names = Object.keys(collections) as Name[]
    const copy = structuredClone(collections) as { [C in Name]: Rows[C][] }
    const tables = names.map((name) => [name, new Map(copy[name].map((row) => [row.id, row]))])
    this.tables = Object.fromEntries(tables)
    this.gone = Object.fromEntries(names.map((name) => [name, []])) as unknown as { [C in Name]: Id[] }
    for (const name of names) this.seen.set(name, new Set(this.tables[name].keys()))
    this.now = now
  }

  get moment(): string {
    return new Date(this.now).toISOString()
  }

  find<C extends Name>(name: C, id: unknown): Rows[C] | undefined {
    return this.tables[name].get(id as Id)
  }

  all<C extends Name>(name: C, wanted: (row: Rows[C]) => boolean = () => true): Rows[C][] {
    return [...this.tables[name].values()].filter(wanted)
  }

  add<C extends Name>(name: C, row: Rows[C]): void {
    this.tables[name].set(row.id, row)
    this.seen.get(name)?.add(row.id)
  }

  remove<C extends Name>(name: C, rows: Rows[C][]): void {
    for (const { id } of rows) {
      this.tables[name].delete(id)
      this.gone[name].push(id)
    }
  }

  /** Whether an id is one that no row ever had. */
  isFresh(name: Name, id: Id): boolean {
    return !this.seen.get(name)?.has(id)
  }
}

export const missing: Expected = { status: 404 }

/** Rows that the caller may read but not change. */
export const readOnly: Expected = { status: 403 }

export function done(body: unknown, then?: Expected['then']): Expected {
  return { status: 200, body, then }
}

/** Higher ids first, or texts in reverse order. */
export function backwards<Row>(...keys: ((row: Row) => Id)[]): (a: Row, b: Row) => number {
  return (a, b) => {
    for (const key of keys) {
      if (key(a) !== key(b)) return key(a) < key(b) ? 1 : -1
    }
    return 0
  }
}
