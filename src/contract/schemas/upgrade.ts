import { isObject, type Json, type JsonObject } from '../load.js'
import { holdsNames, holdsValues } from './schemas.js'

/** Converts an OpenAPI 3.0 document to 3.1, whose schemas are JSON Schema 2020-12. A 3.1 document stays the same. */
export function upgraded(document: JsonObject): JsonObject {
  if (!String(document.openapi).startsWith('3.0')) return document
  return { ...(upgrade(document, false) as JsonObject), openapi: '3.1.0' }
}

/** `isNames`: the object's keys are names, not keywords. */
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

/** In 3.1 an exclusive bound is a number. */
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
