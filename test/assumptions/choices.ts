import { choose, type LedgerEntry, profiles, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'

export const ledger = readLedger()
export const switchable = ledger.filter((entry) => !entry.fixed)
export const documents = readDocuments()

/** The choices of an entry with a number for <n> and a field for <fields>. */
export function choicesOf(entry: LedgerEntry): string[] {
  return Object.keys(entry.choices).map((choice) =>
    choice.replaceAll('<n>', '2').replace('<fields>', 'updatePersona.description')
  )
}

/** Both profiles, and every single choice in the profile documented. */
export const choiceSets = [
  ...profiles.map((profile) => ({ name: `profile ${profile}`, choices: choose(ledger, profile, []) })),
  ...switchable.flatMap((entry) =>
    choicesOf(entry)
      .filter((choice) => choice !== entry.default)
      .map((choice) => ({
        name: `${entry.id}=${choice}`,
        choices: choose(ledger, 'documented', [[entry.id, choice]])
      }))
  )
]
