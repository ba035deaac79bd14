import { type Contract, createContract } from '../../../contract/contract.js'
import {
  type Choices,
  type Documents,
  follow,
  isObject,
  type Json,
  type JsonObject,
  readDocuments
} from '../../../contract/load.js'
import { assumptionsAt } from '../../../contract/resolve.js'
import { contractsOf } from '../../../contract/validation/cache.js'

/** The parts of an operation that choices change. */
export type OperationPart = 'input' | 'responses' | 'refusals' | 'all'

/** Caches that all runs in this process share. They contain nothing about servers. */
interface SharedCaches {
  documents: Documents
  whole: (choices: Choices) => Contract
  /** Contracts of one operation, by operation and choices. */
  single: Map<string, Contract>
  /** The documents of one operation. */
  parts: Map<string, Documents>
  ids: Map<string, readonly string[]>
}
let made: SharedCaches | undefined

function shared(): SharedCaches {
  if (!made) {
    const documents = readDocuments()
    const whole = contractsOf(documents)
    made = { documents, whole, single: new Map(), parts: new Map(), ids: new Map() }
  }
  return made
}

/**
 * Contracts of single operations under any choices. A run reads an operation under many choices, and a full contract
 * for each would take much more memory and time.
 */
export class Contracts {
  private readonly shared = shared()
  /** All operations under the initial choices of the run. */
  readonly first: Contract

  constructor(private readonly choices: Choices) {
    this.first = this.shared.whole(choices)
  }

  /** The contract of an operation. Only choices that change this part of it are considered. */
  of(id: string, part: OperationPart, choices: Choices): Contract {
    const changed = this.idsOf(id, part).filter((it) => choices[it] !== this.choices[it])
    if (changed.length === 0) return this.first
    const whole = { ...this.choices, ...Object.fromEntries(changed.map((it) => [it, choices[it] as string])) }
    const key = JSON.stringify([id, ...this.idsOf(id, 'all').map((it) => whole[it])])
    const { single } = this.shared
    const contract = single.get(key) ?? createContract(this.documentsOf(id), whole)
    single.set(key, contract)
    return contract
  }

  /** All operations under some other choices. */
  whole(other: Choices): Contract {
    return this.shared.whole({ ...this.choices, ...other })
  }

  /** The assumptions that change a part of an operation. */
  idsOf(id: string, part: OperationPart): readonly string[] {
    const { documents, ids } = this.shared
    const known = ids.get(`${id} ${part}`)
    if (known) return known
    const row = this.rowOf(id)
    const found = idsIn(documents, part === 'all' ? row : (row[part] ?? null), this.fileOf(id), new Set())
    if (part === 'all') idsIn(documents, documents['common.json'] as JsonObject, 'common.json', found)
    ids.set(`${id} ${part}`, [...found])
    return [...found]
  }

  /** The contract row of an operation, without choices applied. */
  rowOf(id: string): JsonObject {
    return ((this.shared.documents[this.fileOf(id)]?.operations ?? {}) as JsonObject)[id] as JsonObject
  }

  private fileOf(id: string): string {
    return `${this.first.operations.get(id)?.resource}.json`
  }

  /** The documents reduced to what the operation needs. */
  private documentsOf(id: string): Documents {
    const { documents, parts } = this.shared
    const known = parts.get(id)
    if (known) return known
    const file = this.fileOf(id)
    const references = new Set<string>()
    idsIn(documents, this.rowOf(id), file, new Set(), references)
    const part: Documents = {
      'common.json': documents['common.json'] as JsonObject,
      [file]: { ...documents[file], $defs: {}, collections: {}, operations: { [id]: this.rowOf(id) } }
    }
    for (const reference of references) {
      const [, name = '', definition = ''] = /^(.*)#\/\$defs\/([^/]+)/.exec(reference) ?? []
      if (name === 'common.json' || definition === '') continue
      const before = (part[name]?.$defs ?? {}) as JsonObject
      const own = follow(documents, `${name}#/$defs/${definition}`)
      part[name] = { ...part[name], $defs: { ...before, [definition]: own } }
    }
    parts.set(id, part)
    return part
  }
}

/** Collects the assumptions that change a part of a contract or anything that it refers to. */
function idsIn(
  documents: Documents,
  value: Json,
  file: string,
  found: Set<string>,
  seen = new Set<string>()
): Set<string> {
  if (Array.isArray(value)) for (const item of value) idsIn(documents, item, file, found, seen)
  if (!isObject(value)) return found
  for (const id of assumptionsAt(value)) found.add(id)
  for (const [key, item] of Object.entries(value)) {
    // In a patch, null may remove a reference.
    const names = typeof item === 'string' && (key === '$ref' || key === 'include')
    if (!names) idsIn(documents, item, file, found, seen)
    else {
      const reference = key === 'include' ? `common.json#/replies/${item}` : item
      const whole = reference.startsWith('#') ? file + reference : reference
      if (seen.has(whole)) continue
      seen.add(whole)
      idsIn(documents, follow(documents, whole), whole.split('#')[0] as string, found, seen)
    }
  }
  return found
}
