import type { Check } from '../../../src/tools/verify/results.js'
import type { Fault } from './server.js'

/** A server with one fault, and the check that is to catch it. */
export interface Mutant {
  name: string
  /** The operations that are verified: globs. */
  operations: string
  check: Check
  fault: Fault
}
