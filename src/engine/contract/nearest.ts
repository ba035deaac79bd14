import { lazily } from './lazy.js'

/** The number of different letters. */
export function distance(a: string, b: string): number {
  const { distance: between } = lazily('fastest-levenshtein') as typeof import('fastest-levenshtein')
  return between(a, b)
}

/** Throws an Error for an unknown option, or another `kind`, that names the nearest known one. */
export function checkNames(options: object, names: readonly string[], kind = 'option'): void {
  const unknown = Object.entries(options).find(([name, value]) => value !== undefined && !names.includes(name))?.[0]
  if (unknown !== undefined) throw new Error(`There is no ${kind} ${unknown}. ${didYouMean(unknown, names)}`)
}

export function didYouMean(name: string, names: readonly string[]): string {
  const { closest } = lazily('fastest-levenshtein') as typeof import('fastest-levenshtein')
  return `Did you mean ${closest(name, names)}?`
}
