import { lazily } from './lazy.js'

/** How many letters differ. */
export function distance(a: string, b: string): number {
  const { distance: between } = lazily('fastest-levenshtein') as typeof import('fastest-levenshtein')
  return between(a, b)
}

/** Throws an Error that names an unknown option, or another thing of this kind, and the nearest known one. */
export function checkNames(options: object, known: readonly string[], kind = 'option'): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`There is no ${kind} ${unknown}. ${didYouMean(unknown, known)}`)
}

/** Asks whether one of the known names was meant. */
export function didYouMean(name: string, known: readonly string[]): string {
  const { closest } = lazily('fastest-levenshtein') as typeof import('fastest-levenshtein')
  return `Did you mean ${closest(name, known)}?`
}
