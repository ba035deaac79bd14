import { isObject, type Json, type JsonObject } from '../load.js'
import { referenceMistake } from './references.js'
import type { Mistake } from './types.js'

const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
const numbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']
const byName = ['properties', 'patternProperties', '$defs', 'dependentSchemas']
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const single = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames']

/** What a schema of a document, or one inside it, says that no schema can say. */
export function schemaMistakes(document: JsonObject, schema: Json | undefined, path: string[]): Mistake[] {
  if (typeof schema === 'boolean') return []
  if (!isObject(schema)) return [{ path, text: 'a schema is an object, true or false' }]
  const found: Mistake[] = []
  const wrong = (key: string, text: string) => found.push({ path: [...path, key], text })
  const check = (keys: string[], isGood: (value: Json) => boolean, text: string) => {
    for (const key of keys) if (schema[key] !== undefined && !isGood(schema[key] as Json)) wrong(key, `${key} ${text}`)
  }
  const isList = (value: Json) => Array.isArray(value)
  const isFilled = (value: Json) => Array.isArray(value) && value.length > 0
  check(
    ['type'],
    (value) => isFilled([value].flat()) && [value].flat().every((it) => types.includes(it as string)),
    `is one of ${types.join(', ')}`
  )
  check(
    ['required'],
    (value) => isList(value) && (value as Json[]).every((it) => typeof it === 'string'),
    'is a list of names'
  )
  check(['enum'], isFilled, 'is a list of values, one at least')
  check(['multipleOf'], (value) => (value as number) > 0, 'is above 0')
  check(
    ['dependentRequired'],
    (value) => isObject(value) && Object.values(value).every(isList),
    'is an object of lists of names'
  )
  check(numbers, (value) => typeof value === 'number', 'is a number')
  check(counts, (value) => Number.isInteger(value) && (value as number) >= 0, 'is a whole number from 0')
  check(['pattern', 'format'], (value) => typeof value === 'string', 'is a text')
  check(byName, isObject, 'is an object of schemas by name')
  check(lists, isFilled, 'is a list of schemas, one at least')
  if (schema.$ref !== undefined) {
    const text = referenceMistake(document, schema.$ref)
    if (text) wrong('$ref', text)
  }
  if (found.length > 0) return found
  const inside = (at: string[], value: Json) => schemaMistakes(document, value, [...path, ...at])
  return [
    ...single.flatMap((key) => (schema[key] === undefined ? [] : inside([key], schema[key]))),
    ...lists.flatMap((key) => ((schema[key] ?? []) as Json[]).flatMap((it, at) => inside([key, String(at)], it))),
    ...byName.flatMap((key) =>
      Object.entries((schema[key] ?? {}) as JsonObject).flatMap(([name, it]) => inside([key, name], it))
    )
  ]
}
