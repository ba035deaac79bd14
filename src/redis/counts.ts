/** Counts for the metrics. */
export interface Counts {
  appends: number
  appendSeconds: number
  fenced: number
  unknown: number
  claims: number
  forwarded: number
  lost: number
  tooFew: number
}

export function noCounts(): Counts {
  return { appends: 0, appendSeconds: 0, fenced: 0, unknown: 0, claims: 0, forwarded: 0, lost: 0, tooFew: 0 }
}
