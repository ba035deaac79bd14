import type { Json } from '../../engine/contract/load.js'
import { type Effect, shown, type Values } from './change.js'
import { limits, typeNames } from './keywords.js'
import { listed, type Shape } from './shape.js'

/** Receives one difference between two shapes. Its name does not include the part of the message. */
export type Find = (name: string, effect: Effect, values?: Values) => void

type Limit = number | undefined

/** Finds how the allowed values of two schemas differ, without fields and items. */
export function compareValues(before: Shape, after: Shape, find: Find): void {
  const [was, is] = before.values || after.values ? [listed(before), listed(after)] : [before, after]
  compareTypes(was, is, find)
  compareEnums(was.values, is.values, find)
  for (const { name, isLower } of limits) compareLimit(name, isLower, was.bounds.get(name), is.bounds.get(name), find)
  const patterns = [was.patterns, is.patterns].map((it) => (it.length > 0 ? it : undefined))
  if (was.patterns.join('\n') !== is.patterns.join('\n')) {
    replaced('pattern', patterns, ['narrower', 'wider', 'unknown'], find)
  }
  compareFactors(was.factors, is.factors, find)
  if (is.isUnique && !was.isUnique) find('unique-items-added', 'narrower')
  if (was.isUnique && !is.isUnique) find('unique-items-removed', 'wider')
  if (JSON.stringify(was.default) !== JSON.stringify(is.default)) {
    replaced('default-value', [was.default, is.default], ['meaning', 'meaning', 'meaning'], find)
  }
}

/** Whether the schemas have no value except null in common. */
export function areApart(was: Shape, is: Shape): boolean {
  return was.types.size > 0 && is.types.size > 0 && ![...was.types].some((type) => is.types.has(type))
}

/** A keyword that was added, removed or changed, with the effect of each. */
function replaced(name: string, [was, is]: unknown[], [added, removed, changed]: Effect[], find: Find): void {
  const values = { ...(was !== undefined && { was: shown(was) }), ...(is !== undefined && { is: shown(is) }) }
  if (was === undefined) find(`${name}-added`, added as Effect, values)
  else if (is === undefined) find(`${name}-removed`, removed as Effect, values)
  else find(`${name}-changed`, changed as Effect, values)
}

function compareTypes(was: Shape, is: Shape, find: Find): void {
  const [one, other] = [effectOf(was.types, is.types), formatEffect(was.formats, is.formats)]
  const effect = one === undefined || other === undefined || one === other ? (one ?? other) : 'other'
  if (effect === undefined) return
  const isList = [was, is].every(({ types }) => /^(?!.*any).* or /.test(typeNames(types)))
  const names: Record<string, string> = isList
    ? { narrower: 'list-of-types-narrowed', wider: 'list-of-types-widened' }
    : { narrower: 'type-specialized', wider: 'type-generalized' }
  find(names[effect] ?? 'type-changed', effect, { was: typeText(was), is: typeText(is) })
}

export function typeText({ types, formats }: Shape): string {
  return formats.length > 0 ? `${typeNames(types)} (${formats.join(', ')})` : typeNames(types)
}

/** The effect when one set of allowed values replaces another. */
function effectOf(was: Set<string>, is: Set<string>): Effect | undefined {
  const isGone = [...was].some((it) => !is.has(it))
  const isNew = [...is].some((it) => !was.has(it))
  if (isGone && isNew) return 'other'
  return isGone ? 'narrower' : isNew ? 'wider' : undefined
}

/** Formats whose values are all of the other one. */
const wider: Record<string, string> = { int32: 'int64', float: 'double' }

function formatEffect(was: string[], is: string[]): Effect | undefined {
  if (was.join() === is.join()) return undefined
  if (wider[was.join()] === is.join()) return 'wider'
  if (wider[is.join()] === was.join()) return 'narrower'
  if (was.length === 0) return 'narrower'
  return is.length === 0 ? 'wider' : 'other'
}

function compareEnums(was: Shape['values'], is: Shape['values'], find: Find): void {
  const list = (values: Map<string, Json>) => [...values.values()].map(shown).join(', ')
  if (was && is) {
    const removals = new Map([...was].filter(([value]) => !is.has(value)))
    const additions = new Map([...is].filter(([value]) => !was.has(value)))
    if (removals.size > 0) find('enum-value-removed', 'narrower', { was: list(removals) })
    if (additions.size > 0) find('enum-value-added', 'wider', { is: list(additions) })
  } else if (is) find('became-enum', 'narrower', { is: list(is) })
  else if (was) find('enum-removed', 'wider', { was: list(was) })
}

/** Finds how a limit differs. Undefined: there is none. */
export function compareLimit(name: string, isLower: boolean, was: Limit, is: Limit, find: Find): void {
  if (was === is) return
  const values = { ...(was !== undefined && { was: String(was) }), ...(is !== undefined && { is: String(is) }) }
  if (was === undefined) find(`${name}-set`, 'narrower', values)
  else if (is === undefined) find(`${name}-unset`, 'wider', values)
  else {
    const effect = is > was === isLower ? 'narrower' : 'wider'
    find(`${name}-${is > was ? 'increased' : 'decreased'}`, effect, values)
  }
}

function compareFactors(was: number[], is: number[], find: Find): void {
  // Allows for rounding: 0.3 / 0.1 is 2.9999999999999996.
  const isMultiple = (quotient: number) => Math.abs(quotient - Math.round(quotient)) < 1e-9
  // All multiples of `some` are multiples of `others` if each of `others` divides one of `some`.
  const cover = (some: number[], others: number[]) => others.every((other) => some.some((it) => isMultiple(it / other)))
  const [isNarrower, isWider] = [cover(is, was), cover(was, is)]
  if (isNarrower && isWider) return
  const effect = isNarrower ? 'narrower' : isWider ? 'wider' : 'other'
  const factors = [was, is].map((it) => (it.length > 0 ? it : undefined))
  replaced('multiple-of', factors, [effect, effect, effect], find)
}
