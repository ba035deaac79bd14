/** The middle value; undefined where there is none. */
export function median(values) {
  const sorted = values.filter((value) => value !== undefined).toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : sorted.length ? (sorted[middle - 1] + sorted[middle]) / 2 : undefined
}

/** Short numbers: 1234 → 1.2k, 12.34 → 12. */
export function short(value) {
  if (value >= 1000) return `${(value / 1000).toFixed(value >= 99_950 ? 0 : 1)}k`
  if (value >= 10) return value.toFixed(0)
  return value.toFixed(value >= 1 ? 1 : 2)
}

/** 1.234 → 1.23 ×. */
export function times(value) {
  return `${value >= 9.95 ? value.toFixed(0) : value >= 1.995 ? value.toFixed(1) : value.toFixed(2)} ×`
}
