import { isObject, type Json, type JsonObject } from '../load.js'
import { holdsNames, holdsValues } from './schemas.js'

/** A document of OpenAPI 3.0 in the words of 3.1, whose schemas are JSON Schema 2020-12. One of 3.1 stays as it is. */
export function upgraded(document: JsonObject): JsonObject {
  if (!String(document.openapi).startsWith('3.0')) return document
  return { ...(upgrade(document, false) as JsonObject), openapi: '3.1.0' }
}

/** `isNames`: the keys of the object are names, and no words of a schema. */
function upgrade(value: Json, isNames: boolean): Json {
  if (Array.isArray(value)) return value.map((item) => upgrade(item, false))
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const [key, item] of Object.entries(value)) {
    result[key] = !isNames && holdsValues(key) ? item : upgrade(item, !isNames && holdsNames(key))
  }
  if (isNames) return result
  const { exclusiveMinimum, exclusiveMaximum, minimum, maximum, nullable } = result
  if (typeof exclusiveMinimum === 'boolean') exclude(result, 'Minimum', exclusiveMinimum, minimum)
  if (typeof exclusiveMaximum === 'boolean') exclude(result, 'Maximum', exclusiveMaximum, maximum)
  if (typeof nullable !== 'boolean') return result
  delete result.nullable
  return nullable ? orNull(result) : result
}

/** A bound that is excluded is a number of its own in 3.1. */
function exclude(schema: JsonObject, bound: 'Minimum' | 'Maximum', isExcluded: boolean, limit: Json | undefined): void {
  delete schema[`exclusive${bound}`]
  if (!isExcluded || limit === undefined) return
  schema[`exclusive${bound}`] = limit
  delete schema[bound.toLowerCase()]
}

function orNull(schema: JsonObject): JsonObject {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  const values = Array.isArray(schema.enum) && { enum: [...new Set([...schema.enum, null])] }
  return { ...schema, type: [schema.type, 'null'], ...values }
}
