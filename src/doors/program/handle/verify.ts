import { existsSync } from 'node:fs'
import { verifyDocument } from '../../../apis/document/scenes/index.js'
import { type VerifyOptions as Checked, verify as check } from '../../../apis/knowledge-chat/scenes/index.js'
import { createContract } from '../../../engine/contract/contract.js'
import { choose, pairsOf } from '../../../engine/contract/ledger.js'
import { readDocuments } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import type { Verification } from '../../../engine/contract/types.gen.js'
import type { RowSource } from '../../../tools/verify/made.js'
import { text } from '../../../tools/verify/report/report.js'
import type { VerifyResult } from '../../../tools/verify/verify.js'
import { readApi } from '../../with/api.js'
import { loadAll } from '../../with/modules.js'
import { documentsIn, type WithSource } from '../../with/with.js'

/** The options of `verify`. Only `url` has no default. */
export interface VerifyOptions extends Omit<Checked, 'documents' | 'rows'> {
  /** Your own OpenAPI documents, or folders with one. Their calls that change nothing are tested too. */
  with?: readonly WithSource[]
  /** Tests a service of this API: an OpenAPI document, or a folder with one. */
  api?: WithSource
  /** Creates and removes rows that the interface cannot create or remove: an object, or a module. */
  rows?: string | RowSource
}

export async function verify({ with: sources = [], api, rows: source, ...rest }: VerifyOptions): Promise<VerifyResult> {
  const rows = typeof source === 'string' ? await rowsIn(source) : source
  const options = { ...rest, ...(rows && { rows }) }
  if (api === undefined) {
    const { documents, assumed } = documentsIn(sources, readDocuments())
    const assume = Object.fromEntries([...Object.entries(assumed), ...pairsOf(options.assume ?? [])])
    return check({ ...options, assume, documents })
  }
  const { document, documents, ledger, extensions, ...described } = readApi(api, sources, () => {})
  const assume = { ...extensions.assumed, ...Object.fromEntries(pairsOf(options.assume ?? [])) }
  const choices = choose(ledger, options.profile ?? 'documented', Object.entries(assume))
  const contract = createContract(documents, choices, extensions.documents, described.api)
  return verifyDocument({ document, ledger, contract }, { ...options, assume })
}

/** What a module of `--rows` exports. Throws an Error that names the file. */
async function rowsIn(file: string): Promise<RowSource> {
  if (!existsSync(file)) throw new Error(`rows is "${file}", which is not a file.`)
  const exported = (await loadAll([file]))(file) as RowSource & { default?: RowSource }
  const source = typeof exported.make === 'function' ? exported : exported.default
  if (typeof source?.make !== 'function') throw new Error(`${file} has no function make: export make(kind).`)
  return source
}

/** The operations of an API, by their ids. */
export function operationsOf(api: WithSource | undefined): ReadonlyMap<string, Operation> | undefined {
  return api === undefined
    ? undefined
    : new Map(readApi(api, [], () => {}).document.operations.map((operation) => [operation.id, operation]))
}

/** The same, in short. */
export async function verified(options: VerifyOptions): Promise<Verification> {
  const { exitCode, findings, ...result } = await verify(options)
  const outcome = (['held', 'broken', 'nothing checked'] as const)[exitCode as 0 | 1 | 2]
  return { outcome, findings: findings.length, report: text({ exitCode, findings, ...result }) }
}
