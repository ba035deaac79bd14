import { isObject, type Json } from '../../engine/contract/load.js'
import type { Applicators, Condition, Contains } from './applicators.js'
import { type Direction, type Effect, type Level, levelOf, type Report } from './change.js'
import { type OpenApiDocument, pointedAt } from './document.js'
import { type Union, unionsOf } from './keywords.js'
import { asText, createShapes, type Shape, type Shapes } from './shape.js'
import { type Alternatives, matchAlternatives, nameOf } from './unions.js'
import { areApart, enumFindings, nullFindings, type SchemaDifference, typeText, valueFindings } from './values.js'

/** The place of a comparison. */
export interface Place {
  operation: string
  direction: Direction
  /** Whether the schemas are inside a `not`. */
  isNegated?: boolean
  /** The prefix of ids: `request-body`, `response-property`. */
  area: string
  /** `request body`, `response 200`, `query parameter page`. */
  message: string
  /** The path within the message: `groups[].title`. */
  path: string
  /** Whether values are sent as text: those of a parameter, or of the fields of a form. */
  text?: 'value' | 'fields'
}

/**
 * Reports how two schemas differ. No schemas means that anything is allowed. A schema that appears twice in a message
 * is compared once.
 */
export interface CompareSchemas {
  (was: Json[], is: Json[], at: Place, report: Report): void
  /** The same for a repeatable parameter: a single value is a list of one. */
  asValues(was: Json[], is: Json[], at: Place, report: Report): void
  /** Reads the schemas of each side. */
  shapes: [was: Shapes, is: Shapes]
}

export function createSchemaComparison(old: OpenApiDocument, now: OpenApiDocument): CompareSchemas {
  const oldShape = createShapes(old)
  const nowShape = createShapes(now)
  const compareSchemas = (was: Json[], is: Json[], at: Place, report: Report) => compare(was, is, at, report, new Set())
  return Object.assign(compareSchemas, { asValues, shapes: [oldShape, nowShape] as [Shapes, Shapes] })

  function asValues(was: Json[], is: Json[], at: Place, report: Report): void {
    const [before, after] = [oldShape(was), nowShape(is)]
    const isListNow = !before.types.has('array') && after.types.size === 1 && after.types.has('array')
    if (isListNow && (after.bounds.get('min-items') ?? 0) < 2) {
      tell(at, report, 'type-generalized', { effect: 'wider', was: typeText(before), is: typeText(after) })
      compareSchemas(was, after.applicators.itemsAt(0), at, report)
    } else compareSchemas(was, is, at, report)
  }

  /** `seen`: pairs of schemas that have been or are being compared. */
  function compare(was: Json[], is: Json[], at: Place, report: Report, seen: Set<string>): void {
    for (const { name, ...finding } of nullFindings(oldShape(was), nowShape(is))) tell(at, report, name, finding)
    compareValues(was, is, at, report, seen)
  }

  function compareValues(was: Json[], is: Json[], at: Place, report: Report, seen: Set<string>): void {
    const [before, after] = [oldShape(was), nowShape(is)]
    const pair = pairOf(before, after, at)
    if (seen.has(pair)) return
    seen.add(pair)
    const several = [severalOf(old, was), severalOf(now, is)] as const
    for (const { name, effect } of kindFindings(...several, sidesOf(at, seen))) tell(at, report, name, { effect })
    if (isChoiceOf(before, after)) {
      const [one, other] = [several[0] ?? unionOf(before, was), several[1] ?? unionOf(after, is)]
      compareAlternatives(one, other, at, report, seen)
      return
    }
    const seenAs = at.text === 'value' ? asText : (it: Shape) => it
    for (const { name, ...finding } of valueFindings(seenAs(before), seenAs(after))) tell(at, report, name, finding)
    if (areApart(before, after)) return
    compareProperties(before, after, at, report, seen)
    compareAdditional(before, after, at, report, seen)
    if (before.types.has('array') && after.types.has('array')) compareItems(before, after, at, report, seen)
    compareUnions(before, after, at, report, seen)
    compareApplicators(before.applicators, after.applicators, at, {
      compare: (one, other, place) => compare(one, other, place, report, seen),
      isSame: (one, other, place) => isSame(one, other, place, seen),
      tell: (place, name, effect, values) => tell(place, report, name, { effect, ...values }),
      below: (place, step) => below(place, place.path + step)
    })
  }

  function compareProperties(was: Shape, is: Shape, at: Place, report: Report, seen: Set<string>): void {
    const [unseen, unsent] = [elsewhere(was, at, oldShape), elsewhere(is, at, nowShape)]
    for (const name of new Set([...namesOf(was), ...namesOf(is)])) {
      const { text, ...apart } = below(at, at.path ? `${at.path}.${name}` : name)
      const field: Place = text === 'fields' ? { ...apart, text: 'value' } : apart
      const [before, after] = [!unseen.has(name) && fieldOf(was, name), !unsent.has(name) && fieldOf(is, name)]
      if (!before && !after) continue
      if (!before) added(was, is, name, field, report)
      else if (!after) removed(was, is, name, field, report)
      else {
        requiredness(was.required.has(name), is.required.has(name), hasDefault(after), field, report)
        compare(before, after, field, report, seen)
      }
    }
  }

  /** The fields that are not in this message: those that are only read, or only written. */
  function elsewhere({ properties }: Shape, { direction }: Place, shapeOf: Shapes): Set<string> {
    const isApart = ({ isReadOnly, isWriteOnly }: Shape) => (direction === 'request' ? isReadOnly : isWriteOnly)
    return new Set([...properties].flatMap(([name, schemas]) => (isApart(shapeOf(schemas)) ? [name] : [])))
  }

  /** The schemas of a field. Undefined if the field is unknown or not allowed. */
  function fieldOf({ properties, required, applicators }: Shape, name: string): Json[] | undefined {
    const like = applicators.fieldsNamed(name)
    if (properties.has(name)) return properties.get(name)
    if (like.length > 0 && !like.includes(false)) return like
    return required.has(name) ? like : undefined
  }

  function hasDefault(schemas: Json[] | undefined): boolean {
    return schemas !== undefined && nowShape(schemas).default !== undefined
  }

  function added(was: Shape, is: Shape, name: string, at: Place, report: Report): void {
    const isRequired = is.required.has(name)
    const kind = isRequired ? 'required' : 'optional'
    if (sideOf(at) === 'request') {
      const end = isRequired && hasDefault(is.properties.get(name)) ? '-with-default' : ''
      tellId(at, report, `new-${kind}-request-property${end}`, isRequired ? 'breaking' : 'info')
    } else tellId(at, report, `response-${kind}-property-added`, isClosed(was) ? 'breaking' : 'info')
  }

  function removed(was: Shape, is: Shape, name: string, at: Place, report: Report): void {
    const isRequired = was.required.has(name)
    if (sideOf(at) === 'request') tellId(at, report, 'request-property-removed', isClosed(is) ? 'breaking' : 'warning')
    else if (isRequired) tellId(at, report, 'response-required-property-removed', 'breaking')
    else tellId(at, report, 'response-optional-property-removed', 'warning')
  }

  /** Fields without a property: fields that match a pattern, and all others. */
  function compareAdditional(was: Shape, is: Shape, at: Place, report: Report, seen: Set<string>): void {
    if (!was.types.has('object') || !is.types.has('object')) return
    for (const pattern of new Set([...was.applicators.patterns, ...is.applicators.patterns])) {
      const [before, after] = [was.applicators.fieldsLike(pattern), is.applicators.fieldsLike(pattern)]
      compare(before, after, below(at, `${at.path}.{${pattern}}`), report, seen)
    }
    if (isClosed(was) !== isClosed(is)) {
      if (isClosed(is)) tell(at, report, 'additional-properties-forbidden', { effect: 'narrower' })
      else tell(at, report, 'additional-properties-allowed', { effect: 'wider' })
    } else compare(was.applicators.fieldsLike(), is.applicators.fieldsLike(), below(at, `${at.path}.*`), report, seen)
  }

  /** The first items by position, then all others. */
  function compareItems(was: Shape, is: Shape, at: Place, report: Report, seen: Set<string>): void {
    const first = Math.max(was.applicators.firstItems, is.applicators.firstItems)
    for (let index = 0; index < first; index++) {
      const place = below(at, `${at.path}[${index}]`)
      compare(was.applicators.itemsAt(index), is.applicators.itemsAt(index), place, report, seen)
    }
    compare(was.applicators.itemsAt(), is.applicators.itemsAt(), below(at, `${at.path}[]`), report, seen)
  }

  /** Unions next to other keywords, in order. An additional union allows less. */
  function compareUnions(was: Shape, is: Shape, at: Place, report: Report, seen: Set<string>): void {
    for (let i = 0; i < Math.max(was.unions.length, is.unions.length); i++) {
      const [before, after] = [was.unions[i], is.unions[i]]
      if (before && after) compareAlternatives(before, after, at, report, seen)
      else if (after) tell(at, report, `${after.kind}-set`, { effect: 'narrower' })
      else if (before) tell(at, report, `${before.kind}-unset`, { effect: 'wider' })
    }
  }

  function compareAlternatives(was: Union, is: Union, at: Place, report: Report, seen: Set<string>): void {
    const [before, after] = [fieldsIn(was.alternatives, at, oldShape), fieldsIn(is.alternatives, at, nowShape)]
    const isNew = (one: Shape, other: Shape) => !seen.has(pairOf(one, other, at))
    /** Most alternatives differ in the names of their fields, or in the values of one. */
    const isOther = (one: Json, other: Json) => {
      const [fields, others] = [before.get(one), after.get(other)]
      if (!fields || !others || !isNew(oldShape([one]), nowShape([other]))) return false
      const differs = ([name, was]: [string, Shape]) => {
        const is = others.get(name)
        return !is || (was.values && is.values && enumFindings(was, is).length > 0 && isNew(was, is))
      }
      return fields.size !== others.size || [...fields].some(differs)
    }
    const matched = matchAlternatives(was, is, (one, other) => {
      return !isOther(one, other) && isSame([one], [other], at, seen)
    })
    const { pairs, removed, added } = matched
    for (const { name, effect } of overlapFindings(was, is, matched, sidesOf(at, seen))) {
      tell(at, report, name, { effect })
    }
    for (const [one, other] of pairs) {
      compareValues([one], [other], below(at, `${at.path}(${nameOf(other)})`), report, seen)
    }
    for (const it of removed) tell(at, report, `${was.kind}-removed`, { effect: 'narrower', was: nameOf(it) })
    for (const it of added) tell(at, report, `${is.kind}-added`, { effect: 'wider', is: nameOf(it) })
  }

  function sidesOf(at: Place, seen: Set<string>): BothShapes {
    const breaks = (one: Json, other: Json, direction: Direction) => {
      const levels = new Set<Level>()
      const place: Place = { ...at, direction, isNegated: false }
      compareValues([one], [other], place, ({ level }) => levels.add(level), new Layer(seen))
      return levels.has('breaking') || levels.has('warning')
    }
    return { was: oldShape, is: nowShape, breaks }
  }

  /** Whether two schemas allow the same values. Equal pairs are not compared again. */
  function isSame(was: Json[], is: Json[], at: Place, seen: Set<string>): boolean {
    const tried = new Layer(seen)
    let same = true
    compareValues(was, is, at, () => (same = false), tried)
    if (same) for (const pair of tried) seen.add(pair)
    return same
  }

  /** The fields of alternatives, if nothing else may stand for a field. */
  function fieldsIn(alternatives: Json[], at: Place, shapeOf: Shapes): Map<Json, Map<string, Shape> | undefined> {
    return new Map(
      alternatives.map((schema) => {
        const shape = shapeOf([schema])
        const { properties, unions, applicators } = shape
        const isOpen = applicators.patterns.size > 0 || applicators.fieldsLike().some((it) => it !== false)
        if (isOpen || unions.length > 0 || at.text !== undefined) return [schema, undefined]
        const apart = elsewhere(shape, at, shapeOf)
        const names = [...namesOf(shape)].filter((name) => !apart.has(name))
        return [schema, new Map(names.map((name) => [name, shapeOf(properties.get(name) ?? [])]))]
      })
    )
  }
}

function pairOf(was: Shape, is: Shape, at: Place): string {
  return `${was.key} ${is.key} ${at.isNegated ?? false} ${at.text}`
}

/** Values in addition to those of a large set, which is not copied. */
class Layer extends Set<string> {
  constructor(private readonly below: ReadonlySet<string>) {
    super()
  }

  override has(value: string): boolean {
    return super.has(value) || this.below.has(value)
  }
}

/** Whether both schemas only have alternatives, or one has them and the other no union. */
function isChoiceOf(was: Shape, is: Shape): boolean {
  const isPlain = ({ key, unions }: Shape) => unions.length === 0 && key !== ''
  if (was.isOnlyChoice) return is.isOnlyChoice || isPlain(is)
  return is.isOnlyChoice && isPlain(was)
}

function namesOf({ properties, required }: Shape): Set<string> {
  return new Set([...properties.keys(), ...required])
}

function isClosed({ applicators }: Shape): boolean {
  return applicators.fieldsLike().includes(false)
}

/** Reports that a value became required or optional. */
export function requiredness(was: boolean, is: boolean, hasDefault: boolean, at: Place, report: Report): void {
  const end = at.direction === 'request' && hasDefault ? '-with-default' : ''
  if (!was && is) tell(at, report, `became-required${end}`, { effect: 'narrower' })
  if (was && !is) tell(at, report, 'became-optional', { effect: 'wider' })
}

function below(at: Place, path: string): Place {
  return {
    ...at,
    path: path.replace(/^\./, ''),
    area: at.area.replace(/-body$/, '-property').replace(/-parameter$/, '-parameter-property')
  }
}

/** Inside `not`, a request acts as a reply and a reply as a request. */
function sideOf({ direction, isNegated }: Place): Direction {
  if (!isNegated) return direction
  return direction === 'request' ? 'response' : 'request'
}

function tell(at: Place, report: Report, name: string, finding: { effect: Effect; was?: string; is?: string }): void {
  const { effect, ...values } = finding
  tellId(at, report, `${at.area}-${name}`, levelOf(sideOf(at), effect), values)
}

function tellId(at: Place, report: Report, id: string, level: Level, values: { was?: string; is?: string } = {}): void {
  report({ id, level, operation: at.operation, place: `${at.message} ${at.path}`.trim(), ...values })
}

/** What comparing subschemas needs. */
export interface Comparer {
  compare(was: Json[], is: Json[], at: Place): void
  isSame(was: Json[], is: Json[], at: Place): boolean
  tell(at: Place, name: string, effect: Effect, values?: { was?: string; is?: string }): void
  below(at: Place, step: string): Place
}

/** Compares subschemas by their effect on the allowed values. Inside `not`, wider means narrower. */
export function compareApplicators(was: Applicators, is: Applicators, at: Place, comparer: Comparer): void {
  const { compare, isSame, tell, below } = comparer
  compare(was.names, is.names, below(at, '(name)'))
  compare(was.unevaluated.properties, is.unevaluated.properties, below(at, '.(other)'))
  compare(was.unevaluated.items, is.unevaluated.items, below(at, '[other]'))
  compare(was.contents, is.contents, below(at, '(content)'))
  compareDependents()
  inOrder(was.contains, is.contains, 'contains', compareContains)
  inOrder(was.conditions, is.conditions, 'if', compareCondition)
  compareNots()

  function inOrder<T>(before: T[], after: T[], name: string, both: (before: T, after: T) => void): void {
    for (let index = 0; index < Math.max(before.length, after.length); index++) {
      const [one, other] = [before[index], after[index]]
      if (one && other) both(one, other)
      else if (other) tell(at, `${name}-added`, 'narrower')
      else tell(at, `${name}-removed`, 'wider')
    }
  }

  function compareContains(before: Contains, after: Contains): void {
    if (after.least !== before.least) tell(at, ...counted('min-contains', before.least, after.least, 'narrower'))
    if (after.most !== before.most) tell(at, ...counted('max-contains', before.most, after.most, 'wider'))
    if (isSame([before.schema], [after.schema], at)) return
    // The kind has both a minimum and a maximum count, so narrowing it affects both.
    const hasMost = Math.min(before.most, after.most) < Number.POSITIVE_INFINITY
    if (after.least > 0) compare([before.schema], [after.schema], below(at, '[contained]'))
    if (hasMost) compare([before.schema], [after.schema], negated(below(at, '[contained]')))
  }

  function compareCondition(before: Condition, after: Condition): void {
    const [thens, elses] = [below(at, '(then)'), below(at, '(else)')]
    if (!isSame([before.if], [after.if], at)) {
      // With a wider condition, `then` applies to more values and `else` to fewer.
      if (after.then.length > 0) compare([before.if], [after.if], negated(below(at, '(if)')))
      if (after.else.length > 0) compare([before.if], [after.if], below(at, '(if)'))
    }
    compare(before.then, after.then, thens)
    compare(before.else, after.else, elses)
  }

  function compareNots(): void {
    const [before, after] = [was.nots, is.nots].map((list) => (list.length > 1 ? [{ anyOf: list }] : list))
    if (before?.[0] === undefined && after?.[0] !== undefined) tell(at, 'not-added', 'narrower')
    else if (after?.[0] === undefined && before?.[0] !== undefined) tell(at, 'not-removed', 'wider')
    else if (before && after) compare(before, after, negated(below(at, '(not)')))
  }

  function compareDependents(): void {
    const none = { schemas: [], required: new Set<string>() }
    for (const name of new Set([...was.dependents.keys(), ...is.dependents.keys()])) {
      const [before, after] = [was.dependents.get(name) ?? none, is.dependents.get(name) ?? none]
      compare(before.schemas, after.schemas, below(at, `(with ${name})`))
      const added = [...after.required].filter((field) => !before.required.has(field))
      const removed = [...before.required].filter((field) => !after.required.has(field))
      if (added.length > 0) tell(at, 'dependent-required-added', 'narrower', { is: `${name}: ${added.join(', ')}` })
      if (removed.length > 0) tell(at, 'dependent-required-removed', 'wider', { was: `${name}: ${removed.join(', ')}` })
    }
  }
}

/** A changed number. `more` is the effect of an increase. */
function counted(name: string, was: number, is: number, more: 'narrower' | 'wider') {
  const isMore = is > was
  const less = more === 'narrower' ? 'wider' : 'narrower'
  const values = { was: String(was), is: String(is) }
  return [`${name}-${isMore ? 'increased' : 'decreased'}`, isMore ? more : less, values] as const
}

function negated(at: Place): Place {
  return { ...at, isNegated: !at.isNegated }
}

/** How the alternatives of both sides are read and compared. */
export interface BothShapes {
  was: Shapes
  is: Shapes
  /** Whether replacing the first by the second may break a message. */
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

/** A value that fitted one alternative of a oneOf is refused once another also accepts it, and vice versa. */
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

/** Whether a value may fit two alternatives, one of which is given. */
function mayOverlap(alternatives: Json[], shapeOf: Shapes, isAsked = (_: Json) => true): boolean {
  const isOverlap = (one: Json, other: Json) => !areDisjoint(shapeOf([one]), shapeOf([other]), shapeOf)
  const asked = new Set(alternatives.filter(isAsked))
  return alternatives.some(
    (one, at) => asked.has(one) && alternatives.some((other, index) => index !== at && isOverlap(one, other))
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
