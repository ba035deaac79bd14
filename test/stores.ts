import { type CollectionName, collections, type Store } from '../src/apis/knowledge-chat/collections.js'
import type { Rows } from '../src/apis/knowledge-chat/types.gen.js'
import type { Sandbox } from '../src/engine/sandbox/sandbox.js'
import * as stores from '../src/engine/store/rows.js'

export const collectionNames = Object.keys(collections) as CollectionName[]

/** A sandbox with the rows of Knowledge Chat. */
export type TestSandbox = Sandbox & { readonly rows: Store }

type RowsIn = { [C in CollectionName]?: Iterable<Rows[C]> }

/** The collections of Knowledge Chat, as its rules use them. */
export function createStore(rows: RowsIn = {}): stores.Store & Store {
  return stores.createStore(collections, rows as stores.RowsIn) as stores.Store & Store
}

export function forkStore(store: stores.Store): stores.Store & Store {
  return stores.forkStore(store) as stores.Store & Store
}
