import { join } from 'node:path'
import type { LedgerEntry } from '../../../engine/contract/ledger.js'
import type { Choices } from '../../../engine/contract/load.js'
import {
  type ContractError,
  contractErrors,
  documentErrors
} from '../../../engine/contract/validation/contract-errors.js'
import { controlRules } from '../../../engine/control/index.js'
import type { Edition } from '../../../engine/ledger/edition.js'
import { placeOf } from './place.js'

export interface EditionCheck {
  /** The folder of the definitions. */
  folder: string
  /** The ledger that the rules need. Another ledger may have more entries, but not fewer. */
  needed: LedgerEntry[]
  /** The choices of existing sandboxes, which must fit the contracts too. */
  inForce?: Choices[]
}

/**
 * Checks definitions that the build has not checked. Throws an Error that names file, line and column of the first
 * error.
 */
export function checkEdition(edition: Edition, { folder, needed, inForce = [] }: EditionCheck): void {
  const { api, documents, ledger, choices, contractOf } = edition
  failOn(folder, [...documentErrors(documents, ledger), ...missingEntries(ledger, needed)])
  for (const contract of new Set([choices, ...inForce].map(contractOf))) {
    const answered: object = { ...api.rules, ...controlRules }
    const unanswered = [...contract.operations.values(), ...contract.control.values()].filter(
      (it) => !it.own && !it.stream && !it.redirect && !it.waits && !it.agents && !(it.id in answered)
    )
    failOn(folder, [
      ...contractErrors(contract),
      ...unanswered.map(({ id, resource }) => ({
        file: `${resource}.json`,
        path: ['operations', id],
        text: `${id} has no rule: add one to src/apis/knowledge-chat/rules/${resource}/ and restart`
      }))
    ])
  }
}

function missingEntries(ledger: LedgerEntry[], needed: LedgerEntry[]): ContractError[] {
  const missing = needed.filter(({ id }) => !ledger.some((it) => it.id === id))
  return missing.map(({ id }) => ({
    file: 'assumptions.json',
    path: ['assumptions'],
    text: `${id} is missing, but a rule uses it`
  }))
}

/** Throws an Error that names file, line and column of the first error. */
export function failOn(folder: string, errors: ContractError[]): void {
  const [first, ...others] = errors
  if (!first) return
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  throw new Error(`${placeOf(join(folder, first.file), first.path)}: ${first.text}${more}`)
}
