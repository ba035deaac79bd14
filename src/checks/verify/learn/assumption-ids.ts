import { type Documents, follow, isObject, type Json } from '../../../contract/load.js'
import { assumptionsAt } from '../../../contract/resolve.js'

/** Collects the assumptions that change a part of a contract or anything that it refers to. */
export function idsIn(
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
