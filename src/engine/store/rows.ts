import type { Rows } from '../contract/types.gen.js'
import { Collection, type Indices } from './collection.js'
import { atOnce, type Steps } from './steps.js'
import { Notes } from './touches.js'

export type CollectionName = keyof Rows

/** The look-up indices of each collection. The last field makes entries unique. */
const indices = {
  users: { byKey: ['key', 'id'], byEmail: ['lower(email)', 'id'] },
  personas: {
    byOwner: ['owner_id', 'id'],
    byUser: ['each(user_ids)', 'id'],
    byTool: ['each(tool_ids)', 'id'],
    byDocumentSet: ['each(document_set_ids)', 'id'],
    byFile: ['each(user_file_ids)', 'id']
  },
  tools: { byUser: ['user_id', 'id'] },
  documentSets: {
    byPair: ['each(cc_pair_ids)', 'id'],
    byUser: ['each(users)', 'id'],
    federated: ['filled(federated_connector_summaries)', 'id']
  },
  labels: {},
  chatSessions: {
    byUpdate: ['user_id', 'time_updated', 'id'],
    byCreation: ['user_id', 'time_created', 'id'],
    byProject: ['project_id', 'time_updated', 'id'],
    byPersona: ['persona_id', 'time_created', 'id']
  },
  credentials: {
    byUser: ['user_id', 'id'],
    bySource: ['source', 'id'],
    ofNobody: ['absent(user_id)', 'id'],
    ofAdmins: ['when(admin_public)', 'id'],
    ofCurators: ['when(curator_public)', 'id']
  },
  connectors: {},
  connectorCredentials: { byConnector: ['connector_id', 'credential_id', 'id'], byCredential: ['credential_id', 'id'] },
  indexAttempts: { byPair: ['connector_credential_id', 'id'] },
  projects: { byUser: ['user_id', 'id'] },
  projectFiles: { byProject: ['project_id', 'linked_at', 'id'], byFile: ['user_file_id', 'id'] },
  userFiles: { byUser: ['user_id', 'id'] },
  invites: { byEmail: ['lower(email)', 'id'], byInviter: ['invited_by', 'id'] },
  tokenRateLimits: {}
} as const satisfies Record<CollectionName, Record<string, readonly [string, ...string[]]>>

/** The collections of one state. */
export type Store = {
  readonly [C in CollectionName]: Collection<Rows[C], keyof (typeof indices)[C] & string>
}

export const collectionNames = Object.keys(indices) as CollectionName[]

/** Rows of the contracts' collections, and of any others. The user's own collections have no indices. */
type RowsIn = Partial<{ [C in CollectionName]: Iterable<Rows[C]> | Later }>

/** Rows of a user's own collection that are created on its first use, in any store that begins with them. */
export class Later {
  private made: AnyCollection | undefined

  constructor(
    private readonly name: string,
    private readonly make: () => Iterable<object>
  ) {}

  get bytes(): number {
    return this.made?.bytes ?? 0
  }

  collection(): AnyCollection {
    const made = this.made ?? atOnce(creatingOwn(this.name, new Notes(), this.make()))
    this.made = made
    return made
  }

  /** The store has the collection from its first use on. */
  putInto(store: Store, notes: Notes): void {
    const known = laters.get(store) ?? new Map<string, Later>()
    laters.set(store, known.set(this.name, this))
    const usual = { enumerable: true, configurable: true }
    const get = () => {
      const value = this.collection().fork(notes)
      known.delete(this.name)
      Object.defineProperty(store, this.name, { ...usual, value, writable: true })
      return value
    }
    Object.defineProperty(store, this.name, { ...usual, get })
  }
}

type AnyCollection = Collection<object>

function creatingOwn(name: string, notes: Notes, rows: Iterable<object> = []): Steps<AnyCollection> {
  return Collection.creating(name as CollectionName, {}, rows as Rows[CollectionName][], notes) as Steps<never>
}

/** The collections that stores do not have yet. */
const laters = new WeakMap<Store, Map<string, Later>>()

/** The rows to create for a collection that this store has not used yet. */
export function laterIn(store: Store, name: CollectionName): Later | undefined {
  return laters.get(store)?.get(name)
}

/** The collections of a store: those of the contracts, then the user's own. */
export function namesOf(store: Store): CollectionName[] {
  return Object.keys(store) as CollectionName[]
}

export function createStore(rows: RowsIn = {}): Store {
  return atOnce(creatingStore(rows))
}

export function* creatingStore(rows: RowsIn): Steps<Store> {
  const store: Record<string, AnyCollection> = {}
  const notes = new Notes()
  for (const name of new Set([...collectionNames, ...(Object.keys(rows) as CollectionName[])])) {
    const given = rows[name] ?? []
    if (given instanceof Later) {
      given.putInto(store as unknown as Store, notes)
      continue
    }
    const collection = yield* Collection.creating<CollectionName, Indices>(name, indices[name] ?? {}, given, notes)
    store[name] = collection as unknown as AnyCollection
    yield
  }
  return store as unknown as Store
}

/** Ensures that a store has these collections. New ones are empty. */
export function ensureCollections(store: Store, names: Iterable<string>): void {
  const all = store as unknown as Record<string, unknown>
  for (const name of names) {
    if (!Object.hasOwn(all, name)) {
      all[name] = atOnce(creatingOwn(name, notesOf(store)))
    }
  }
}

/** A separate store with the same rows; see Collection.fork. */
export function forkStore(store: Store): Store {
  const notes = new Notes()
  const fork: Record<string, unknown> = {}
  const later = laters.get(store)
  for (const name of namesOf(store)) {
    const own = later?.get(name)
    if (own) own.putInto(fork as unknown as Store, notes)
    else fork[name] = store[name].fork(notes)
  }
  return fork as unknown as Store
}

/** The recorder of the reads and writes in a store. */
export function notesOf(store: Store): Notes {
  return store.users.notes
}

/** The approximate size of all rows as JSON. Stores that begin with the same rows count those equally, created or not. */
export function bytesOf(store: Store): number {
  const later = laters.get(store)
  let bytes = 0
  for (const name of namesOf(store)) bytes += (later?.get(name) ?? store[name]).bytes
  return bytes
}

export function countRows(store: Store): number {
  return namesOf(store).reduce((sum, name) => sum + store[name].size, 0)
}
