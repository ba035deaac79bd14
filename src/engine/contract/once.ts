export function once<T>(make: () => T): () => T {
  let value: T | undefined
  return () => {
    value ??= make()
    return value
  }
}

export function inMap<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value
): Value {
  const previous = map.get(key)
  if (previous !== undefined) return previous
  const value = make()
  map.set(key, value)
  return value
}

/** Adds a value as the newest. The oldest is forgotten if there are more than `most`. */
export function keepLatest<Key, Value>(values: Map<Key, Value>, key: Key, value: Value, most: number): void {
  values.delete(key)
  values.set(key, value)
  const [oldest] = values.keys()
  if (values.size > most && oldest !== undefined) values.delete(oldest)
}

/** The limits of a list: the number of items, their bytes, and how many of the newest stay even if they are larger. */
interface Bounds {
  items: number
  bytes: number
  least: 0 | 1
}

/** A full list forgets this share of itself at once. Forgetting one item with each new one would cost more. */
const cutShare = 16

/** The latest items of a kind, oldest first. */
export class Latest<Item extends { bytes: number }> {
  private list: Item[] = []
  private bytes = 0

  constructor(private readonly most: Bounds) {}

  get items(): readonly Item[] {
    return this.list
  }

  /** Adds an item. Returns the items that are forgotten for it, or undefined. */
  add(item: Item): Item[] | undefined {
    this.list.push(item)
    this.bytes += item.bytes
    return this.list.length > this.most.items || this.bytes > this.most.bytes ? this.cut() : undefined
  }

  copy(): Latest<Item> {
    const copy = new Latest<Item>(this.most)
    copy.list = [...this.list]
    copy.bytes = this.bytes
    return copy
  }

  private cut(): Item[] {
    const { list, most } = this
    const items = most.items - Math.floor(most.items / cutShare)
    const bytes = most.bytes - Math.floor(most.bytes / cutShare)
    let end = 0
    while (list.length - end > most.least && (list.length - end > items || this.bytes > bytes)) {
      this.bytes -= (list[end] as Item).bytes
      end += 1
    }
    return list.splice(0, end)
  }
}
