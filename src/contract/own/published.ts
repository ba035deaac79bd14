import type { Operation } from '../contract.js'
import { isObject, type Json, type JsonObject } from '../load.js'

/** The schemas of a document under unique names, and a function that renames references to them. */
export function publishedSchemas(
  document: JsonObject,
  name: string,
  taken: Set<string>
): { schemas: () => JsonObject; rename: (value: Json) => Json } {
  const { schemas: given, ...components } = (document.components ?? {}) as Record<string, JsonObject>
  const schemas = given ?? {}
  const slug = name.replace(/\.[a-z]+$/i, '').replace(/[^A-Za-z0-9]+/g, '_')
  const names = new Map<string, string>()
  for (const schema of Object.keys(schemas)) {
    let free = schema.replace(/[^A-Za-z0-9._-]/g, '_')
    for (let count = 1; taken.has(free); count++) free = `${slug}_${schema}${count === 1 ? '' : `_${count}`}`
    taken.add(free)
    names.set(schema, free)
  }
  const rename = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(rename)
    if (!isObject(value)) return value
    const { $ref } = value
    if (typeof $ref === 'string') {
      const [, kind = '', part = '', rest = ''] = /^[^#]*#\/components\/(\w+)\/([^/]+)(.*)$/.exec($ref) ?? []
      const known = names.get(decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
      if (kind === 'schemas' && known !== undefined) return { ...value, $ref: `#/components/schemas/${known}${rest}` }
      // Other references are replaced by their targets.
      const target = (components[kind] as JsonObject | undefined)?.[part]
      if (target !== undefined) return rename(target)
    }
    const { 'x-file': isFile, ...others } = value
    const whole = isFile === true ? { type: 'string', ...others } : value
    return Object.fromEntries(Object.entries(whole).map(([key, item]) => [key, rename(item)]))
  }
  const renamed = () => Object.entries(schemas).map(([schema, value]) => [names.get(schema) as string, rename(value)])
  return { schemas: () => Object.fromEntries(renamed()), rename }
}

/** An operation as /openapi.json shows it, without its own security: signing in works as everywhere else. */
export function publishedOperation({ security, 'x-mock': _, ...operation }: JsonObject): JsonObject {
  return operation
}

export function ownObject({ id, resource, open, own }: Operation): JsonObject {
  return { ...own?.published(), operationId: id, tags: [resource], ...(open && { security: [] }) }
}
