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
type RowsIn = Partial<{ [C in CollectionName]: Iterable<Rows[C]> }>

/** The collections of a store: those of the contracts, then the user's own. */
export function namesOf(store: Store): CollectionName[] {
  return Object.keys(store) as CollectionName[]
}

export function createStore(rows: RowsIn = {}): Store {
  return atOnce(creatingStore(rows))
}

export function* creatingStore(rows: RowsIn): Steps<Store> {
  const store: Record<string, Collection<object>> = {}
  const notes = new Notes()
  for (const name of new Set([...collectionNames, ...(Object.keys(rows) as CollectionName[])])) {
    const given = rows[name] ?? []
    const collection = yield* Collection.creating<CollectionName, Indices>(name, indices[name] ?? {}, given, notes)
    store[name] = collection as unknown as Collection<object>
    yield
  }
  return store as unknown as Store
}

/** Ensures that a store has these collections. New ones are empty. */
export function ensureCollections(store: Store, names: Iterable<string>): void {
  const all = store as unknown as Record<string, unknown>
  for (const name of names) {
    if (!Object.hasOwn(all, name)) {
      all[name] = atOnce(Collection.creating(name as CollectionName, {}, [], notesOf(store)))
    }
  }
}

/** A separate store with the same rows; see Collection.fork. */
export function forkStore(store: Store): Store {
  const notes = new Notes()
  return Object.fromEntries(namesOf(store).map((name) => [name, store[name].fork(notes)])) as unknown as Store
}

/** The recorder of the reads and writes in a store. */
export function notesOf(store: Store): Notes {
  return store.users.notes
}

/** The approximate size of all rows as JSON. */
export function bytesOf(store: Store): number {
  let bytes = 0
  for (const name of namesOf(store)) bytes += store[name].bytes
  return bytes
}

export function countRows(store: Store): number {
  return namesOf(store).reduce((sum, name) => sum + store[name].size, 0)
}
