import type { JsonPath } from './json-lines.js'

/** A place where two JSON values differ. A side without the place is undefined. */
export interface Difference {
  place: JsonPath
  before: unknown
  after: unknown
}

/** The innermost places where two JSON values differ. */
export function differences(before: unknown, after: unknown, place: JsonPath = []): Difference[] {
  if (before === after) return []
  const isList = Array.isArray(before)
  if (!isObject(before) || !isObject(after) || isList !== Array.isArray(after)) return [{ place, before, after }]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => differences(before[name], after[name], [...place, isList ? Number(name) : name]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
