/** The result of a matcher, in the form of Jest and Vitest. */
export interface MatcherResult {
  pass: boolean
  message: () => string
}
