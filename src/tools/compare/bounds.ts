import type { JsonObject } from '../../engine/contract/load.js'

/** The limits of a schema, with the names of their changes and the side that they bound. */
export const limits = [
  { keyword: 'minimum', name: 'min', side: 'lower' },
  { keyword: 'exclusiveMinimum', name: 'exclusive-min', side: 'lower' },
  { keyword: 'minLength', name: 'min-length', side: 'lower' },
  { keyword: 'minItems', name: 'min-items', side: 'lower' },
  { keyword: 'minProperties', name: 'min-properties', side: 'lower' },
  { keyword: 'maximum', name: 'max', side: 'upper' },
  { keyword: 'exclusiveMaximum', name: 'exclusive-max', side: 'upper' },
  { keyword: 'maxLength', name: 'max-length', side: 'upper' },
  { keyword: 'maxItems', name: 'max-items', side: 'upper' },
  { keyword: 'maxProperties', name: 'max-properties', side: 'upper' }
] as const

/** The limits in force, by name. */
export type Bounds = Map<string, number>

/** The tightest limits of schemas that all apply. A minimum of 0 for a length or count is not a limit. */
export function boundsOf(parts: JsonObject[]): Bounds {
  const bounds: Bounds = new Map()
  for (const { keyword, name, side } of limits) {
    const given = parts.map((part) => numeric(part)[keyword]).filter((it) => typeof it === 'number')
    const isNone = keyword !== 'minimum' && keyword !== 'exclusiveMinimum' && side === 'lower'
    const tightest = side === 'lower' ? Math.max(...given) : Math.min(...given)
    if (given.length > 0 && !(isNone && tightest <= 0)) bounds.set(name, tightest)
  }
  return bounds
}

/** In OpenAPI 3.0 a boolean makes a limit exclusive; in 3.1 an exclusive limit has its own keyword. */
function numeric(part: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = part
  return {
    ...rest,
    ...(exclusiveMinimum === true ? { exclusiveMinimum: minimum ?? null } : { minimum: minimum ?? null }),
    ...(typeof exclusiveMinimum === 'number' && { exclusiveMinimum }),
    ...(exclusiveMaximum === true ? { exclusiveMaximum: maximum ?? null } : { maximum: maximum ?? null }),
    ...(typeof exclusiveMaximum === 'number' && { exclusiveMaximum })
  }
}
