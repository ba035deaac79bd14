import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Json, packageRoot, readDocuments } from '../../src/engine/contract/load.js'
import { assumptionsAt } from '../../src/engine/contract/resolve.js'

const root = join(packageRoot(), 'src')

/**
 * Every place in the code that reads a choice, as `id`: `file:line`. Recording an id does not count, and the checks
 * compare choices with another server. One question is read by its place in the description of an API.
 */
export function readersInCode(): Map<string, string[]> {
  const readers = new Map<string, string[]>()
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.gen.ts') || /^tools\/|\/scenes\//.test(name)) continue
    const code = withoutComments(readFileSync(join(root, name), 'utf8'))
    for (const match of code.matchAll(
      /(?:\b(?:assume|choice)\((?:\w+, )?|\bchoices\[)'([\w.-]+)'[)\]]|\btrailingSlash: '([\w.-]+)'/g
    )) {
      const line = code.slice(0, match.index).split('\n').length
      const id = (match[1] ?? match[2]) as string
      readers.set(id, [...(readers.get(id) ?? []), `${name}:${line}`])
    }
  }
  return readers
}

/** The ids that change a contract by an `x-assumption` or an `x-null`. */
export function idsInContracts(value: Json = Object.values(readDocuments()), found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) idsInContracts(item, found)
  else if (isObject(value)) {
    for (const id of assumptionsAt(value)) found.add(id)
    for (const item of Object.values(value)) idsInContracts(item, found)
  }
  return found
}

/** The same lines, without comments. */
function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, (text) => text.replace(/[^\n]/g, '')).replace(/(^|\s)\/\/.*/gm, '$1')
}
