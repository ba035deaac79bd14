import { decoded, follow, isObject, type Json, type JsonObject } from '../load.js'
import type { Operation } from '../model.js'

/** The first of these names that is free. They are counted from 1. */
export function freeName(names: Pick<ReadonlySet<string>, 'has'>, nameOf: (count: number) => string): string {
  let count = 1
  while (names.has(nameOf(count))) count++
  return nameOf(count)
}

/** The schemas of a document under unique names, and a function that renames references to them. */
export function publishedSchemas(
  document: JsonObject,
  name: string,
  allNames: Set<string>
): { schemas: () => JsonObject; rename: (value: Json) => Json } {
  const schemas = ((document.components as JsonObject | undefined)?.schemas ?? {}) as JsonObject
  const slug = name.replace(/\.[a-z]+$/i, '').replace(/[^A-Za-z0-9]+/g, '_')
  const names = new Map<string, string>()
  for (const schema of Object.keys(schemas)) {
    const plain = schema.replace(/[^A-Za-z0-9._-]/g, '_')
    const free = freeName(allNames, (count) =>
      count === 1 ? plain : `${slug}_${schema}${count === 2 ? '' : `_${count - 1}`}`
    )
    allNames.add(free)
    names.set(schema, free)
  }
  const renamed = (value: Json, within: readonly string[]): Json => {
    if (Array.isArray(value)) return value.map((item) => renamed(item, within))
    if (!isObject(value)) return value
    const { $ref } = value
    if (typeof $ref === 'string') {
      const pointer = decoded($ref.slice($ref.indexOf('#')))
      const [, part = '', rest = ''] = /^#\/components\/schemas\/([^/]+)(.*)$/s.exec(pointer) ?? []
      const newName = names.get(part.replaceAll('~1', '/').replaceAll('~0', '~'))
      if (newName !== undefined) return { ...value, $ref: `#/components/schemas/${newName}${rest}` }
      // Other references are replaced by their targets, since the published document has other parts. An endless one is cut.
      const target = within.includes(pointer) ? {} : targetOf(document, pointer)
      if (target !== undefined) return renamed(target, [...within, pointer])
    }
    const { 'x-file': isFile, ...others } = value
    const whole = isFile === true ? { type: 'string', ...others } : value
    return Object.fromEntries(Object.entries(whole).map(([key, item]) => [key, renamed(item, within)]))
  }
  const rename = (value: Json) => renamed(value, [])
  const all = () => Object.entries(schemas).map(([schema, value]) => [names.get(schema) as string, rename(value)])
  return { schemas: () => Object.fromEntries(all()), rename }
}

function targetOf(document: JsonObject, pointer: string): Json | undefined {
  try {
    return follow({ '': document }, pointer)
  } catch {
    return undefined
  }
}

/** An operation as /openapi.json shows it, without its own servers. Only an API's document has its own security. */
export function publishedOperation(
  { security, servers, 'x-mock': _, ...operation }: JsonObject,
  isApi: boolean
): JsonObject {
  return { ...operation, ...(isApi && security !== undefined && { security }) }
}

export function documentedOperation({ id, open, origin }: Operation, document: JsonObject): JsonObject {
  const { tags, ...published } = origin?.published() ?? {}
  const names = Array.isArray(tags) ? tags.filter((it) => typeof it === 'string') : []
  return {
    ...published,
    operationId: id,
    tags: names.length > 0 ? names : [titleOf(document)],
    ...(open && published.security === undefined && { security: [] })
  }
}

/** What a document says about the tags of its operations. Operations without any are grouped under its title. */
export function documentedTag(document: JsonObject, name: Json): JsonObject {
  const tags = Array.isArray(document.tags) ? document.tags : []
  const said = tags.find((it) => isObject(it) && it.name === name) ?? (name === titleOf(document) && document.info)
  return { name, description: (isObject(said) && said.description) || '' }
}

function titleOf({ info }: JsonObject): string {
  return isObject(info) && typeof info.title === 'string' && info.title !== '' ? info.title : 'own'
}
