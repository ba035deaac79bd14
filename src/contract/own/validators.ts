import type { ValidateFunction } from 'ajv'
import type { Ajv2020, AnySchema } from 'ajv/dist/2020.js'
import type { CollectionRow, Operation } from '../contract.js'
import { lazily } from '../lazy.js'
import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import { responseOf } from '../outcomes.js'
import { replyFormats } from '../validation/formats.js'
import type { Validators } from '../validation/validate.js'

/** The validators of a contract: its own ones for the user's operations and rows, and `platform` for all others. */
export function ownValidators(documents: Documents, platform: Validators): Validators {
  const made = new Map<string, ValidateFunction>()
  const own = Object.fromEntries(Object.entries(documents).filter(([name]) => name.startsWith('own-')))
  const kinds: { inputs?: Kind; others?: Kind } = {}
  const compiled = (key: string, name: keyof typeof kinds, schema: (as: Form) => Json): ValidateFunction => {
    let validator = made.get(key)
    if (!validator) {
      kinds[name] ??= kindOf(own, name === 'inputs')
      const { ajv, form } = kinds[name]
      validator = ajv.compile(schema(form) as AnySchema)
      made.set(key, validator)
    }
    return validator
  }
  return {
    ...platform,
    input: (operation) =>
      operation.own
        ? compiled(`input ${operation.id}`, 'inputs', (as) => inputSchema(operation, as))
        : platform.input(operation),
    reply: (operation, status) =>
      operation.own
        ? compiled(`reply ${operation.id} ${status}`, 'others', (as) =>
            formed(responseOf(operation, status)?.schema ?? {}, as)
          )
        : platform.reply(operation, status),
    row: (collection) =>
      isOwn(collection) ? compiled(`row ${collection.name}`, 'others', () => collection.row) : platform.row(collection)
  }
}

function isOwn({ resource }: CollectionRow): boolean {
  return resource.startsWith('own-')
}

/** One schema for the whole request, so that ajv's path is the loc of a ValidationError. */
function inputSchema({ input, own }: Operation, as: Form): Json {
  const parts = Object.keys(input)
  return {
    type: 'object',
    properties: {
      query: { type: 'object', additionalProperties: false },
      ...(formed(input as JsonObject, as) as JsonObject)
    },
    required: own?.isBodyRequired ? parts : parts.filter((part) => part !== 'body')
  }
}

function createAjv(documents: Documents): Ajv2020 {
  const { Ajv2020: Ajv, _ } = lazily('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
  const addFormats = (lazily('ajv-formats') as typeof import('ajv-formats')).default
  // Unknown keywords and formats are ignored; a document may have any.
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    passContext: true,
    strict: false,
    validateSchema: false,
    meta: false,
    logger: false,
    code: { regExp: Object.assign(regExp, { code: 'regExp' }) }
  })
  addFormats(ajv as never, { mode: 'fast' })
  for (const [name, check] of Object.entries(replyFormats)) ajv.addFormat(name, check)
  ajv.addKeyword({
    keyword: 'x-file',
    code: (it) => it.pass(_`typeof ${it.data} === "object" && ${it.data} !== null && "bytes" in ${it.data}`)
  })
  for (const [name, document] of Object.entries(documents)) ajv.addSchema(document, name)
  return ajv
}

/** A pattern from another language. If JavaScript cannot compile it, it matches everything. */
function regExp(pattern: string): RegExp {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags)
    } catch {}
  }
  return /(?:)/
}

/** How schemas are checked: `open` schemas are not closed, and fields with the `ignored` keyword may be missing. */
interface Form {
  open?: ReadonlySet<Json>
  ignored: 'readOnly' | 'writeOnly'
}

interface Kind {
  ajv: Ajv2020
  form: Form
}

function kindOf(own: Documents, isInput: boolean): Kind {
  const open = new Set<Json>()
  if (isInput) for (const document of Object.values(own)) collectOpen(document, own, open)
  const form: Form = isInput ? { open, ignored: 'readOnly' } : { ignored: 'writeOnly' }
  const documents = Object.entries(own).map(([name, document]) => [name, formed(document, form)])
  return { ajv: createAjv(Object.fromEntries(documents)), form }
}

/** Collects the schemas that others are composed of. They stay open, because another part may name their fields. */
function collectOpen(value: Json, documents: Documents, open: Set<Json>): void {
  if (Array.isArray(value)) for (const item of value) collectOpen(item, documents, open)
  if (!isObject(value)) return
  const parts = [
    value.allOf,
    value.oneOf,
    isNullable(value) ? [] : value.anyOf,
    value.not,
    value.if,
    value.then,
    value.else
  ]
  for (const part of parts.flat()) {
    if (!isObject(part)) continue
    open.add(part)
    if (typeof part.$ref === 'string') open.add(follow(documents, part.$ref))
  }
  for (const item of Object.values(value)) collectOpen(item, documents, open)
}

function isNullable({ anyOf }: JsonObject): boolean {
  return Array.isArray(anyOf) && anyOf.filter((it) => !(isObject(it) && it.type === 'null')).length === 1
}

/**
 * Fields that a request never has (`readOnly`), or a reply (`writeOnly`), are not required there. In requests, objects
 * with declared properties are closed, so that unknown fields are reported. Unchanged schemas stay the same objects.
 */
function formed(value: Json, as: Form): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => formed(item, as))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  if (!isObject(value)) return value
  const { required, properties } = value
  const result: JsonObject = {}
  let isSame = true
  for (const [key, item] of Object.entries(value)) {
    result[key] = formed(item, as)
    isSame &&= result[key] === item
  }
  if (Array.isArray(required) && isObject(properties)) {
    const isAsked = (name: Json) => {
      const property = properties[name as string]
      return !(isObject(property) && property[as.ignored] === true)
    }
    if (!required.every(isAsked)) {
      result.required = required.filter(isAsked)
      isSame = false
    }
  }
  const isWhole = as.open && !as.open.has(value) && !value.allOf && !value.anyOf && !value.oneOf
  if (isWhole && value.type && isObject(properties) && value.additionalProperties === undefined) {
    return { ...result, additionalProperties: false }
  }
  return isSame ? value : result
}
