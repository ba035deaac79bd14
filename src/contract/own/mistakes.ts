import { isObject, type Json, type JsonObject } from '../load.js'
import { referenceMistake } from './references.js'
import type { Mistake } from './types.js'

const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
const numbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']
const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']
const byName = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const single = new Set(['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'])

/** What the value of a keyword must be, in words, with its test. */
interface Rule {
  text: string
  isGood: (value: Json) => boolean
}

const isFilled = (value: Json) => Array.isArray(value) && value.length > 0
const isText = (value: Json) => typeof value === 'string'

const rules = new Map<string, Rule>(
  [
    rule(['type'], `is one of ${types.join(', ')}`, (value) => {
      const given = [value].flat()
      return given.length > 0 && given.every((it) => types.includes(it as string))
    }),
    rule(['required'], 'is a list of names', (value) => Array.isArray(value) && value.every(isText)),
    rule(['enum'], 'is a list with at least one value', isFilled),
    rule(['multipleOf'], 'is above 0', (value) => (value as number) > 0),
    rule(
      ['dependentRequired'],
      'is an object whose values are lists of names',
      (value) => isObject(value) && Object.values(value).every(Array.isArray)
    ),
    rule(numbers, 'is a number', (value) => typeof value === 'number'),
    rule(counts, 'is a whole number of at least 0', (value) => Number.isInteger(value) && (value as number) >= 0),
    rule(['pattern', 'format'], 'is a text', isText),
    rule([...byName], 'is an object of schemas by name', isObject),
    rule([...lists], 'is a list with at least one schema', isFilled)
  ].flat()
)

function rule(keywords: string[], text: string, isGood: Rule['isGood']): [string, Rule][] {
  return keywords.map((keyword) => [keyword, { text, isGood }])
}

/** What is invalid in a schema of a document, and in the schemas inside it. */
export function schemaMistakes(document: JsonObject, schema: Json | undefined, path: string[]): Mistake[] {
  const found: Mistake[] = []
  addMistakes(document, schema, path, found)
  return found
}

function addMistakes(document: JsonObject, schema: Json | undefined, path: string[], found: Mistake[]): void {
  if (typeof schema === 'boolean') return
  if (!isObject(schema)) {
    found.push({ path, text: 'a schema is an object, true or false' })
    return
  }
  const before = found.length
  for (const key in schema) {
    const value = schema[key] as Json
    const known = rules.get(key)
    const text =
      key === '$ref'
        ? referenceMistake(document, value)
        : known && !known.isGood(value)
          ? `${key} ${known.text}`
          : undefined
    if (text !== undefined) found.push({ path: [...path, key], text })
  }
  if (found.length > before) return
  for (const key in schema) {
    const value = schema[key] as Json
    if (single.has(key)) addMistakes(document, value, [...path, key], found)
    else if (lists.has(key)) {
      for (const [at, it] of (value as Json[]).entries()) addMistakes(document, it, [...path, key, String(at)], found)
    } else if (byName.has(key)) {
      for (const name in value as JsonObject) {
        addMistakes(document, (value as JsonObject)[name], [...path, key, name], found)
      }
    }
  }
}
