import BTreeModule from 'sorted-btree'
import { bulkLoad } from 'sorted-btree/extended/bulkLoad.js'
import { sorting } from './sorting.js'
import type { Steps } from './steps.js'

// CommonJS package: the class is the default export of the module, or the module, by who loads it.
const BTree = ((BTreeModule as { default?: unknown }).default ?? BTreeModule) as typeof BTreeModule.default
/** Sorted by its keys; a clone shares its nodes until either side writes to them. */
export type Tree<K, V> = InstanceType<typeof BTree<K, V>>

const nodeSize = 32

/** Stands for "after every value" among the keys of a tree; undefined, or nothing, stands for "before every value". */
export const LAST = Symbol('last')

export function emptyTree<K, V>(order: (a: K, b: K) => number = compare): Tree<K, V> {
  return new BTree<K, V>(undefined, order)
}

/** Makes a tree of many entries: much faster than adding one after the other. */
export function* growing<K, V>(entries: [K, V][], order: (a: K, b: K) => number): Steps<Tree<K, V>> {
  if (entries.length === 0) return emptyTree(order)
  const sorted = yield* sorting(entries, ([a], [b]) => order(a, b))
  const keys = sorted.map(([key]) => key)
  const values = sorted.map(([, value]) => value)
  yield
  return bulkLoad(keys, values, nodeSize, order) as Tree<K, V>
}

/** The order of numbers, texts and truths among their like; null comes first. */
export function compare(a: unknown, b: unknown): number {
  if (a === b) return 0
  if (a === undefined || b === LAST) return -1
  if (b === undefined || a === LAST) return 1
  if (a === null) return -1
  if (b === null) return 1
  return (a as string) < (b as string) ? -1 : 1
}
