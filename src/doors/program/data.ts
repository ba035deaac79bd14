import { createContract } from '../../engine/contract/contract.js'
import { digestOf, packageVersion } from '../../engine/contract/load.js'
import type { StateOptions } from '../../engine/keep/state-log.js'
import { withChoices } from '../../engine/ledger/edition.js'
import type { SandboxLimits } from '../../engine/sandbox/sandboxes.js'
import { ledgerOf, startChoices } from '../../engine/sandbox/starts.js'
import type { SettledMock } from '../options/mock-table.js'
import type { SettledServer } from '../options/table.js'
import type { ModuleLoader } from '../with/modules.js'
import { definitionsOf } from './edition/edition.js'

const MiB = 1024 ** 2

/** The limits of sandboxes and journals under the options. */
export function sandboxLimits(options: SettledMock): SandboxLimits {
  return {
    count: options.maxSandboxes,
    idle: options.sandboxIdle * 1000,
    bytes: options.maxSandboxBytes,
    journal: { entries: Math.floor(options.journalEntries), bytes: (options.public ? 0.25 : 16) * MiB }
  }
}

export function stateOptions(options: SettledMock & Pick<SettledServer, 'sync'>, load?: ModuleLoader): StateOptions {
  const definitions = definitionsOf(options, () => {}, load)
  const { api, documents } = definitions
  const choices = startChoices(definitions, options)
  const ledger = ledgerOf(definitions, options)
  const contract = createContract(documents, choices, definitions.extensions.documents, api)
  return {
    api,
    sync: options.sync,
    version: packageVersion(),
    journal: sandboxLimits(options).journal,
    contract: digestOf(documents),
    choices: (chosen) => withChoices(ledger, choices, chosen),
    misfit({ name, rows }) {
      for (const [collection, row] of contract.collections) {
        // A user's own collection may be new and have no rows here.
        for (const it of rows[collection]?.all() ?? []) {
          const [problem] = contract.checkRow(row, it).problems
          if (problem) {
            const field = problem.loc.slice(1).join('.')
            return `in the sandbox ${name}, ${collection} ${it.id}, field ${field}: ${problem.msg}`
          }
        }
      }
      return undefined
    },
    say: options.onProblem ?? console.error
  }
}
