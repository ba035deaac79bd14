import { type Contract, createContract } from '../../engine/contract/contract.js'
import { isChoice, type LedgerEntry } from '../../engine/contract/ledger.js'
import type { Choices, Documents, JsonObject } from '../../engine/contract/load.js'
import type { OpenApiDocument, Operation } from '../../engine/contract/model.js'
import { openapiOf } from '../../engine/contract/openapi/openapi.js'
import { assumptionsByOperation } from '../../engine/contract/validation/assumption-lists.js'
import { problemOf } from '../../engine/contract/validation/field-choices.js'
import type { Change } from './change.js'
import { compareDocuments } from './compare.js'
import { openApiDocument, target } from './document.js'

/** A contract with its ledger, and the choices in force. */
export interface ContractSide {
  documents: Documents
  ledger: LedgerEntry[]
  choices: Choices
}

/** A service's own document, as its file has it, and the operations of the contract that it describes too. */
export interface ServiceSide {
  name: string
  root: JsonObject
  kept: readonly Kept[]
}

type Kept = OpenApiDocument['kept'][number]

/** Where the document of a service says something else than the contract. */
export interface Contradiction extends Change {
  /** The choice with which the contract follows the document. */
  follow?: { id: string; choice: string }
}

/** The contradictions in requests and in successful replies. */
export function contradictionsIn({ documents, ledger, choices }: ContractSide, { name, root, kept }: ServiceSide) {
  const service = openApiDocument(name, root)
  const paths: Record<string, JsonObject> = {}
  for (const { path, place } of kept) {
    const [, item, method] = place as [string, string, string]
    const { parameters = [], [method]: operation } = target(service, (root.paths as JsonObject)[item])
    paths[path] = { ...paths[path], parameters, [method]: operation as JsonObject }
  }
  const whole = createContract(documents, choices)
  const operations = new Map(kept.map(({ id }) => [id, whole.operations.get(id) as Operation]))
  // Examples do not count. Finding those of wrong requests would compile the schemas of each operation.
  const checkInput: Contract['checkInput'] = (_, input) => ({ input, problems: [], unknown: [] })
  const contract = openapiOf({ ...whole, operations, checkInput }, { entries: ledger, choices })
  return compareDocuments(openApiDocument('the contract', contract), { ...service, root: { ...root, paths } }).filter(
    isContradiction
  )
}

/** The choices that follow the document: of each entry of the ledger, the one that leaves the fewest contradictions. */
export function followed(contract: ContractSide, service: ServiceSide) {
  const contradictions: Contradiction[] = contradictionsIn(contract, service)
  const choices: Record<string, string> = {}
  const { ledger: entries, choices: inForce } = contract
  const open = assumptionsByOperation(createContract(contract.documents, inForce), { entries, choices: inForce })
  for (const entry of entries) {
    const matches = service.kept.filter(({ id }) => open.get(id)?.includes(entry) || namesFields(entry))
    const names = new Set(matches.map(nameOf))
    const before = contradictions.filter(({ operation }) => names.has(operation))
    let least = before.length
    if (entry.fixed || least === 0) continue
    for (const choice of triedOf(entry, contract.documents, matches, before)) {
      if (choice === contract.choices[entry.id]) continue
      const rest = contradictionsIn(
        { ...contract, choices: { ...contract.choices, [entry.id]: choice } },
        { ...service, kept: matches }
      )
      if (rest.length >= least) continue
      least = rest.length
      choices[entry.id] = choice
      const keys = new Set(rest.map(keyOf))
      for (const it of before) {
        if (!keys.has(keyOf(it))) it.follow = { id: entry.id, choice }
        else if (it.follow?.id === entry.id) delete it.follow
      }
    }
  }
  return { contradictions, choices }
}

const keyOf = ({ id, operation, place, was, is }: Change) => JSON.stringify([id, operation, place, was, is])
const nameOf = ({ path, place }: Kept) => `${place[2]?.toUpperCase()} ${path}`

/** What a service adds, and what it says about its errors, is not a contradiction: FastAPI describes one 422 for all operations. */
function isContradiction({ id, place }: Change): boolean {
  return place !== '' && !/^response (?!2)/.test(place) && !/^new-optional-|-default-value-/.test(id)
}

const namesFields = ({ choices }: LedgerEntry) => Object.keys(choices).some((it) => it.includes('<fields>'))

/** The choices of an entry, and for one that may name fields those that a service takes otherwise. */
function triedOf(
  entry: LedgerEntry,
  documents: Documents,
  operations: readonly Kept[],
  contradictions: readonly Contradiction[]
): string[] {
  const good = Object.keys(entry.choices).filter((it) => isChoice(entry, it))
  if (!namesFields(entry)) return good
  const fields = contradictions.flatMap(({ id, operation, place }) => {
    const [, field] =
      /^request-property-became-(?:nullable|required).*: request body (\w+)$/.exec(`${id}: ${place}`) ?? []
    const of = operations.find((it) => nameOf(it) === operation)
    return field === undefined || of === undefined ? [] : [`${of.id}.${field}`]
  })
  const isKind = (field: string) => problemOf(documents, entry.id, `fields:${field}`, '') === undefined
  const names = [...new Set(fields)].filter(isKind)
  return names.length === 0 ? good : [...good, `fields:${names.join(',')}`]
}
