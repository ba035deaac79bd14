import { type VerifyOptions as Checked, verify as check } from '../../../apis/knowledge-chat/scenes/index.js'
import { pairsOf } from '../../../engine/contract/ledger.js'
import { readDocuments } from '../../../engine/contract/load.js'
import type { Verification } from '../../../engine/contract/types.gen.js'
import { text } from '../../../tools/verify/report/report.js'
import type { VerifyResult } from '../../../tools/verify/verify.js'
import { documentsIn, type WithSource } from '../../with/with.js'

/** The options of `verify`. Only `url` has no default. */
export interface VerifyOptions extends Omit<Checked, 'documents'> {
  /** Your own OpenAPI documents, or folders with one. Their calls that change nothing are tested too. */
  with?: readonly WithSource[]
}

export async function verify({ with: sources = [], ...options }: VerifyOptions): Promise<VerifyResult> {
  const { documents, assumed } = documentsIn(sources, readDocuments())
  const assume = Object.fromEntries([...Object.entries(assumed), ...pairsOf(options.assume ?? [])])
  return check({ ...options, assume, documents })
}

/** The same, in short. */
export async function verified(options: VerifyOptions): Promise<Verification> {
  const { exitCode, findings, ...result } = await verify(options)
  const outcome = (['held', 'broken', 'nothing checked'] as const)[exitCode as 0 | 1 | 2]
  return { outcome, findings: findings.length, report: text({ exitCode, findings, ...result }) }
}
