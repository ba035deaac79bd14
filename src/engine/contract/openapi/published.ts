import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import { idsOn } from '../validation/assumption-lists.js'

const mockKeywords = new Set([
  'tsType',
  'x-documented',
  'x-embedded',
  'x-secret',
  'x-undocumented',
  'x-null',
  'x-assumed'
])

/** A schema in the form of OpenAPI: references into components, binary files, without the mock's own keywords. */
export function published(documents: Documents, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => published(documents, item))
  if (!isObject(value)) return value
  const { $ref, ...rest } = value
  const result = typeof $ref === 'string' ? publishedReference(documents, $ref) : {}
  for (const [key, item] of Object.entries(rest)) {
    if (key === 'examples') result.examples = item
    // API explorers recognize files by this format, not by contentMediaType.
    else if (key === 'x-file') Object.assign(result, { type: 'string', format: 'binary' })
    else if (!mockKeywords.has(key)) result[key] = published(documents, item)
  }
  const assumed = idsOn(value)
  if (assumed.length > 0) result['x-assumed'] = assumed
  return result
}

/**
 * `chat.json#/$defs/X` becomes `#/components/schemas/X`. References into a schema, such as `#/$defs/X/properties/y`,
 * are replaced by their target, because not every tool follows them.
 */
function publishedReference(documents: Documents, reference: string): JsonObject {
  const name = /#\/\$defs\/([^/]+)$/.exec(reference)?.[1]
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  return published(documents, follow(documents, reference)) as JsonObject
}

/** An example of a body in a document. A file is shown as its bytes, one character per byte. */
export function publishedExample(value: Json): Json {
  if (Array.isArray(value)) return value.map(publishedExample)
  if (!isObject(value)) return value
  const file = value['x-file']
  if (isObject(file)) {
    const { text = '', base64 } = file as Record<string, string>
    return base64 === undefined
      ? Buffer.from(text).toString('latin1')
      : Buffer.from(base64, 'base64').toString('latin1')
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, publishedExample(item)]))
}

export function schemasOf(documents: Documents): Map<string, Json> {
  const all = Object.values(documents).flatMap(({ $defs }) => Object.entries(($defs ?? {}) as JsonObject))
  return new Map(all.map(([name, schema]) => [name, published(documents, schema)]))
}

/** The schemas that a part of a document refers to, in their order. */
export function usedIn(part: JsonObject, schemas: ReadonlyMap<string, Json>): JsonObject {
  const names = new Set<string>()
  const use = (value: Json | undefined): void => {
    if (Array.isArray(value)) for (const item of value) use(item)
    if (!isObject(value)) return
    const name = String(value.$ref ?? '').replace('#/components/schemas/', '')
    if (schemas.has(name) && !names.has(name)) {
      names.add(name)
      use(schemas.get(name))
    }
    for (const item of Object.values(value)) use(item)
  }
  use(part)
  return Object.fromEntries([...schemas].filter(([name]) => names.has(name)))
}
