import { type VerifyOptions as Checked, verify as check, type VerifyResult } from '../../checks/verify/verify.js'
import { readDocuments } from '../../contract/load.js'
import { documentsIn, type WithSource } from '../with/with.js'

/** What `verify` is told; only `url` has no default. */
export interface VerifyOptions extends Omit<Checked, 'own'> {
  /** OpenAPI documents of your own, or folders with one: what of them changes nothing is tested too. */
  with?: readonly WithSource[]
}

/**
 * Tests a server against the contracts. Rejects with Unreachable where nothing of this interface answers, and with an
 * Error that names the good values when an option is wrong.
 */
export async function verify({ with: sources = [], ...options }: VerifyOptions): Promise<VerifyResult> {
  return check({ ...options, own: documentsIn(sources, readDocuments()) })
}
