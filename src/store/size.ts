/** About how many bytes a value has as JSON: in memory it takes two to three times that. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2
  if (typeof value !== 'object' || value === null) return 5
  let size = 2
  if (Array.isArray(value)) for (const item of value) size += 1 + sizeOf(item)
  else for (const name in value) size += name.length + 4 + sizeOf((value as Record<string, unknown>)[name])
  return size
}
