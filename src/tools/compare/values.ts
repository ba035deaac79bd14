import type { Json } from '../../engine/contract/load.js'
import { limits } from './bounds.js'
import { type Effect, shown } from './change.js'
import { listed, type Shape } from './shape.js'
import { typeNames } from './types.js'

/** A difference between two shapes. Its name does not include the part of the message. */
export interface SchemaDifference {
  name: string
  effect: Effect
  was?: string
  is?: string
}

/** How the allowed values of two schemas differ, without fields and items. */
export function valueFindings(before: Shape, after: Shape): SchemaDifference[] {
  const [was, is] = before.values || after.values ? [listed(before), listed(after)] : [before, after]
  return [
    ...typeFindings(was, is),
    ...enumFindings(was, is),
    ...limitFindings(was, is),
    ...patternFindings(was, is),
    ...factorFindings(was, is),
    ...uniqueFindings(was, is),
    ...defaultFindings(was, is)
  ]
}

export function nullFindings(was: Shape, is: Shape): SchemaDifference[] {
  if (was.isNullable === is.isNullable) return []
  return [
    is.isNullable ? { name: 'became-nullable', effect: 'wider' } : { name: 'became-not-nullable', effect: 'narrower' }
  ]
}

/** Whether the schemas have no value except null in common. */
export function areApart(was: Shape, is: Shape): boolean {
  return was.types.size > 0 && is.types.size > 0 && ![...was.types].some((type) => is.types.has(type))
}

function typeFindings(was: Shape, is: Shape): SchemaDifference[] {
  const effect = both(effectOf(was.types, is.types), formatEffect(was.formats, is.formats))
  if (effect === undefined) return []
  const isList = [was, is].every(({ types }) => /^(?!.*any).* or /.test(typeNames(types)))
  const names: Record<string, string> = isList
    ? { narrower: 'list-of-types-narrowed', wider: 'list-of-types-widened' }
    : { narrower: 'type-specialized', wider: 'type-generalized' }
  return [{ name: names[effect] ?? 'type-changed', effect, was: typeText(was), is: typeText(is) }]
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

function formatEffect(was: string[], is: string[]): Effect | undefined {
  if (was.join() === is.join()) return undefined
  if (was.length === 0) return 'narrower'
  return is.length === 0 ? 'wider' : 'other'
}

function both(one: Effect | undefined, other: Effect | undefined): Effect | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one === other ? one : 'other'
}

export function enumFindings({ values: was }: Shape, { values: is }: Shape): SchemaDifference[] {
  if (!was || !is) {
    if (is) return [{ name: 'became-enum', effect: 'narrower', is: list(is) }]
    return was ? [{ name: 'enum-removed', effect: 'wider', was: list(was) }] : []
  }
  const gone = new Map([...was].filter(([value]) => !is.has(value)))
  const added = new Map([...is].filter(([value]) => !was.has(value)))
  const findings: SchemaDifference[] = []
  if (gone.size > 0) findings.push({ name: 'enum-value-removed', effect: 'narrower', was: list(gone) })
  if (added.size > 0) findings.push({ name: 'enum-value-added', effect: 'wider', is: list(added) })
  return findings
}

function list(values: Map<string, Json>): string {
  return [...values.values()].map(shown).join(', ')
}

function limitFindings(was: Shape, is: Shape): SchemaDifference[] {
  return limits.flatMap(({ name, side }): SchemaDifference[] => {
    const [before, after] = [was.bounds.get(name), is.bounds.get(name)]
    if (before === after) return []
    if (before === undefined) return [{ name: `${name}-set`, effect: 'narrower', is: String(after) }]
    if (after === undefined) return [{ name: `${name}-unset`, effect: 'wider', was: String(before) }]
    const direction = after > before ? 'increased' : 'decreased'
    const effect = (direction === 'increased') === (side === 'lower') ? 'narrower' : 'wider'
    return [{ name: `${name}-${direction}`, effect, was: String(before), is: String(after) }]
  })
}

function patternFindings({ patterns: was }: Shape, { patterns: is }: Shape): SchemaDifference[] {
  if (was.join('\n') === is.join('\n')) return []
  if (was.length === 0) return [{ name: 'pattern-added', effect: 'narrower', is: shown(is) }]
  if (is.length === 0) return [{ name: 'pattern-removed', effect: 'wider', was: shown(was) }]
  return [{ name: 'pattern-changed', effect: 'unknown', was: shown(was), is: shown(is) }]
}

function factorFindings({ factors: was }: Shape, { factors: is }: Shape): SchemaDifference[] {
  // All multiples of `some` are multiples of `others` if each of `others` divides one of `some`.
  const holds = (some: number[], others: number[]) => others.every((other) => some.some((it) => isMultiple(it, other)))
  const [isNarrower, isWider] = [holds(is, was), holds(was, is)]
  if (isNarrower && isWider) return []
  const effect = isNarrower ? 'narrower' : isWider ? 'wider' : 'other'
  const name = was.length === 0 ? 'multiple-of-added' : is.length === 0 ? 'multiple-of-removed' : 'multiple-of-changed'
  return [{ name, effect, ...(was.length > 0 && { was: shown(was) }), ...(is.length > 0 && { is: shown(is) }) }]
}

/** Allows for rounding: 0.3 / 0.1 is 2.9999999999999996. */
function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor
  return Math.abs(quotient - Math.round(quotient)) < 1e-9
}

function uniqueFindings({ isUnique: was }: Shape, { isUnique: is }: Shape): SchemaDifference[] {
  if (was === is) return []
  return [is ? { name: 'unique-items-added', effect: 'narrower' } : { name: 'unique-items-removed', effect: 'wider' }]
}

function defaultFindings({ default: was }: Shape, { default: is }: Shape): SchemaDifference[] {
  if (JSON.stringify(was) === JSON.stringify(is)) return []
  if (was === undefined) return [{ name: 'default-value-added', effect: 'meaning', is: shown(is) }]
  if (is === undefined) return [{ name: 'default-value-removed', effect: 'meaning', was: shown(was) }]
  return [{ name: 'default-value-changed', effect: 'meaning', was: shown(was), is: shown(is) }]
}
