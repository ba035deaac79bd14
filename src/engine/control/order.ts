import { asText } from '../contract/text.js'
import { invalid } from './rule.js'

type Row = Record<string, unknown>

/** Compares rows by a field; `-` before its name reverses the order. Numbers sort by size and null comes first. */
export function orderOf(fields: { name: string }[], sort: string): (a: object, b: object) => number {
  const field = sort.replace(/^-/, '')
  const known = fields.map(({ name }) => name)
  if (!known.includes(field)) {
    throw invalid(['query', 'sort'], `There is no field "${field}". Known: ${known.join(', ')}.`, known)
  }
  const sign = sort.startsWith('-') ? -1 : 1
  return (a, b) => sign * compare((a as Row)[field], (b as Row)[field])
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [x, y] = [textOf(a), textOf(b)]
  return x < y ? -1 : x > y ? 1 : 0
}

const textOf = (value: unknown): string => asText(value ?? '').toLowerCase()

/** Whether a value contains a text in lower case. Names of fields do not count. */
export function contains(value: unknown, text: string): boolean {
  if (Array.isArray(value)) return value.some((item) => contains(item, text))
  if (typeof value === 'object' && value !== null) return Object.values(value).some((field) => contains(field, text))
  return value !== undefined && String(value).toLowerCase().includes(text)
}
