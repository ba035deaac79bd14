import type { ValidateFunction } from 'ajv'
import { lazily } from '../lazy.js'
import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import type { OpenApiDocument, Operation } from '../model.js'
import { inMap, once } from '../once.js'
import { responseOf } from '../outcomes.js'
import { createPatterns } from '../schemas/patterns.js'
import { chosenByTag, isRead, taggedOf } from '../schemas/schemas.js'
import { inputKey, replyKey, rowKey, type Validators } from './compile.js'
import { replyFormats } from './formats.js'
import { Ajv2020 } from './interpreter.js'
import type { Format } from './keywords.js'

/**
 * The validators of a contract with documents of users. Their schemas are interpreted, because they may be thousands, of which a test
 * needs few. `compiled` has all others.
 */
export function documentValidators(
  documents: Documents,
  extensions: readonly OpenApiDocument[],
  compiled: Validators
): Validators {
  const inputs = once(() => interpreter(documents, { open: openSchemas(documents, extensions), ignored: 'readOnly' }))
  const others = once(() => interpreter(documents, { ignored: 'writeOnly' }))
  const byKey = new Map<string, ValidateFunction>()
  const cached = (key: string, make: () => ValidateFunction) => inMap(byKey, key, make)
  return {
    ...compiled,
    input: (operation) =>
      operation.origin
        ? cached(`${inputKey(operation)} ${operation.form}`, () => inputs()(inputSchema(operation)))
        : compiled.input(operation),
    reply: (operation, status) =>
      operation.origin
        ? cached(replyKey(operation, status), () => others()(responseOf(operation, status)?.schema ?? {}))
        : compiled.reply(operation, status),
    row: (collection) =>
      collection.count !== undefined
        ? cached(rowKey(collection), () => others()(collection.row))
        : compiled.row(collection)
  }
}

/** One schema for the whole request, so that ajv's path is the loc of a ValidationError. */
function inputSchema({ input, isBodyRequired }: Operation): Json {
  const parts = Object.keys(input)
  return {
    type: 'object',
    additionalProperties: true,
    properties: { query: { type: 'object', properties: {} }, ...(input as JsonObject) },
    required: isBodyRequired ? parts : parts.filter((part) => part !== 'body')
  }
}

function interpreter(documents: Documents, form: SchemaForm): (schema: Json) => ValidateFunction {
  const { fastFormats, fullFormats } = lazily(
    'ajv-formats/dist/formats.js'
  ) as typeof import('ajv-formats/dist/formats.js')
  const { patternOf, checkInTime } = createPatterns()
  const checks = new Ajv2020({
    documents,
    formats: {
      ...(fastFormats as Record<string, Format>),
      // The other takes the 30th of February.
      date: fullFormats.date as Format,
      ...replyFormats,
      // The regular expression of ajv-formats takes quadratic time.
      url: (text: string) => URL.canParse(text) && /^(https?|ftp):\/\//i.test(text)
    },
    code: { regExp: patternOf },
    form: (schema) => formed(schema, form, documents)
  })
  return (schema) => {
    const check = checks.compile(schema)
    const inTime = function (this: unknown, value: unknown): boolean {
      const isValid = checkInTime(() => check.call(this, value))
      inTime.errors = check.errors
      return isValid
    } as ValidateFunction
    return inTime
  }
}

/** How schemas are checked: `open` schemas are not closed, and fields with the `ignored` keyword may be missing. */
interface SchemaForm {
  open?: ReadonlySet<Json>
  ignored: 'readOnly' | 'writeOnly'
}

/** The schemas that others are composed of, and their targets. They stay open, because another part may name their fields. */
function openSchemas(documents: Documents, extensions: readonly OpenApiDocument[]): Set<Json> {
  const parts = extensions.flatMap((it) => [...it.parts])
  return new Set(parts.flatMap((it): Json[] => (isRead(it.$ref) ? [it, follow(documents, it.$ref)] : [it])))
}

/** Whether a field has the keyword: in its schema, in the target of a reference, or in a part that it is composed of. */
function isMarked(schema: Json, keyword: string, documents: Documents, depth = 0): boolean {
  if (!isObject(schema) || depth > 9) return false
  const { $ref, allOf = [] } = schema
  const parts = [...(allOf as Json[]), ...(isRead($ref) ? [follow(documents, $ref)] : [])]
  return schema[keyword] === true || parts.some((it) => isMarked(it, keyword, documents, depth + 1))
}

/**
 * A schema as it applies to requests or to replies. Fields that a request never has (`readOnly`), or a reply (`writeOnly`), are not
 * required there. In requests, objects with declared properties are closed, so that unknown fields are reported; those that the
 * document closes are marked, because their unknown fields are mistakes.
 */
function formed(source: JsonObject, { open, ignored }: SchemaForm, documents: Documents): JsonObject {
  const tagged = open && taggedOf(source)
  const schema = tagged ? chosenByTag(source, tagged) : source
  const { required, properties, additionalProperties } = schema
  const isWhole = open && !open.has(schema) && !schema.allOf && !schema.anyOf && !schema.oneOf
  const isClosed = isWhole && schema.type && isObject(properties) && additionalProperties === undefined
  const isExact = open && additionalProperties === false
  const isAsked = (name: Json): boolean => {
    const fields = properties as JsonObject
    const property = Object.hasOwn(fields, name as string) ? fields[name as string] : undefined
    return property === undefined || !isMarked(property, ignored, documents)
  }
  return {
    ...schema,
    ...(Array.isArray(required) && isObject(properties) && { required: required.filter(isAsked) }),
    ...(isClosed && { additionalProperties: false }),
    ...(isExact && { 'x-exact': true })
  }
}
