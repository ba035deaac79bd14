import { createHash } from 'node:crypto'
import { type CollectionRow, createContract } from './contract/contract.js'
import { type Documents, readDocuments } from './contract/load.js'
import { choose, pairsOf, readLedger } from './mock/assumptions.js'
import { type MockOptions, sandboxLimits } from './mock.js'
import type { DataOptions } from './store/data-folder.js'
import type { SyncMode } from './store/log.js'
import type { CollectionName } from './store/rows.js'

/** What a mock with these options asks of a folder that keeps its state. */
export function dataOptions(options: MockOptions, folder: string, sync: SyncMode, version: string): DataOptions {
  const documents = readDocuments()
  const choices = choose(readLedger(), options.profile ?? 'documented', pairsOf(options.assume ?? {}))
  const contract = createContract(documents, choices)
  return {
    folder,
    sync,
    version,
    journal: sandboxLimits(options).journal,
    contract: digestOf(documents),
    choices: () => choices,
    misfit({ name, rows }) {
      for (const [collection, row] of contract.collections as Map<CollectionName, CollectionRow>) {
        for (const it of rows[collection].all()) {
          const [problem] = contract.checkRow(row, it)
          if (problem) return `in the sandbox ${name}, ${collection} ${it.id}: ${problem}`
        }
      }
      return undefined
    },
    say: (text) => console.error(text)
  }
}

/** The SHA-256 of contracts, in hexadecimal. */
export function digestOf(documents: Documents): string {
  return createHash('sha256').update(JSON.stringify(documents)).digest('hex')
}
