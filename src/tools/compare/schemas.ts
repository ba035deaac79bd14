import { isObject, type Json } from '../../engine/contract/load.js'
import { type Change, type Direction, type Effect, type Level, levelOf, type Values } from './change.js'
import { type OpenApiDocument, pointedAt } from './document.js'
import { type Alternatives, matchAlternatives, nameOf, type Union, unionsOf } from './keywords.js'
import { asText, createShapes, type Shape, type Shapes } from './shape.js'
import { areApart, compareLimit, compareValues, type Find, typeText } from './values.js'

/** The place of a comparison. */
export interface Place {
  operation: string
  direction: Direction
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

export type SchemaComparison = ReturnType<typeof createSchemaComparison>

/** Reports how two schemas differ. No schemas means that anything is allowed. */
export function createSchemaComparison(old: OpenApiDocument, now: OpenApiDocument, report: (change: Change) => void) {
  const [oldShape, nowShape] = [createShapes(old), createShapes(now)]
  const { requiredness } = comparer(report, new Set())
  /** A schema that appears twice in a message is compared once. */
  const compare = (was: Json[], is: Json[], at: Place) => comparer(report, new Set()).compare(was, is, at)
  return { compare, asValues, requiredness, shapes: [oldShape, nowShape] as const }

  /** The same for a repeatable parameter: a single value is a list of one. */
  function asValues(was: Json[], is: Json[], at: Place): void {
    const [before, after] = [oldShape(was), nowShape(is)]
    const isListNow = !before.types.has('array') && after.types.size === 1 && after.types.has('array')
    if (isListNow && (after.bounds.get('min-items') ?? 0) < 2) {
      const values = { was: typeText(before), is: typeText(after) }
      comparer(report, new Set()).tell(at, 'type-generalized', 'wider', values)
      compare(was, after.itemsAt(0), at)
    } else compare(was, is, at)
  }

  /** `comparisons`: pairs of schemas that have been or are being compared. */
  function comparer(report: (change: Change) => unknown, comparisons: Set<string>) {
    return { compare, compareNonNull, requiredness, tell }

    function compare(was: Json[], is: Json[], at: Place): void {
      const [before, after] = [oldShape(was).isNullable, nowShape(is).isNullable]
      if (after && !before) tell(at, 'became-nullable', 'wider')
      if (before && !after) tell(at, 'became-not-nullable', 'narrower')
      compareNonNull(was, is, at)
    }

    function compareNonNull(was: Json[], is: Json[], at: Place): void {
      const [before, after] = [oldShape(was), nowShape(is)]
      const pair = pairOf(before, after, at)
      if (comparisons.has(pair)) return
      comparisons.add(pair)
      const several = [severalOf(old, was), severalOf(now, is)] as const
      compareKinds(...several, at)
      if (isChoiceOf(before, after)) {
        compareAlternatives(several[0] ?? unionOf(before, was), several[1] ?? unionOf(after, is), at)
        return
      }
      const seenAs = at.text === 'value' ? asText : (it: Shape) => it
      compareValues(seenAs(before), seenAs(after), (...difference) => tell(at, ...difference))
      if (areApart(before, after)) return
      compareProperties(before, after, at)
      compareAdditional(before, after, at)
      if (before.types.has('array') && after.types.has('array')) compareItems(before, after, at)
      // Unions next to other keywords, in order. An additional union allows less.
      inOrder(before.unions, after.unions, at, compareAlternatives, ({ kind }) => [`${kind}-set`, `${kind}-unset`])
      compareApplicators(before, after, at)
    }

    function compareProperties(was: Shape, is: Shape, at: Place): void {
      const [unseen, unsent] = [elsewhere(was, at, oldShape), elsewhere(is, at, nowShape)]
      for (const name of new Set([...namesOf(was), ...namesOf(is)])) {
        const { text, ...apart } = below(at, `.${name}`)
        const field: Place = text === 'fields' ? { ...apart, text: 'value' } : apart
        const [before, after] = [!unseen.has(name) && fieldOf(was, name), !unsent.has(name) && fieldOf(is, name)]
        if (!before && !after) continue
        if (!before) added(was, is, name, field)
        else if (!after) removed(was, is, name, field)
        else {
          requiredness(was.required.has(name), is.required.has(name), field, hasDefault(after))
          compare(before, after, field)
        }
      }
    }

    function added(was: Shape, is: Shape, name: string, at: Place): void {
      const isRequired = is.required.has(name)
      const kind = isRequired ? 'required' : 'optional'
      if (sideOf(at) === 'request') {
        const end = isRequired && hasDefault(is.properties.get(name)) ? '-with-default' : ''
        tellId(at, `new-${kind}-request-property${end}`, isRequired ? 'breaking' : 'info')
      } else tellId(at, `response-${kind}-property-added`, isClosed(was) ? 'breaking' : 'info')
    }

    function removed(was: Shape, is: Shape, name: string, at: Place): void {
      const isRequired = was.required.has(name)
      if (sideOf(at) === 'request') tellId(at, 'request-property-removed', isClosed(is) ? 'breaking' : 'warning')
      else if (isRequired) tellId(at, 'response-required-property-removed', 'breaking')
      else tellId(at, 'response-optional-property-removed', 'warning')
    }

    function requiredness(was: boolean, is: boolean, at: Place, hasDefault = false): void {
      const end = at.direction === 'request' && hasDefault ? '-with-default' : ''
      if (!was && is) tell(at, `became-required${end}`, 'narrower')
      if (was && !is) tell(at, 'became-optional', 'wider')
    }

    /** Fields without a property: fields that match a pattern, and all others. */
    function compareAdditional(was: Shape, is: Shape, at: Place): void {
      if (!was.types.has('object') || !is.types.has('object')) return
      for (const pattern of new Set([...was.fieldPatterns, ...is.fieldPatterns])) {
        compare(was.fieldsLike(pattern), is.fieldsLike(pattern), below(at, `.{${pattern}}`))
      }
      if (isClosed(was) === isClosed(is)) compare(was.fieldsLike(), is.fieldsLike(), below(at, '.*'))
      else if (isClosed(is)) tell(at, 'additional-properties-forbidden', 'narrower')
      else tell(at, 'additional-properties-allowed', 'wider')
    }

    /** The first items by position, then all others. */
    function compareItems(was: Shape, is: Shape, at: Place): void {
      for (let index = 0; index < Math.max(was.firstItems, is.firstItems); index++) {
        compare(was.itemsAt(index), is.itemsAt(index), below(at, `[${index}]`))
      }
      compare(was.itemsAt(), is.itemsAt(), below(at, '[]'))
    }

    /** Compares what both sides have in order. What only one has is reported by its name. */
    function inOrder<T>(
      was: T[],
      is: T[],
      at: Place,
      both: (was: T, is: T, at: Place) => void,
      names: (it: T) => [added: string, removed: string]
    ): void {
      for (let index = 0; index < Math.max(was.length, is.length); index++) {
        const [before, after] = [was[index], is[index]]
        if (before !== undefined && after !== undefined) both(before, after, at)
        else if (after !== undefined) tell(at, names(after)[0], 'narrower')
        else if (before !== undefined) tell(at, names(before)[1], 'wider')
      }
    }

    /** oneOf refuses a value that fits two alternatives, anyOf does not. */
    function compareKinds(was: Union | undefined, is: Union | undefined, at: Place): void {
      if (!was || !is || was.kind === is.kind) return
      if (was.kind === 'one-of') {
        if (mayOverlap(was.alternatives, oldShape)) tell(at, 'one-of-became-any-of', 'wider')
      } else if (mayOverlap(is.alternatives, nowShape)) tell(at, 'any-of-became-one-of', 'narrower')
    }

    function compareAlternatives(was: Union, is: Union, at: Place): void {
      const [before, after] = [fieldsIn(was.alternatives, at, oldShape), fieldsIn(is.alternatives, at, nowShape)]
      const isNew = (one: Shape, other: Shape) => !comparisons.has(pairOf(one, other, at))
      /** Most alternatives differ in the names of their fields, or in the values of one. */
      const isOther = (one: Json, other: Json) => {
        const [fields, others] = [before.get(one), after.get(other)]
        if (!fields || !others || !isNew(oldShape([one]), nowShape([other]))) return false
        const differs = ([name, was]: [string, Shape]) => {
          const is = others.get(name)
          return !is || (hasOtherValues(was, is) && isNew(was, is))
        }
        return fields.size !== others.size || [...fields].some(differs)
      }
      const matched = matchAlternatives(was, is, (one, other) => {
        return !isOther(one, other) && isSame([one], [other], at)
      })
      compareOverlaps(was, is, matched, at)
      for (const [one, other] of matched.pairs) compareNonNull([one], [other], below(at, `(${nameOf(other)})`))
      for (const it of matched.removed) tell(at, `${was.kind}-removed`, 'narrower', { was: nameOf(it) })
      for (const it of matched.added) tell(at, `${is.kind}-added`, 'wider', { is: nameOf(it) })
    }

    /** A value that fitted one alternative of a oneOf is refused once another also accepts it, and vice versa. */
    function compareOverlaps(was: Union, is: Union, { pairs, removed, added }: Alternatives, at: Place): void {
      if (![was, is].every(({ kind, alternatives }) => kind === 'one-of' || alternatives.length === 1)) return
      const breaks = (one: Json, other: Json, direction: Direction) => {
        const levels = new Set<Level>()
        const place: Place = { ...at, direction, isNegated: false }
        comparer(({ level }) => levels.add(level), new Layer(comparisons)).compareNonNull([one], [other], place)
        return levels.has('breaking') || levels.has('warning')
      }
      const grows = (it: Json) =>
        added.includes(it) || pairs.some(([one, other]) => other === it && breaks(one, other, 'response'))
      const shrinks = (it: Json) =>
        removed.includes(it) || pairs.some(([one, other]) => one === it && breaks(one, other, 'request'))
      if (mayOverlap(is.alternatives, nowShape, grows)) tell(at, 'one-of-overlap-added', 'narrower')
      if (mayOverlap(was.alternatives, oldShape, shrinks)) tell(at, 'one-of-overlap-removed', 'wider')
    }

    /** Compares subschemas by their effect on the allowed values. Inside `not`, wider means narrower. */
    function compareApplicators(was: Shape, is: Shape, at: Place): void {
      for (const [step, schemas] of Object.entries(was.within))
        compare(schemas, is.within[step as keyof typeof is.within], below(at, step))
      for (const name of new Set([...was.dependents, ...is.dependents])) {
        const [before, after] = [was.dependent(name), is.dependent(name)]
        compare(before.schemas, after.schemas, below(at, `(with ${name})`))
        const added = [...after.required].filter((field) => !before.required.has(field))
        const removed = [...before.required].filter((field) => !after.required.has(field))
        if (added.length > 0) tell(at, 'dependent-required-added', 'narrower', { is: `${name}: ${added.join(', ')}` })
        if (removed.length > 0)
          tell(at, 'dependent-required-removed', 'wider', { was: `${name}: ${removed.join(', ')}` })
      }
      const names = (name: string) => (): [string, string] => [`${name}-added`, `${name}-removed`]
      inOrder(was.contains, is.contains, at, compareContains, names('contains'))
      inOrder(was.conditions, is.conditions, at, compareConditions, names('if'))
      const [before, after] = [was.nots, is.nots].map((list) => (list.length > 1 ? [{ anyOf: list }] : list))
      const compareNots = (one: Json, other: Json) => compare([one], [other], negated(below(at, '(not)')))
      inOrder(before as Json[], after as Json[], at, compareNots, names('not'))
    }

    function compareContains(was: Shape['contains'][number], is: Shape['contains'][number], at: Place): void {
      const find: Find = (...difference) => tell(at, ...difference)
      compareLimit('min-contains', true, was.least, is.least, find)
      compareLimit('max-contains', false, was.most, is.most, find)
      if (isSame([was.schema], [is.schema], at)) return
      // The kind has both a minimum and a maximum count, so narrowing it affects both.
      const hasMost = Math.min(was.most, is.most) < Number.POSITIVE_INFINITY
      const place = below(at, '[contained]')
      if (is.least > 0) compare([was.schema], [is.schema], place)
      if (hasMost) compare([was.schema], [is.schema], negated(place))
    }

    function compareConditions(was: Shape['conditions'][number], is: Shape['conditions'][number], at: Place): void {
      if (!isSame([was.if], [is.if], at)) {
        // With a wider condition, `then` applies to more values and `else` to fewer.
        if (is.then.length > 0) compare([was.if], [is.if], negated(below(at, '(if)')))
        if (is.else.length > 0) compare([was.if], [is.if], below(at, '(if)'))
      }
      compare(was.then, is.then, below(at, '(then)'))
      compare(was.else, is.else, below(at, '(else)'))
    }

    /** Whether two schemas allow the same values. Equal pairs are not compared again. */
    function isSame(was: Json[], is: Json[], at: Place): boolean {
      const tried = new Layer(comparisons)
      let same = true
      comparer(() => (same = false), tried).compareNonNull(was, is, at)
      if (same) for (const pair of tried) comparisons.add(pair)
      return same
    }

    function tell(at: Place, name: string, effect: Effect, values: Values = {}): void {
      tellId(at, `${at.area}-${name}`, levelOf(sideOf(at), effect), values)
    }

    function tellId(at: Place, id: string, level: Level, values: Values = {}): void {
      report({ id, level, operation: at.operation, place: `${at.message} ${at.path}`.trim(), ...values })
    }
  }

  function hasDefault(schemas: Json[] | undefined): boolean {
    return schemas !== undefined && nowShape(schemas).default !== undefined
  }
}

/** The fields that are not in this message: those that are only read, or only written. */
function elsewhere({ properties }: Shape, { direction }: Place, shapeOf: Shapes): Set<string> {
  const isApart = ({ isReadOnly, isWriteOnly }: Shape) => (direction === 'request' ? isReadOnly : isWriteOnly)
  return new Set([...properties].flatMap(([name, schemas]) => (isApart(shapeOf(schemas)) ? [name] : [])))
}

/** The schemas of a field. Undefined if the field is unknown or not allowed. */
function fieldOf({ properties, required, fieldsNamed }: Shape, name: string): Json[] | undefined {
  const like = fieldsNamed(name)
  if (properties.has(name)) return properties.get(name)
  return required.has(name) || (like.length > 0 && !like.includes(false)) ? like : undefined
}

/** The fields of alternatives, if nothing else may stand for a field. */
function fieldsIn(alternatives: Json[], at: Place, shapeOf: Shapes): Map<Json, Map<string, Shape> | undefined> {
  return new Map(
    alternatives.map((schema) => {
      const shape = shapeOf([schema])
      const { properties, unions } = shape
      const isOpen = shape.fieldPatterns.size > 0 || shape.fieldsLike().some((it) => it !== false)
      if (isOpen || unions.length > 0 || at.text !== undefined) return [schema, undefined]
      const apart = elsewhere(shape, at, shapeOf)
      const names = [...namesOf(shape)].filter((name) => !apart.has(name))
      return [schema, new Map(names.map((name) => [name, shapeOf(properties.get(name) ?? [])]))]
    })
  )
}

function hasOtherValues({ values: was }: Shape, { values: is }: Shape): boolean {
  return was !== undefined && is !== undefined && (was.size !== is.size || [...was.keys()].some((it) => !is.has(it)))
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

function isClosed({ fieldsLike }: Shape): boolean {
  return fieldsLike().includes(false)
}

function below(at: Place, step: string): Place {
  return {
    ...at,
    path: (at.path + step).replace(/^\./, ''),
    area: at.area.replace(/-body$/, '-property').replace(/-parameter$/, '-parameter-property')
  }
}

/** Inside `not`, a request acts as a reply and a reply as a request. */
function sideOf({ direction, isNegated }: Place): Direction {
  if (!isNegated) return direction
  return direction === 'request' ? 'response' : 'request'
}

function negated(at: Place): Place {
  return { ...at, isNegated: !at.isNegated }
}

/** Whether a value may fit two alternatives, one of which is given. */
function mayOverlap(alternatives: Json[], shapeOf: Shapes, isAsked = (_: Json) => true): boolean {
  const isOverlap = (one: Json, other: Json) => !areDisjoint(shapeOf([one]), shapeOf([other]), shapeOf)
  const candidates = new Set(alternatives.filter(isAsked))
  return alternatives.some(
    (one, at) => candidates.has(one) && alternatives.some((other, index) => index !== at && isOverlap(one, other))
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
  const shapeIn = ({ properties }: Shape, name: string) => shapeOf(properties.get(name) ?? [])
  return depth < 3 && shared.some((name) => areDisjoint(shapeIn(one, name), shapeIn(other, name), shapeOf, depth + 1))
}

/** Whether one requires a field that the other does not allow. */
function lacks(one: Shape, { properties, fieldsNamed }: Shape): boolean {
  return [...one.required].some((name) => !properties.has(name) && fieldsNamed(name).includes(false))
}

/** The first union of several alternatives. */
function severalOf(document: OpenApiDocument, [schema, ...others]: Json[], refs: Json[] = []): Union | undefined {
  if (!isObject(schema) || others.length > 0 || refs.includes(schema)) return undefined
  if (typeof schema.$ref === 'string') return severalOf(document, [pointedAt(document, schema.$ref)], [...refs, schema])
  return unionsOf(schema).find(({ alternatives }) => alternatives.length > 1)
}

/** The union of a schema. Without one, the schema counts as the only alternative. */
function unionOf({ unions }: Shape, schemas: Json[]): Union {
  const alternative = schemas.length === 1 ? (schemas[0] as Json) : { allOf: schemas }
  return unions[0] ?? { kind: 'any-of', alternatives: [alternative] }
}
