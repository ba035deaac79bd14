/** What a matcher says, in the form of Jest and Vitest. */
export interface Verdict {
  pass: boolean
  message: () => string
}
