import type { Json, JsonObject } from '../contract/load.js'
import { type Direction, type Effect, type Level, levelOf, type Report } from './change.js'
import type { OpenApiDocument } from './document.js'
import { asTheyStand, type Union } from './keywords.js'
import { createShapes, type Shape } from './shape.js'
import { matchAlternatives, nameOf } from './unions.js'
import { areApart, nullFindings, valueFindings } from './values.js'

/** Where a comparison stands. */
export interface Place {
  operation: string
  direction: Direction
  /** What ids begin with: `request-body`, `response-property`. */
  area: string
  /** `request body`, `response 200`, `query parameter page`. */
  message: string
  /** Within the message: `groups[].title`. */
  path: string
}

/** Reports how two schemas differ; none: anything is allowed. A schema that a message holds twice is compared once. */
export type CompareSchemas = (was: Json[], is: Json[], at: Place, report: Report) => void

export function createSchemaComparison(old: OpenApiDocument, now: OpenApiDocument): CompareSchemas {
  const oldShape = createShapes(old)
  const nowShape = createShapes(now)
  return (was, is, at, report) => compare(was, is, at, report, new Set())

  /** `seen`: the pairs of schemas that were compared or are being compared. */
  function compare(was: Json[], is: Json[], at: Place, report: Report, seen: Set<string>): void {
    for (const { name, ...finding } of nullFindings(oldShape(was), nowShape(is))) tell(at, report, name, finding)
    compareValues(was, is, at, report, seen)
  }

  function compareValues(was: Json[], is: Json[], at: Place, report: Report, seen: Set<string>): void {
    const [before, after] = [oldShape(was), nowShape(is)]
    const pair = `${before.key} ${after.key}`
    if (seen.has(pair)) return
    seen.add(pair)
    if (isChoiceOf(before, after)) {
      compareAlternatives(unionOf(before, was), unionOf(after, is), at, report, seen)
      return
    }
    for (const { name, ...finding } of valueFindings(before, after)) tell(at, report, name, finding)
    if (areApart(before, after)) return
    compareProperties(before, after, at, report, seen)
    compareAdditional(before, after, at, report, seen)
    if (before.types.has('array') && after.types.has('array')) {
      compare(before.items, after.items, below(at, `${at.path}[]`), report, seen)
    }
    compareUnions(before, after, at, report, seen)
    compareAsTheyStand(before, after, at, report, seen)
  }

  function compareProperties(was: Shape, is: Shape, at: Place, report: Report, seen: Set<string>): void {
    for (const name of new Set([...namesOf(was), ...namesOf(is)])) {
      const field = below(at, at.path ? `${at.path}.${name}` : name)
      const before = was.properties.get(name)
      const after = is.properties.get(name)
      if (!namesOf(was).has(name)) added(was, is, name, field, report)
      else if (!namesOf(is).has(name)) removed(was, is, name, field, report)
      else {
        requiredness(was.required.has(name), is.required.has(name), hasDefault(after), field, report)
        compare(before ?? [], after ?? [], field, report, seen)
      }
    }
  }

  function hasDefault(schemas: Json[] | undefined): boolean {
    return schemas !== undefined && nowShape(schemas).default !== undefined
  }

  function added(was: Shape, is: Shape, name: string, at: Place, report: Report): void {
    const isRequired = is.required.has(name)
    const kind = isRequired ? 'required' : 'optional'
    if (at.direction === 'request') {
      const end = isRequired && hasDefault(is.properties.get(name)) ? '-with-default' : ''
      tellId(at, report, `new-${kind}-request-property${end}`, isRequired ? 'breaking' : 'info')
    } else tellId(at, report, `response-${kind}-property-added`, isClosed(was) ? 'breaking' : 'info')
  }

  function removed(was: Shape, is: Shape, name: string, at: Place, report: Report): void {
    const isRequired = was.required.has(name)
    if (at.direction === 'request')
      tellId(at, report, 'request-property-removed', isClosed(is) ? 'breaking' : 'warning')
    else if (isRequired) tellId(at, report, 'response-required-property-removed', 'breaking')
    else tellId(at, report, 'response-optional-property-removed', 'warning')
  }

  function compareAdditional(was: Shape, is: Shape, at: Place, report: Report, seen: Set<string>): void {
    if (!was.types.has('object') || !is.types.has('object')) return
    if (isClosed(was) !== isClosed(is)) {
      if (isClosed(is)) tell(at, report, 'additional-properties-forbidden', { effect: 'narrower' })
      else tell(at, report, 'additional-properties-allowed', { effect: 'wider' })
    } else compare(was.additional, is.additional, below(at, `${at.path}.*`), report, seen)
  }

  /** Unions beside other words, in their order; a whole one more allows less. */
  function compareUnions(was: Shape, is: Shape, at: Place, report: Report, seen: Set<string>): void {
    for (let i = 0; i < Math.max(was.unions.length, is.unions.length); i++) {
      const [before, after] = [was.unions[i], is.unions[i]]
      if (before && after) compareAlternatives(before, after, at, report, seen)
      else if (after) tell(at, report, `${after.kind}-set`, { effect: 'narrower' })
      else if (before) tell(at, report, `${before.kind}-unset`, { effect: 'wider' })
    }
  }

  function compareAlternatives(was: Union, is: Union, at: Place, report: Report, seen: Set<string>): void {
    const { pairs, removed, added } = matchAlternatives(was, is, (one, other) => isSame([one], [other], at, seen))
    for (const [before, after] of pairs) {
      compareValues([before], [after], below(at, `${at.path}(${nameOf(after)})`), report, seen)
    }
    for (const it of removed) tell(at, report, `${was.kind}-removed`, { effect: 'narrower', was: nameOf(it) })
    for (const it of added) tell(at, report, `${is.kind}-added`, { effect: 'wider', is: nameOf(it) })
  }

  function compareAsTheyStand(was: Shape, is: Shape, at: Place, report: Report, seen: Set<string>): void {
    for (const keyword of new Set([...was.others.keys(), ...is.others.keys()])) {
      const [before, after] = [was.others.get(keyword), is.others.get(keyword)]
      const name = keyword.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      if (!before) tell(at, report, `${name}-added`, { effect: 'narrower' })
      else if (!after) tell(at, report, `${name}-removed`, { effect: 'wider' })
      else if (!isSameValue(keyword, before, after)) tell(at, report, `${name}-changed`, { effect: 'unknown' })
    }

    function isSameValue(keyword: string, before: Json[], after: Json[]): boolean {
      if (asTheyStand[keyword] === 'plain') return JSON.stringify(before) === JSON.stringify(after)
      if (asTheyStand[keyword] === 'schema') return isSame(before, after, at, seen)
      const [one, other] = [Object.assign({}, ...before), Object.assign({}, ...after)] as [JsonObject, JsonObject]
      const names = Object.keys({ ...one, ...other })
      return names.every((it) => it in one && it in other && isSame([one[it] as Json], [other[it] as Json], at, seen))
    }
  }

  /** Whether two schemas allow the same. What was found the same need not be compared again. */
  function isSame(was: Json[], is: Json[], at: Place, seen: Set<string>): boolean {
    const tried = new Set(seen)
    let same = true
    compareValues(was, is, at, () => (same = false), tried)
    if (same) for (const pair of tried) seen.add(pair)
    return same
  }
}

/** Whether both say no more than which alternatives there are; a schema that leaves no choice is the only one. */
function isChoiceOf(was: Shape, is: Shape): boolean {
  const isPlain = ({ key, unions }: Shape) => unions.length === 0 && key !== ''
  if (was.isOnlyChoice) return is.isOnlyChoice || isPlain(is)
  return is.isOnlyChoice && isPlain(was)
}

function unionOf({ unions }: Shape, schemas: Json[]): Union {
  return (
    unions[0] ?? { kind: 'any-of', alternatives: [schemas.length === 1 ? (schemas[0] as Json) : { allOf: schemas }] }
  )
}

function namesOf({ properties, required }: Shape): Set<string> {
  return new Set([...properties.keys(), ...required])
}

function isClosed({ additional }: Shape): boolean {
  return additional.includes(false)
}

/** Reports that something became required, or optional. */
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

function tell(at: Place, report: Report, name: string, finding: { effect: Effect; was?: string; is?: string }): void {
  const { effect, ...values } = finding
  tellId(at, report, `${at.area}-${name}`, levelOf(at.direction, effect), values)
}

function tellId(at: Place, report: Report, id: string, level: Level, values: { was?: string; is?: string } = {}): void {
  report({ id, level, operation: at.operation, place: `${at.message} ${at.path}`.trim(), ...values })
}
