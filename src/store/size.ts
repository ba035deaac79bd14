/**
 * The approximate number of bytes of a value as JSON, with one byte per character. In memory it takes two to three
 * times that.
 */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 5
  let size = 2
  if (Array.isArray(value)) for (const item of value) size += 1 + sizeOf(item)
  else for (const name in value) size += name.length + 4 + sizeOf((value as Record<string, unknown>)[name])
  return size
}

/** How much larger a row is than the row that it replaces. Most of their fields are the same. */
export function growthOf(old: object, row: object): number {
  const before = old as Record<string, unknown>
  const after = row as Record<string, unknown>
  let growth = 0
  for (const name in after) {
    if (after[name] === before[name]) continue
    growth += sizeOf(after[name]) + (name in before ? -sizeOf(before[name]) : name.length + 4)
  }
  for (const name in before) if (!(name in after)) growth -= name.length + 4 + sizeOf(before[name])
  return growth
}
