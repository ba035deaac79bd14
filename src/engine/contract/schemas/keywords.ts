import { isObject, type Json } from '../load.js'

interface Keyword {
  /** What its value must be, in words. */
  text: string
  isGood: (value: Json) => boolean
  /** Its value is a schema, a list of schemas, or an object of schemas by name. */
  schemas?: 'one' | 'list' | 'names'
  /** Its schemas apply to the same value as the schema that has it. */
  isComposing: boolean
}

const composing = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'])
const types = new Set<Json>(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])
const isText = (value: Json) => typeof value === 'string'
const isNumber = (value: Json) => typeof value === 'number'
const isCount = (value: Json) => Number.isInteger(value) && (value as number) >= 0
const isFilled = (value: Json) => Array.isArray(value) && value.length > 0

/** The keywords that are checked. All others may have any value. */
export const keywords = new Map<string, Keyword>([
  ...each(['type'], `is one of ${[...types].join(', ')}`, (value) =>
    Array.isArray(value) ? value.length > 0 && value.every((it) => types.has(it)) : types.has(value)
  ),
  ...each(['required'], 'is a list of names', (value) => Array.isArray(value) && value.every(isText)),
  ...each(['enum'], 'is a list with at least one value', isFilled),
  ...each(['multipleOf'], 'is above 0', (value) => (value as number) > 0),
  ...each(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], 'is a number', isNumber),
  ...each(
    ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
    'is a whole number of at least 0',
    isCount
  ),
  ...each(['pattern', 'format'], 'is a text', isText),
  ...each(
    ['dependentRequired'],
    'is an object whose values are lists of names',
    (value) => isObject(value) && Object.values(value).every(Array.isArray)
  ),
  ...holding(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'], 'names'),
  ...holding(['allOf', 'anyOf', 'oneOf', 'prefixItems'], 'list'),
  ...holding(
    [
      'items',
      'additionalProperties',
      'unevaluatedProperties',
      'unevaluatedItems',
      'contains',
      'propertyNames',
      'not',
      'if',
      'then',
      'else'
    ],
    'one'
  )
])

function each(names: string[], text: string, isGood: Keyword['isGood']): [string, Keyword][] {
  return names.map((name) => [name, { text, isGood, isComposing: false }])
}

function holding(names: string[], kind: 'one' | 'list' | 'names'): [string, Keyword][] {
  const isGood = { one: () => true, list: isFilled, names: isObject }[kind]
  const text = { one: '', list: 'is a list with at least one schema', names: 'is an object of schemas by name' }[kind]
  return names.map((name) => [name, { text, isGood, schemas: kind, isComposing: composing.has(name) }])
}
