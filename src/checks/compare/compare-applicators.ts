import type { Json } from '../../contract/load.js'
import type { Applicators, Condition, Contains } from './applicators.js'
import type { Effect } from './change.js'
import type { Place } from './schemas.js'

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
