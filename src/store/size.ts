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

/** The size of the fields that a row has and another one has not, or has with another value. */
export function differenceOf(row: object, other: object): number {
  const own = row as Record<string, unknown>
  const others = other as Record<string, unknown>
  let size = 0
  for (const name in own) {
    const isIn = own[name] !== undefined || name in others
    if (own[name] === others[name] && isIn) continue
    size += sizeOf(own[name]) + (name in others ? 0 : name.length + 4)
  }
  return size
}
