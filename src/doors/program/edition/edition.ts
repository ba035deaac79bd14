import { join } from 'node:path'
import { knowledgeChat } from '../../../apis/knowledge-chat/api.js'
import type { LedgerEntry } from '../../../engine/contract/ledger.js'
import { type Choices, shown } from '../../../engine/contract/load.js'
import { Invalid } from '../../../engine/contract/pydantic/explain.js'
import {
  type ContractError,
  contractErrors,
  documentErrors
} from '../../../engine/contract/validation/contract-errors.js'
import { controlRules } from '../../../engine/control/index.js'
import { readCollections } from '../../../engine/control/state/check-rows.js'
import { type Edition, readDefinitions } from '../../../engine/ledger/edition.js'
import { rowsOf } from '../../../engine/sandbox/sandbox.js'
import type { Definitions } from '../../../engine/sandbox/starts.js'
import { atOnce } from '../../../engine/store/steps.js'
import { readApi } from '../../with/api.js'
import type { ModuleLoader } from '../../with/modules.js'
import { readWith, type WithSource } from '../../with/with.js'
import { placeOf } from './place.js'

export interface EditionCheck {
  folder: string
  /** The ledger that the rules need. Another ledger may have more entries, but not fewer. */
  needed: LedgerEntry[]
  /** The choices of existing sandboxes, which must fit the contracts too. */
  inForce?: Choices[]
}

/** Checks definitions that the build has not. Throws an Error that names file, line and column of the first error. */
export function checkEdition(edition: Edition, { folder, needed, inForce = [] }: EditionCheck): void {
  const { api, documents, ledger, choices, contractOf } = edition
  failOn(folder, [...documentErrors(documents, ledger), ...missingEntries(ledger, needed)])
  for (const contract of new Set([choices, ...inForce].map(contractOf))) {
    const answered: object = { ...api.rules, ...controlRules }
    const unanswered = [...contract.operations.values(), ...contract.control.values()].filter(
      (it) => !it.origin && !it.stream && !it.redirect && !it.waits && !it.agents && !(it.id in answered)
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

interface DefinitionOptions {
  contracts?: string
  with: readonly WithSource[]
  api?: WithSource
}

/** The contracts, ledger and fixtures of a mock, with the user's own. `say` receives remarks that are not errors. */
export function definitionsOf(
  { contracts, with: sources, api }: DefinitionOptions,
  say: (text: string) => void,
  load?: ModuleLoader
): Definitions {
  if (api !== undefined) return readApi(api, sources, say, load)
  const definitions = readDefinitions(knowledgeChat, contracts)
  return { ...definitions, extensions: readWith(sources, definitions.documents, say, load) }
}

/** Creates the initial rows if some are the user's own. Throws an Error that names the first row that breaks its contract. */
export function checkExtensions({ extensions, startOf, contractOf, choices }: Edition): void {
  const [own] = extensions.fixtures
  if (!own) return
  try {
    atOnce(readCollections(contractOf(choices), rowsOf(startOf().rows), 0))
  } catch (error) {
    const [first] = error instanceof Invalid ? error.problems : []
    const problem = first ? `${first.loc.slice(2).join('.')}: ${first.msg}` : (error as Error).message
    throw new Error(problem.startsWith(shown(own.place)) ? problem : `${shown(own.place)}: ${problem}`)
  }
}
