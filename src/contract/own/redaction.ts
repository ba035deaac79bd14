import type { Operation } from '../contract.js'
import { type Documents, isObject, type Json } from '../load.js'
import type { Redaction } from '../message/redaction.js'
import { eachSchema } from '../schemas/schemas.js'

/** The text that replaces a secret. */
const blanked = '***'

/**
 * Removes passwords from the messages of a user's own operation: the fields whose name has `format: password` or
 * `x-secret` in any of its schemas. Undefined if there are none.
 */
export function ownRedaction(documents: Documents, { input, responses }: Operation): Redaction | undefined {
  const requests = secretsIn(documents, Object.values(input) as Json[])
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

/** The schemas of an operation's messages. */
export function schemasOf({ input, responses }: Operation): Json[] {
  return [...(Object.values(input) as Json[]), ...Object.values(responses).flatMap(({ schema }) => schema ?? [])]
}

/** The names of fields whose schema says somewhere that they are secret. */
export function secretsIn(documents: Documents, parts: Json[], found = new Set<string>()): Set<string> {
  const names = new Set(found)
  eachSchema(documents, parts, ({ properties }) => {
    if (!isObject(properties)) return
    for (const [name, field] of Object.entries(properties)) {
      if (isObject(field) && (field.format === 'password' || field['x-secret'] === true)) names.add(name)
    }
  })
  return names
}

function without(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, names))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, names.has(name) ? blanked : without(field, names)])
  )
}
