import { type AnyRow, Collection, type Indices, Notes, type Write } from './collection.js'
import { atOnce, type Steps } from './steps.js'

/** The collections of an API, in order, with their look-up indices. The last field of an index makes its entries unique. */
export type Collections = Readonly<Record<string, { readonly indices?: Indices }>>

export type Store = Readonly<Record<string, Collection>>

/** A collection of a store. Throws an Error if there is none of this name. */
export function collectionOf(store: Store, name: string): Collection {
  if (!Object.hasOwn(store, name)) throw new Error(`there is no collection ${name}`)
  return store[name] as Collection
}

/** Rows by collection. Other collections than those of the API have no indices. */
export type RowsIn = Readonly<Record<string, Iterable<AnyRow> | Later>>

/** Rows of a user's own collection that are created on its first use, in any store that begins with them. */
export class Later {
  private rows: Collection | undefined

  constructor(
    private readonly name: string,
    private readonly make: () => Iterable<AnyRow>
  ) {}

  get bytes(): number {
    return this.rows?.bytes ?? 0
  }

  collection(): Collection {
    this.rows ??= atOnce(Collection.creating(this.name, {}, this.make(), new Notes()))
    return this.rows
  }

  /** The store has the collection from its first use on. */
  putInto(store: Store, notes: Notes): void {
    const byName = laters.get(store) ?? new Map<string, Later>()
    laters.set(store, byName.set(this.name, this))
    const usual = { enumerable: true, configurable: true }
    const get = () => {
      const value = this.collection().fork(notes)
      byName.delete(this.name)
      Object.defineProperty(store, this.name, { ...usual, value, writable: true })
      return value
    }
    Object.defineProperty(store, this.name, { ...usual, get })
  }
}

const recorders = new WeakMap<Store, Notes>()

/** The collections that stores do not have yet. */
const laters = new WeakMap<Store, Map<string, Later>>()

/** The rows to create for a collection that this store has not used yet. */
export function laterIn(store: Store, name: string): Later | undefined {
  return laters.get(store)?.get(name)
}

/** The names of a store's collections: those of the API, then the user's own. */
export function namesOf(store: Store): string[] {
  return Object.keys(store)
}

export function createStore(collections: Collections, rows: RowsIn = {}): Store {
  return atOnce(creatingStore(collections, rows))
}

export function* creatingStore(collections: Collections, rows: RowsIn): Steps<Store> {
  const store: Record<string, Collection> = {}
  const notes = new Notes()
  recorders.set(store, notes)
  for (const name of new Set([...Object.keys(collections), ...Object.keys(rows)])) {
    const source = rows[name] ?? []
    if (source instanceof Later) {
      source.putInto(store, notes)
      continue
    }
    store[name] = yield* Collection.creating(name, collections[name]?.indices ?? {}, source, notes)
    yield
  }
  return store
}

/** Ensures that a store has these collections. New ones are empty. */
export function ensureCollections(store: Store, names: Iterable<string>): void {
  for (const name of names) {
    if (Object.hasOwn(store, name)) continue
    const all = store as Record<string, Collection>
    all[name] = atOnce(Collection.creating(name, {}, [], notesOf(store)))
  }
}

/** A separate store with the same rows; see Collection.fork. */
export function forkStore(store: Store): Store {
  const notes = new Notes()
  const fork: Record<string, Collection> = {}
  recorders.set(fork, notes)
  const later = laters.get(store)
  for (const name of namesOf(store)) {
    const pending = later?.get(name)
    if (pending) pending.putInto(fork, notes)
    else fork[name] = collectionOf(store, name).fork(notes)
  }
  return fork
}

/** The recorder of the reads and writes in a store. */
export function notesOf(store: Store): Notes {
  return recorders.get(store) as Notes
}

/** The approximate size of all rows as JSON. Stores that begin with the same rows count those equally, created or not. */
export function bytesOf(store: Store): number {
  const later = laters.get(store)
  let bytes = 0
  for (const name of namesOf(store)) bytes += (later?.get(name) ?? collectionOf(store, name)).bytes
  return bytes
}

export function countRows(store: Store): number {
  return namesOf(store).reduce((sum, name) => sum + collectionOf(store, name).size, 0)
}

export function undoWrites(store: Store, writes: readonly Write[]): void {
  for (const { collection, id, before } of [...writes].reverse()) {
    if (before) collectionOf(store, collection).put(before as AnyRow)
    else collectionOf(store, collection).remove(id)
  }
}
