import { isObject, type Json, type JsonObject } from '../../contract/load.js'

/** An OpenAPI 3.0 or 3.1 document, with its file for messages. */
export interface OpenApiDocument {
  name: string
  root: JsonObject
}

/**
 * Checks that a value is an OpenAPI 3.0 or 3.1 document with operations. Throws an Error that describes the value
 * otherwise: comparing a document without operations would find nothing broken.
 */
export function openApiDocument(name: string, value: unknown): OpenApiDocument {
  const give = 'Give an OpenAPI 3.0 or 3.1 document, or a folder of contracts.'
  if (!isObject(value)) throw new Error(`${name} is not an object. ${give}`)
  if ('swagger' in value) throw new Error(`${name} is OpenAPI ${value.swagger}. Convert it to 3.0 or 3.1 first.`)
  if ('operations' in value && '$defs' in value) throw new Error(`${name} is one contract. Give its folder.`)
  if (typeof value.openapi !== 'string')
    throw new Error(`${name} is not an OpenAPI document: it has no "openapi". ${give}`)
  if (!/^3\.[01](\.|$)/.test(value.openapi)) throw new Error(`${name} is OpenAPI ${value.openapi}. ${give}`)
  if (!isObject(value.paths)) throw new Error(`${name} has no paths: there is nothing to compare.`)
  return { name, root: value }
}

/** A value, or the target of its `$ref`. Throws if the target does not exist. */
export function target(document: OpenApiDocument, value: Json | undefined): JsonObject {
  const seen = new Set<Json>()
  let found = value
  while (isObject(found) && typeof found.$ref === 'string') {
    if (seen.has(found)) throw new Error(`${document.name}: the reference ${found.$ref} leads to itself.`)
    seen.add(found)
    found = pointedAt(document, found.$ref)
  }
  return isObject(found) ? found : {}
}

/** The target of a `$ref` in the same document. */
export function pointedAt({ name, root }: OpenApiDocument, reference: string): Json {
  if (!reference.startsWith('#')) {
    throw new Error(`${name} refers to another file, ${reference}. Bundle it into one document first.`)
  }
  let value: Json | undefined = root
  for (const part of decodeURIComponent(reference).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined
  }
  if (value === undefined) throw new Error(`${name}: the reference ${reference} cannot be resolved.`)
  return value
}
