import { createHash } from 'node:crypto'
import { relative, resolve, sep } from 'node:path'
import { createContract } from '../../../contract/contract.js'
import { defaultChoices, readLedger } from '../../../contract/ledger.js'
import { readDocuments } from '../../../contract/load.js'
import type { Finding } from '../results.js'
import { readDescription } from './description.js'

/** The place of an operation in a report. */
export interface OperationPlace {
  /** Such as `PATCH /api/persona/{persona_id}`. */
  request: string
  /** The file of the description, relative to the repository, and the line. */
  file?: string
  line?: number
}

export type Places = (operation: string) => OperationPlace

/**
 * Finds operations in the user's description, if there is one. `root` is the folder of the repository. Throws an Error
 * if the file cannot be used.
 */
export function createPlaces(description?: string, root = process.cwd()): Places {
  const { operations } = createContract(readDocuments(), defaultChoices(readLedger()))
  const lineOf = description === undefined ? undefined : readDescription(description)
  const file = description && relative(root, resolve(description)).split(sep).join('/')
  return (id) => {
    const operation = operations.get(id)
    if (!operation) return { request: id }
    const request = `${operation.method} ${operation.path}`
    const line = lineOf?.(operation)
    return line === undefined || file === undefined ? { request } : { request, file, line }
  }
}

/** Identifies a finding across runs by the request, not by the reply. */
export function fingerprint({ operation, check, title }: Finding): string {
  return createHash('sha256').update(`${operation}\n${check}\n${title}`).digest('hex').slice(0, 32)
}
