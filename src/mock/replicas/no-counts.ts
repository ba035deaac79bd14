import type { Counts } from './stream.js'

export function noCounts(): Counts {
  return { appends: 0, appendSeconds: 0, fenced: 0, unknown: 0, claims: 0, forwarded: 0, lost: 0, tooFew: 0 }
}
