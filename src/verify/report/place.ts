import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContract } from '../../contract/contract.js'
import { packageRoot, readDocuments } from '../../contract/load.js'
import { defaultChoices, readLedger } from '../../mock/assumptions.js'
import type { Finding } from '../record.js'

/** Where an operation stands in the contract. */
export interface Place {
  /** Relative to the project, such as contracts/chat.json. */
  file: string
  /** From 1. */
  line: number
}

/** Finds operations in the files of the contract. */
export function createPlaces(): (operation: string) => Place {
  const { operations } = createContract(readDocuments(), defaultChoices(readLedger()))
  const lines = new Map<string, string[]>()
  return (id) => {
    const file = `contracts/${operations.get(id)?.resource}.json`
    let text = lines.get(file)
    if (!text) {
      text = readFileSync(join(packageRoot(), file), 'utf8').split('\n')
      lines.set(file, text)
    }
    return { file, line: text.findIndex((line) => line.trimStart().startsWith(`"${id}": {`)) + 1 }
  }
}

/** The same for the same finding in every run: what was asked counts, not what came back. */
export function fingerprint({ operation, check, title }: Finding): string {
  return createHash('sha256').update(`${operation}\n${check}\n${title}`).digest('hex').slice(0, 32)
}
