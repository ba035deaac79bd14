import type { Json } from '../../contract/load.js'
import type { Bounds } from './bounds.js'
import type { Shape } from './shape.js'

/** What bounds a shape. */
type Limited = Pick<Shape, 'types' | 'values' | 'bounds' | 'factors' | 'required'>

/** Ranges with more integers are not listed. */
const mostListed = 1000

/** The same limits in one form: those of integers are inclusive, and those that follow from others are left out. */
export function withoutImplied<S extends Limited>(shape: S): S {
  const bounds = isOf(shape, ['integer']) ? inclusive(shape.bounds) : new Map(shape.bounds)
  if ((bounds.get('min-properties') ?? 0) <= shape.required.size) bounds.delete('min-properties')
  if (!shape.values || ![...shape.values.values()].every(isScalar)) return { ...shape, bounds }
  const left = [...shape.values].filter(([, value]) => fits(value, bounds))
  for (const name of scalarBounds) bounds.delete(name)
  return { ...shape, bounds, values: new Map(left) }
}

/** A range of few integers, as a list of values. */
export function listed<S extends Limited>(shape: S): S {
  const [from, to] = [shape.bounds.get('min'), shape.bounds.get('max')]
  const isRange = isOf(shape, ['integer']) && !shape.values && shape.factors.length === 0
  if (!isRange || from === undefined || to === undefined || to - from >= mostListed) return shape
  const values = new Map<string, Json>()
  for (let value = from; value <= to; value++) values.set(String(value), value)
  return { ...shape, values, bounds: new Map() }
}

/** A parameter or a field of a form is sent as text: what takes any text takes numbers and booleans too. */
export function asText(shape: Shape): Shape {
  if (!shape.types.has('string')) return shape
  return { ...shape, types: new Set([...shape.types, 'integer', 'number', 'boolean']) }
}

/** Whether a schema takes lists or objects, and says so. */
export function takesLists({ types }: Limited): boolean {
  return types.size < 3 && (types.has('array') || types.has('object'))
}

export function takesEmptyText({ types, values, bounds, formats, patterns }: Shape): boolean {
  if (!types.has('string') || formats.length > 0 || patterns.length > 0) return false
  return values ? values.has('""') : !bounds.has('min-length')
}

const scalarBounds = ['min', 'max', 'exclusive-min', 'exclusive-max', 'min-length', 'max-length']

function isOf({ types }: Limited, names: string[]): boolean {
  return types.size === names.length && names.every((name) => types.has(name))
}

function isScalar(value: Json): boolean {
  return typeof value !== 'object'
}

function inclusive(given: Bounds): Bounds {
  const bounds = new Map(given)
  const lower = [bounds.get('min'), plusOne(bounds.get('exclusive-min'), Math.floor, 1)]
  const upper = [bounds.get('max'), plusOne(bounds.get('exclusive-max'), Math.ceil, -1)]
  for (const name of scalarBounds.slice(0, 4)) bounds.delete(name)
  const [from, to] = [Math.max(...lower.filter(isThere)), Math.min(...upper.filter(isThere))]
  if (Number.isFinite(from)) bounds.set('min', Math.ceil(from))
  if (Number.isFinite(to)) bounds.set('max', Math.floor(to))
  return bounds
}

function plusOne(bound: number | undefined, round: (it: number) => number, step: number): number | undefined {
  return bound === undefined ? undefined : round(bound) + step
}

const isThere = (it: number | undefined) => it !== undefined

function fits(value: Json, bounds: Bounds): boolean {
  const at = (name: string, otherwise: number) => bounds.get(name) ?? otherwise
  if (typeof value === 'string') {
    const { length } = [...value]
    return length >= at('min-length', 0) && length <= at('max-length', Number.POSITIVE_INFINITY)
  }
  if (typeof value !== 'number') return true
  const isAbove = value >= at('min', value) && (!bounds.has('exclusive-min') || value > at('exclusive-min', 0))
  return isAbove && value <= at('max', value) && (!bounds.has('exclusive-max') || value < at('exclusive-max', 0))
}
