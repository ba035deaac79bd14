import { isObject, type Json } from '../../contract/load.js'
import { type OpenApiDocument, pointedAt } from './document.js'
import { type Union, unionsOf } from './keywords.js'
import type { Shape, Shapes } from './shape.js'

/** Whether some value may fit two alternatives: then oneOf refuses it, and anyOf does not. */
export function mayOverlap(alternatives: Json[], shapeOf: Shapes): boolean {
  const shapes = alternatives.map((it) => shapeOf([it]))
  return shapes.some((one, index) => shapes.slice(index + 1).some((other) => !areDisjoint(one, other, shapeOf)))
}

function areDisjoint(one: Shape, other: Shape, shapeOf: Shapes, depth = 0): boolean {
  if (one.isNullable && other.isNullable) return false
  const common = [...one.types].filter((type) => other.types.has(type))
  if (common.length === 0) return true
  if (one.values && other.values) return ![...one.values.keys()].some((value) => other.values?.has(value))
  if (common.some((type) => type !== 'object')) return false
  if (lacks(one, other) || lacks(other, one)) return true
  const shared = [...one.required].filter((name) => other.required.has(name))
  const fieldOf = ({ properties }: Shape, name: string) => shapeOf(properties.get(name) ?? [])
  return depth < 3 && shared.some((name) => areDisjoint(fieldOf(one, name), fieldOf(other, name), shapeOf, depth + 1))
}

/** Whether one requires a field that the other does not allow. */
function lacks(one: Shape, { properties, applicators }: Shape): boolean {
  return [...one.required].some((name) => !properties.has(name) && applicators.fieldsNamed(name).includes(false))
}

/** The first union of several alternatives. */
export function severalOf(
  document: OpenApiDocument,
  [schema, ...others]: Json[],
  seen: Json[] = []
): Union | undefined {
  if (!isObject(schema) || others.length > 0 || seen.includes(schema)) return undefined
  if (typeof schema.$ref === 'string') return severalOf(document, [pointedAt(document, schema.$ref)], [...seen, schema])
  return unionsOf(schema).find(({ alternatives }) => alternatives.length > 1)
}
