import { isObject, type Json } from '../../engine/contract/load.js'
import { bareType, type Union } from './keywords.js'

export interface Alternatives {
  pairs: [Json, Json][]
  removed: Json[]
  added: Json[]
}

/**
 * Finds which alternative became which: first by name, then by equal values, then the only remaining pair. Renaming an
 * alternative is not a change.
 */
export function matchAlternatives(was: Union, is: Union, isSame: (one: Json, other: Json) => boolean): Alternatives {
  const pairs: [Json, Json][] = []
  const added = [...is.alternatives]
  const names = new Map([...was.alternatives, ...is.alternatives].map((it) => [it, nameOf(it)]))
  const take = (olds: Json[], fits: (one: Json, other: Json) => boolean) =>
    olds.filter((one) => {
      const index = added.findIndex((other) => fits(one, other))
      if (index < 0) return true
      pairs.push([one, ...added.splice(index, 1)] as [Json, Json])
      return false
    })
  let removed = take(
    was.alternatives,
    (one, other) => names.get(one) !== unnamed && names.get(one) === names.get(other)
  )
  removed = take(removed, isSame)
  if (removed.length === 1 && added.length === 1) removed = take(removed, () => true)
  return { pairs, removed, added }
}

const unnamed = 'unnamed'

/** The name of an alternative in reports. */
export function nameOf(schema: Json): string {
  if (!isObject(schema)) return unnamed
  const { $ref, title } = schema
  if (typeof $ref === 'string') return $ref.split('/').at(-1) as string
  return typeof title === 'string' ? title : (bareType(schema) ?? unnamed)
}
