import { isObject, type Json } from '../../contract/load.js'
import type { Direction } from './change.js'
import { type OpenApiDocument, pointedAt } from './document.js'
import { type Union, unionsOf } from './keywords.js'
import type { Shape, Shapes } from './shape.js'
import type { Alternatives } from './unions.js'
import type { SchemaDifference } from './values.js'

/** How the alternatives of both sides are read and compared. */
export interface BothShapes {
  was: Shapes
  is: Shapes
  /** Whether the second in place of the first may break a message. */
  breaks(one: Json, other: Json, direction: Direction): boolean
}

/** oneOf refuses a value that fits two alternatives, anyOf does not. */
export function kindFindings(was: Union | undefined, is: Union | undefined, sides: BothShapes): SchemaDifference[] {
  if (!was || !is || was.kind === is.kind) return []
  if (was.kind === 'any-of') {
    return mayOverlap(is.alternatives, sides.is) ? [{ name: 'any-of-became-one-of', effect: 'narrower' }] : []
  }
  return mayOverlap(was.alternatives, sides.was) ? [{ name: 'one-of-became-any-of', effect: 'wider' }] : []
}

/** What fitted one alternative of a oneOf is refused once another takes it too, and the other way round. */
export function overlapFindings(
  was: Union,
  is: Union,
  { pairs, removed, added }: Alternatives,
  sides: BothShapes
): SchemaDifference[] {
  if (![was, is].every(({ kind, alternatives }) => kind === 'one-of' || alternatives.length === 1)) return []
  const grows = (it: Json) =>
    added.includes(it) || pairs.some(([one, other]) => other === it && sides.breaks(one, other, 'response'))
  const shrinks = (it: Json) =>
    removed.includes(it) || pairs.some(([one, other]) => one === it && sides.breaks(one, other, 'request'))
  const findings: SchemaDifference[] = []
  if (mayOverlap(is.alternatives, sides.is, grows)) findings.push({ name: 'one-of-overlap-added', effect: 'narrower' })
  if (mayOverlap(was.alternatives, sides.was, shrinks))
    findings.push({ name: 'one-of-overlap-removed', effect: 'wider' })
  return findings
}

/** Whether some value may fit two alternatives, of which one is asked for. */
function mayOverlap(alternatives: Json[], shapeOf: Shapes, isAsked = (_: Json) => true): boolean {
  const isOverlap = (one: Json, other: Json) => !areDisjoint(shapeOf([one]), shapeOf([other]), shapeOf)
  return alternatives.some((one, index) =>
    alternatives.slice(index + 1).some((other) => isOverlap(one, other) && (isAsked(one) || isAsked(other)))
  )
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

/** The union of a schema. Without one, the schema counts as the only alternative. */
export function unionOf({ unions }: Shape, schemas: Json[]): Union {
  return (
    unions[0] ?? { kind: 'any-of', alternatives: [schemas.length === 1 ? (schemas[0] as Json) : { allOf: schemas }] }
  )
}
