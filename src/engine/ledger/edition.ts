import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Api } from '../api.js'
import type { Contract } from '../contract/contract.js'
import { isChoice, type LedgerEntry, readLedger } from '../contract/ledger.js'
import { type Choices, contractsFolder, digestOf, readDocuments } from '../contract/load.js'
import { plainCopy } from '../contract/message/user-file.js'
import { once } from '../contract/once.js'
import { interfaceVersion } from '../contract/openapi/openapi.js'
import { contractsOf } from '../contract/validation/cache.js'
import {
  createStarts,
  type Definitions,
  type Extensions,
  ledgerOf,
  noExtensions,
  type StartOptions,
  type Starts,
  startChoices
} from '../sandbox/starts.js'
import { factoryWith, seedingWith } from './extensions.js'

/** Definitions, and what follows from them under the mock's options. A reload replaces the edition. */
export interface Edition extends Definitions, Starts {
  choices: Choices
  contractOf(choices: Choices): Contract
  about(): { version: string; sha256: string }
}

export function readDefinitions(api: Api, folder: string = contractsFolder): Definitions {
  if (!existsSync(join(folder, 'common.json'))) {
    throw new Error(`${folder} has no contracts: start from a copy of ${contractsFolder}.`)
  }
  return {
    api,
    documents: readDocuments(folder),
    ledger: readLedger(folder),
    ...api.fixtures,
    code: [],
    extensions: noExtensions
  }
}

/**
 * Definitions under the options. Without `now`, sandboxes start at the real time, in milliseconds since 1970. Throws an Error
 * that names the valid values if an option is wrong.
 */
export function createEdition(definitions: Definitions, options: StartOptions, realTime: () => number): Edition {
  const choices = startChoices(definitions, options)
  const { api, documents, extensions, seeding } = definitions
  const contractOf = contractsOf(documents, extensions.documents, api)
  const factoryOf = factoryWith(definitions.factoryOf, () => contractOf(choices))
  const seeded = {
    ...definitions,
    seeding: seedingWith(seeding, extensions, () => contractOf(choices), factoryOf),
    code: [...definitions.code, ...codeOf(extensions)]
  }
  return {
    ...definitions,
    factoryOf,
    ledger: ledgerOf(definitions, options),
    choices,
    contractOf,
    ...createStarts(seeded, options, choices, realTime),
    about: once(() => ({
      version: api.document ? String(api.document.info.version ?? '') : interfaceVersion,
      sha256: digestOf(api.document ? { api: contractOf(choices).extensions[0]?.document ?? {} } : documents)
    }))
  }
}

/** The choices of a sandbox after a reload: explicit ones that still exist, and else the new initial ones. */
export function carryChoices(choices: Choices, before: Edition, next: Edition): Choices {
  const chosen = Object.entries(choices).filter(([id, choice]) => choice !== before.choices[id])
  return withChoices(next.ledger, next.choices, Object.fromEntries(chosen))
}

/** The initial choices, changed by those choices of a sandbox that the ledger has. */
export function withChoices(ledger: LedgerEntry[], start: Choices, chosen: Choices): Choices {
  const entries = ledger.flatMap((entry) => {
    const choice = chosen[entry.id]
    return choice !== undefined && isChoice(entry, choice) ? [[entry.id, choice]] : []
  })
  // Sandboxes without their own choices share one object, and so one contract.
  return entries.length === 0 ? start : { ...start, ...Object.fromEntries(entries) }
}

/** A digest that distinguishes rows of documents from those of other documents. */
function codeOf({ documents, fixtures }: Extensions): string[] {
  const rows = fixtures.map(({ place, rows }) =>
    typeof rows === 'function' ? String(rows) : plainCopy(rows, `${place}: a row contains itself`, place)
  )
  const collections = documents.map((it) => it.collections)
  const text = JSON.stringify([collections, rows])
  return documents.length + fixtures.length === 0 ? [] : [createHash('sha256').update(text).digest('hex')]
}
