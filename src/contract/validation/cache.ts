import { type Contract, createContract } from '../contract.js'
import { type Choices, type Documents, isObject, type Json } from '../load.js'
import type { OwnDocument } from '../own/translate.js'
import { assumptionsAt } from '../resolve.js'

/** How many contracts are kept, also without a sandbox. There is a limit because clients may ask for any set of choices. */
const mostContracts = 16

type Contracts = (choices: Choices) => Contract

const caches = new WeakMap<Documents, Contracts>()

/**
 * The contracts of these documents. One costs some milliseconds: it is made for every set of choices that the documents
 * ask for, and all mocks with these documents share it.
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
    // The last used is the last to go.
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
