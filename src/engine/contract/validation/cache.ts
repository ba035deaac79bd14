import { type Api, contractsOnly } from '../../api.js'
import { type Contract, createContract } from '../contract.js'
import { type Choices, type Documents, isObject, type Json } from '../load.js'
import type { OpenApiDocument } from '../model.js'
import { inMap, keepLatest } from '../once.js'
import { assumptionsAt } from '../resolve.js'

/** The highest number of contracts in memory. Clients may ask for any set of choices, so there must be a limit. */
const mostContracts = 16

type Contracts = (choices: Choices) => Contract

const caches = new WeakMap<Documents, Map<Api, Contracts>>()

/** The contracts of these documents. Building one takes milliseconds, so mocks share it by its choices. */
export function contractsOf(
  documents: Documents,
  extensions: readonly OpenApiDocument[] = [],
  api = contractsOnly
): Contracts {
  if (extensions.length > 0) return createContractCache(documents, extensions, api)
  const byApi = inMap(caches, documents, () => new Map<Api, Contracts>())
  return inMap(byApi, api, () => createContractCache(documents, extensions, api))
}

function createContractCache(documents: Documents, extensions: readonly OpenApiDocument[], api: Api): Contracts {
  let ids: readonly string[] | undefined
  const bySet = new WeakMap<Choices, Contract>()
  const byKey = new Map<string, Contract>()
  /** The first contract. Most mocks have only one, so its key is created when there are others. */
  let first: { choices: Choices; contract: Contract } | undefined
  const keyOf = (choices: Choices) => {
    ids ??= [...assumptionsIn(documents)].sort()
    return ids.map((id) => choices[id]).join()
  }
  const keep = (choices: Choices, contract: Contract) => keepLatest(byKey, keyOf(choices), contract, mostContracts)
  return (choices) => {
    const previous = bySet.get(choices)
    if (previous) return previous
    if (first) keep(first.choices, first.contract)
    const isFirst = byKey.size === 0
    const contract =
      (isFirst ? undefined : byKey.get(keyOf(choices))) ?? createContract(documents, choices, extensions, api)
    bySet.set(choices, contract)
    first = isFirst ? { choices, contract } : undefined
    if (!isFirst) keep(choices, contract)
    return contract
  }
}

export function assumptionsIn(value: Json | Documents, ids = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) assumptionsIn(item, ids)
  else if (isObject(value)) {
    for (const id of assumptionsAt(value)) ids.add(id)
    for (const item of Object.values(value)) assumptionsIn(item, ids)
  }
  return ids
}
