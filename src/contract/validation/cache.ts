import { type Contract, createContract } from '../contract.js'
import { type Choices, type Documents, isObject, type Json } from '../load.js'
import type { OwnDocument } from '../own/translate.js'
import { assumptionsAt } from '../resolve.js'

/** The highest number of contracts in memory. Clients may ask for any set of choices, so there must be a limit. */
const mostContracts = 16

type Contracts = (choices: Choices) => Contract

const caches = new WeakMap<Documents, Contracts>()

/**
 * The contracts of these documents. Building one takes some milliseconds, so each set of choices is built once and all
 * mocks with these documents share it.
 */
export function contractsOf(documents: Documents, own: readonly OwnDocument[] = []): Contracts {
  if (own.length > 0) return createContractCache(documents, own)
  const contracts = caches.get(documents) ?? createContractCache(documents, own)
  caches.set(documents, contracts)
  return contracts
}

function createContractCache(documents: Documents, own: readonly OwnDocument[]): Contracts {
  const ids = [...assumptionsIn(documents)].sort()
  const bySet = new WeakMap<Choices, Contract>()
  const byKey = new Map<string, Contract>()
  return (choices) => {
    const known = bySet.get(choices)
    if (known) return known
    const key = ids.map((id) => choices[id]).join()
    const contract = byKey.get(key) ?? createContract(documents, choices, own)
    bySet.set(choices, contract)
    // A Map keeps insertion order, so this moves the contract to the end.
    byKey.delete(key)
    byKey.set(key, contract)
    const [oldest] = byKey.keys()
    if (byKey.size > mostContracts && oldest !== undefined) byKey.delete(oldest)
    return contract
  }
}

/** The assumptions that change a contract. */
function assumptionsIn(value: Json | Documents, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) assumptionsIn(item, found)
  else if (isObject(value)) {
    for (const id of assumptionsAt(value)) found.add(id)
    for (const item of Object.values(value)) assumptionsIn(item, found)
  }
  return found
}
