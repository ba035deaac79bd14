import { basename, dirname } from 'node:path'
import { isObject, type Json, shown } from '../../contract/load.js'
import type { Definitions } from '../../mock/ledger/edition.js'

/**
 * The changes of a reload, in one line: `contracts/chat.json (changed searchChats; added SearchScope),
 * fixtures/users.ts`.
 */
export function difference(before: Definitions, after: Definitions, files: string[], contracts: string): string {
  const texts = files.map((file) => {
    const name = basename(file)
    const isContract = dirname(file) === contracts
    const found = !isContract ? '' : changes(namesIn(before, name), namesIn(after, name))
    return found === '' ? shown(file) : `${shown(file)} (${found})`
  })
  return texts.join(', ')
}

/** The definitions in a file, by name: assumptions, or operations, schemas, collections and refusals. */
function namesIn({ documents, ledger }: Definitions, file: string): Map<string, string> {
  const named =
    file === 'assumptions.json'
      ? ledger.map((entry) => [entry.id, entry] as const)
      : Object.values(documents[file] ?? {}).flatMap((section: Json) =>
          isObject(section) ? Object.entries(section) : []
        )
  return new Map(named.map(([name, value]) => [name, JSON.stringify(value)]))
}

function changes(before: Map<string, string>, after: Map<string, string>): string {
  const kinds = {
    changed: [...after.keys()].filter((name) => before.has(name) && before.get(name) !== after.get(name)),
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name))
  }
  return Object.entries(kinds)
    .filter(([, names]) => names.length > 0)
    .map(([kind, names]) => `${kind} ${names.join(', ')}`)
    .join('; ')
}
