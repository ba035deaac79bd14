import type { ValidateFunction } from 'ajv'
import type { Ajv2020, AnySchema } from 'ajv/dist/2020.js'
import type { CollectionRow, Operation } from '../contract.js'
import { packed } from '../lazy.js'
import { type Documents, follow, type Json, type JsonObject } from '../load.js'
import { responseOf } from '../outcomes.js'
import { replyFormats } from '../validation/formats.js'
import type { Validators } from '../validation/validate.js'
import { formed, openSchemas, type SchemaForm } from './forms.js'
import { Memory } from './memory.js'
import { patternOf } from './patterns.js'

/** The validators of a contract: its own ones for the user's operations and rows, and `platform` for all others. */
export function ownValidators(documents: Documents, platform: Validators): Validators {
  const names = Object.keys(documents).filter((name) => name.startsWith('own-'))
  const own = Object.fromEntries(names.map((name) => [name, documents[name] as JsonObject]))
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
    properties: { query: { type: 'object', properties: {} }, ...(input as JsonObject) },
    required: own?.isBodyRequired ? parts : parts.filter((part) => part !== 'body')
  }
}

type Compile = (schema: Json) => ValidateFunction

/**
 * Compiles schemas in a form. A schema that others refer to is compiled when the first value reaches it, once. In large
 * documents most schemas refer to all others, and ajv's recursion would be as deep.
 */
function compiler(documents: Documents, form: SchemaForm): Compile {
  const ajv = createAjv()
  const compiled = new Map<string, ValidateFunction>()
  const memory = new Memory()
  const names = new Map<string, string>()
  /** What the schema of a name refers to. */
  const parts = new Map<string, Set<string>>()
  const waiting: [reference: string, name: string][] = []
  const use = (schema: Json, owner: string): AnySchema => {
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
  const closing = createClosing(parts)
  return (schema) => {
    const text = JSON.stringify(schema)
    const known = compiled.get(text)
    if (known) return known
    const whole = use(schema, '')
    const added: [string, AnySchema][] = []
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [reference, name] = next
      const part = use(follow(documents, reference), name)
      ajv.addSchema(part, name)
      added.push([name, part])
    }
    const recursive = closing(added.map(([name]) => name))
    ajv.opts.unevaluated ||= [whole, ...added].some((it) => JSON.stringify(it).includes('"unevaluated'))
    // The checker in browsers compiles nothing.
    const schemas = (ajv.schemas ?? {}) as Record<string, { validate?: ValidateFunction }>
    for (const [name, part] of added) {
      const env = schemas[name]
      if (!env || typeof part === 'boolean' || ajv.opts.unevaluated) continue
      const validate = deferred(() => ajv.compile({ ...part }))
      env.validate = recursive.has(name) ? memory.of(validate) : validate
    }
    const validator = memory.around(ajv.compile(whole))
    compiled.set(text, validator)
    return validator
  }
}

/** A validator that is compiled on first use. */
function deferred(compile: () => ValidateFunction): ValidateFunction {
  let made: ValidateFunction | undefined
  const result = function (this: unknown, ...given: Parameters<ValidateFunction>): boolean {
    made ??= compile()
    const isGood = made.apply(this as never, given) as boolean
    result.errors = made.errors ?? null
    return isGood
  } as ValidateFunction
  return result
}

/**
 * Finds, among new names, those that close a circle of references: each circle has one at least. Names that were looked
 * at before lead to no new ones.
 */
function createClosing(parts: ReadonlyMap<string, ReadonlySet<string>>): (added: string[]) => Set<string> {
  const seen = new Set<string>()
  return (added) => {
    const found = new Set<string>()
    const path = new Set<string>()
    const ways: { name: string; rest: Iterator<string> }[] = []
    const enter = (name: string): void => {
      seen.add(name)
      path.add(name)
      ways.push({ name, rest: (parts.get(name) ?? new Set<string>()).values() })
    }
    for (const start of added) {
      if (!seen.has(start)) enter(start)
      for (let way = ways.at(-1); way; way = ways.at(-1)) {
        const { done, value } = way.rest.next()
        if (done) {
          path.delete(way.name)
          ways.pop()
        } else if (path.has(value)) found.add(value)
        else if (!seen.has(value)) enter(value)
      }
    }
    return found
  }
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
    code: { regExp: Object.assign(patternOf, { code: 'patternOf' }) }
  })
  // Which fields other schemas have looked at is only noted for documents that ask.
  ajv.opts.unevaluated = false
  addFormats(ajv as never, { mode: 'fast' })
  for (const [name, check] of Object.entries(replyFormats)) ajv.addFormat(name, check)
  // The expression of ajv-formats takes quadratic time.
  ajv.addFormat('url', (text: string) => URL.canParse(text) && /^(https?|ftp):\/\//i.test(text))
  ajv.addKeyword({
    keyword: 'x-file',
    code: (it) => it.pass(_`typeof ${it.data} === "object" && ${it.data} !== null && "bytes" in ${it.data}`)
  })
  return ajv
}
