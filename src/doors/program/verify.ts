import { type VerifyOptions as Checked, verify as check, type VerifyResult } from '../../checks/verify/verify.js'
import { readDocuments } from '../../contract/load.js'
import { documentsIn, type WithSource } from '../with/with.js'

/** The options of `verify`. Only `url` has no default. */
export interface VerifyOptions extends Omit<Checked, 'own'> {
  /** Your own OpenAPI documents, or folders with one. Their calls that change nothing are tested too. */
  with?: readonly WithSource[]
}

/**
 * Tests a server against the contracts. Rejects with Unreachable if nothing of this interface answers, and with an
 * Error that names the good values if an option is wrong.
 */
export async function verify({ with: sources = [], ...options }: VerifyOptions): Promise<VerifyResult> {
  return check({ ...options, own: documentsIn(sources, readDocuments()) })
}
