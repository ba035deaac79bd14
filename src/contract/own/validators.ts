import type { ValidateFunction } from 'ajv'
import type { Ajv2020, AnySchema } from 'ajv/dist/2020.js'
import type { CollectionRow, Operation } from '../contract.js'
import { packed } from '../lazy.js'
import { type Documents, follow, type Json, type JsonObject } from '../load.js'
import { responseOf } from '../outcomes.js'
import { replyFormats } from '../validation/formats.js'
import type { Validators } from '../validation/validate.js'
import { type Form, formed, openSchemas } from './forms.js'
import { Memory } from './memory.js'

/** The validators of a contract: its own ones for the user's operations and rows, and `platform` for all others. */
export function ownValidators(documents: Documents, platform: Validators): Validators {
  const own = Object.fromEntries(Object.entries(documents).filter(([name]) => name.startsWith('own-')))
  let inputs: Compile | undefined
  let others: Compile | undefined
  const input = (schema: Json) => {
    inputs ??= compiler(own, { open: openSchemas(own), ignored: 'readOnly' })
    return inputs(schema)
  }
  const other = (schema: Json) => {
    others ??= compiler(own, { ignored: 'writeOnly' })
    return others(schema)
  }
  const made = new Map<string, ValidateFunction>()
  const once = (key: string, make: () => ValidateFunction): ValidateFunction => {
    const known = made.get(key) ?? make()
    made.set(key, known)
    return known
  }
  return {
    ...platform,
    input: (operation) =>
      operation.own ? once(`input ${operation.id}`, () => input(inputSchema(operation))) : platform.input(operation),
    reply: (operation, status) =>
      operation.own
        ? once(`reply ${operation.id} ${status}`, () => other(responseOf(operation, status)?.schema ?? {}))
        : platform.reply(operation, status),
    row: (collection) =>
      isOwn(collection) ? once(`row ${collection.name}`, () => other(collection.row)) : platform.row(collection)
  }
}

function isOwn({ resource }: CollectionRow): boolean {
  return resource.startsWith('own-')
}

/** One schema for the whole request, so that ajv's path is the loc of a ValidationError. */
function inputSchema({ input, own }: Operation): Json {
  const parts = Object.keys(input)
  return {
    type: 'object',
    additionalProperties: true,
    properties: { query: { type: 'object', additionalProperties: false }, ...(input as JsonObject) },
    required: own?.isBodyRequired ? parts : parts.filter((part) => part !== 'body')
  }
}

type Compile = (schema: Json) => ValidateFunction

/** Compiles schemas in a form. A schema that others refer to is compiled once, on first use; so are equal schemas. */
function compiler(documents: Documents, form: Form): Compile {
  const ajv = createAjv()
  const compiled = new Map<string, ValidateFunction>()
  const memory = new Memory()
  const names = new Map<string, string>()
  /** What the schema of a name refers to. */
  const parts = new Map<string, Set<string>>()
  const waiting: [reference: string, name: string][] = []
  const use = (schema: Json, owner = ''): AnySchema => {
    const referred = new Set<string>()
    parts.set(owner, referred)
    return formed(schema, form, (reference) => {
      const name = names.get(reference) ?? `schema-${names.size}`
      if (!names.has(reference)) waiting.push([reference, name])
      names.set(reference, name)
      referred.add(name)
      return name
    }) as AnySchema
  }
  return (schema) => {
    const text = JSON.stringify(schema)
    const known = compiled.get(text)
    if (known) return known
    const whole = use(schema)
    const added: string[] = []
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [reference, name] = next
      ajv.addSchema(use(follow(documents, reference), name), name)
      added.push(name)
    }
    // The checker in browsers keeps no compiled schemas.
    const schemas = (ajv.schemas ?? {}) as Record<string, object>
    for (const name of added) if (schemas[name] && isRecursive(name, parts)) memory.watch(schemas[name])
    const validator = memory.around(ajv.compile(whole))
    compiled.set(text, validator)
    return validator
  }
}

/** Whether a schema refers to itself through others. */
function isRecursive(name: string, parts: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const reached = new Set<string>()
  const waiting = [name]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const part of parts.get(next) ?? []) {
      if (part === name) return true
      if (!reached.has(part)) waiting.push(part)
      reached.add(part)
    }
  }
  return false
}

function createAjv(): Ajv2020 {
  const { Ajv2020: Ajv, _, addFormats } = packed('ajv') as typeof import('./ajv.js')
  // Unknown keywords and formats are ignored; a document may have any.
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    passContext: true,
    strict: false,
    // A field may be called toString.
    ownProperties: true,
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
