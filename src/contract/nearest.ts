import { lazily } from './lazy.js'

/** How many letters differ. */
export function distance(a: string, b: string): number {
  const { distance: between } = lazily('fastest-levenshtein') as typeof import('fastest-levenshtein')
  return between(a, b)
}

/** The question that helps who mistyped one of the known names. */
export function didYouMean(name: string, known: readonly string[]): string {
  const { closest } = lazily('fastest-levenshtein') as typeof import('fastest-levenshtein')
  return `Did you mean ${closest(name, known)}?`
}
