import { type Documents, follow, isObject, type Json, type JsonObject } from './load.js'

/**
 * A reply without the fields that are null and whose schema carries `x-null`; all else, free-form objects among it,
 * stays as it is. Calls `found` for each field left out.
 */
export function withoutNulls(documents: Documents, schema: Json, value: unknown, found: () => void): unknown {
  if (!isObject(schema) || typeof value !== 'object' || value === null) return value
  const parts = [typeof schema.$ref === 'string' ? follow(documents, schema.$ref) : [], schema.allOf, schema.anyOf]
  const inner = parts.flat().reduce<unknown>((it, part) => withoutNulls(documents, part ?? true, it, found), value)
  if (Array.isArray(inner)) return inner.map((item) => withoutNulls(documents, schema.items ?? true, item, found))
  const properties = (schema.properties ?? {}) as JsonObject
  const kept: [string, unknown][] = []
  for (const [name, item] of Object.entries(inner as object)) {
    const field = properties[name] ?? true
    if (item === null && mayBeLeftOut(documents, field)) found()
    else kept.push([name, withoutNulls(documents, field, item, found)])
  }
  return Object.fromEntries(kept)
}

function mayBeLeftOut(documents: Documents, schema: Json): boolean {
  if (!isObject(schema)) return false
  return (
    'x-null' in schema || (typeof schema.$ref === 'string' && mayBeLeftOut(documents, follow(documents, schema.$ref)))
  )
}
