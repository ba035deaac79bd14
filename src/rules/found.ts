/** The items with these ids, in order, without missing ones. `flatMap` takes several times as long. */
export function foundBy<Id, Item>(ids: readonly Id[], find: (id: Id) => Item | undefined): Item[] {
  const found: Item[] = []
  for (const id of ids) {
    const item = find(id)
    if (item !== undefined) found.push(item)
  }
  return found
}
