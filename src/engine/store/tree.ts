import BTreeModule from 'sorted-btree'
import { bulkLoad } from 'sorted-btree/extended/bulkLoad.js'
import { type Steps, sorting } from './steps.js'

// This CommonJS package is loaded as its default export or as a module, depending on the loader.
const BTree = ((BTreeModule as { default?: unknown }).default ?? BTreeModule) as typeof BTreeModule.default
/** Sorted by keys. A clone shares its nodes until either side writes to them. */
export type Tree<K, V> = InstanceType<typeof BTree<K, V>>

const nodeSize = 32

export function emptyTree<K, V>(order: (a: K, b: K) => number): Tree<K, V> {
  return new BTree<K, V>(undefined, order)
}

/** Builds a tree of many entries, much faster than adding them one by one. */
export function* growing<K, V>(entries: [K, V][], order: (a: K, b: K) => number): Steps<Tree<K, V>> {
  if (entries.length === 0) return emptyTree(order)
  const sorted = yield* sorting(entries, ([a], [b]) => order(a, b))
  const keys = sorted.map(([key]) => key)
  const values = sorted.map(([, value]) => value)
  yield
  return bulkLoad(keys, values, nodeSize, order) as Tree<K, V>
}
