import type { Operation } from '../contract.js'
import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import type { Redaction } from '../redaction.js'

/** The text that replaces a secret. */
const blanked = '***'

/**
 * Removes passwords from the messages of a user's own operation: the fields whose name has `format: password` or
 * `x-secret` in any of its schemas. Undefined if there are none.
 */
export function ownRedaction(documents: Documents, { input, responses }: Operation): Redaction | undefined {
  const requests = secretsIn(documents, input as JsonObject)
  const names = secretsIn(
    documents,
    Object.values(responses).map(({ schema }) => schema ?? {}),
    requests
  )
  if (names.size === 0) return undefined
  return {
    takesSecrets: requests.size > 0,
    request: (body) => without(body, names),
    reply: (body) => without(body, names),
    problem: (problem) => ({
      ...problem,
      input: problem.loc.some((step) => names.has(String(step))) ? blanked : without(problem.input, names)
    })
  }
}

/** The names of fields whose schema says somewhere that they are secret. */
export function secretsIn(documents: Documents, part: Json, found = new Set<string>()): Set<string> {
  const names = new Set(found)
  const seen = new Set<Json>()
  const walk = (value: Json): void => {
    if (seen.has(value)) return
    if (typeof value === 'object') seen.add(value)
    if (Array.isArray(value)) value.forEach(walk)
    if (!isObject(value)) return
    if (typeof value.$ref === 'string') walk(follow(documents, value.$ref))
    for (const [name, field] of Object.entries((value.properties ?? {}) as JsonObject)) {
      if (isObject(field) && (field.format === 'password' || field['x-secret'] === true)) names.add(name)
    }
    for (const item of Object.values(value)) walk(item)
  }
  walk(part)
  return names
}

function without(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, names))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, names.has(name) ? blanked : without(field, names)])
  )
}
