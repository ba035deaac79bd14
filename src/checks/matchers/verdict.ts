/** The result of a matcher, in the form of Jest and Vitest. */
export interface Verdict {
  pass: boolean
  message: () => string
}
