import fc from 'fast-check'
import { operations } from './compose.js'
import type { Step } from './play.js'

/** The seed of every run, so that it can be repeated. */
export const seed = 20260302

const day = 24 * 60 * 60 * 1000
const waits = [1, 999, 1500, 2000, 3000, 10_000, day, 8 * day]

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ operation: fc.constantFrom(...operations), seed: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ wait: fc.constantFrom(...waits) }) }
)

/** Calls of every operation in any order, and pauses between them. */
export function sequences(maxLength: number): fc.Arbitrary<Step[]> {
  return fc.array(step, { minLength: 5, maxLength })
}
