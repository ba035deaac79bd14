import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Ajv2020, AnySchema } from 'ajv/dist/2020.js'
import { packed } from '../lazy.js'
import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import type { CollectionRow, Operation } from '../model.js'
import { responseOf } from '../outcomes.js'
import type { Validators } from '../validation/compile.js'
import { replyFormats } from '../validation/formats.js'
import { checkInTime, patternOf } from './patterns.js'
import { holdsNames, holdsValues, isRead } from './schemas.js'
import { chosenByTag, taggedOf } from './tags.js'

type ValidateArguments = Parameters<ValidateFunction>
type Errors = ErrorObject[] | null

/**
 * The results of recursive schemas during one check. Without them, a value of n levels whose every level matches two
 * branches is validated 2^n times.
 */
class Memory {
  private readonly results = new Map<unknown, Map<ValidateFunction, Errors>>()

  /** A validator that remembers its results. */
  of(validator: ValidateFunction): ValidateFunction {
    return wrapped(validator, (self, given) => this.resultOf(validator, self, given))
  }

  /** A validator that begins each check with no results, and ends it in time. */
  around(validator: ValidateFunction): ValidateFunction {
    return wrapped(validator, (self, given) => {
      this.results.clear()
      return checkInTime(() => errorsOf(validator, self, given))
    })
  }

  private resultOf(validator: ValidateFunction, self: unknown, given: ValidateArguments): Errors {
    const [value] = given
    if (typeof value !== 'object' || value === null) return errorsOf(validator, self, given)
    const results = this.results.get(value) ?? new Map<ValidateFunction, Errors>()
    this.results.set(value, results)
    const known = results.get(validator)
    // The first result has already reported all errors.
    if (known !== undefined) return known?.slice(-1) ?? null
    const errors = errorsOf(validator, self, given)
    // ajv adds other errors to the list that it gets.
    results.set(validator, errors?.slice(-1) ?? null)
    return errors
  }
}

function errorsOf(validator: ValidateFunction, self: unknown, given: ValidateArguments): Errors {
  return validator.apply(self as never, given) ? null : (validator.errors ?? [])
}

/** A validator that replaces another. */
function wrapped(
  validator: ValidateFunction,
  check: (self: unknown, given: ValidateArguments) => Errors
): ValidateFunction {
  const result = function (this: unknown, ...given: ValidateArguments): boolean {
    const errors = check(this, given)
    result.errors = errors
    return errors === null
  } as ValidateFunction
  return Object.assign(result, validator, { errors: null })
}

/** The validators of a contract: its own ones for the user's operations and rows, and `platform` for all others. */
export function documentValidators(documents: Documents, platform: Validators): Validators {
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
 * Finds, among new names, those that close a circle of references: each circle has at least one. Names that were checked before
 * lead to no new ones.
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
  // Evaluated fields are only tracked for documents that need it.
  ajv.opts.unevaluated = false
  addFormats(ajv as never, { mode: 'fast' })
  for (const [name, check] of Object.entries(replyFormats)) ajv.addFormat(name, check)
  // The regular expression of ajv-formats takes quadratic time.
  ajv.addFormat('url', (text: string) => URL.canParse(text) && /^(https?|ftp):\/\//i.test(text))
  ajv.addKeyword({
    keyword: 'x-file',
    code: (it) => it.pass(_`typeof ${it.data} === "object" && ${it.data} !== null && "bytes" in ${it.data}`)
  })
  return ajv
}

/** How schemas are checked: `open` schemas are not closed, and fields with the `ignored` keyword may be missing. */
interface SchemaForm {
  open?: ReadonlySet<Json>
  ignored: 'readOnly' | 'writeOnly'
}

/** Collects the schemas that others are composed of. They stay open, because another part may name their fields. */
function openSchemas(documents: Documents): Set<Json> {
  const open = new Set<Json>()
  const waiting: Json[] = Object.values(documents)
  while (waiting.length > 0) {
    const value = waiting.pop() as Json
    if (typeof value !== 'object' || value === null) continue
    waiting.push(...Object.values(value))
    if (Array.isArray(value)) continue
    const { allOf, oneOf, anyOf, not, if: if_, then, else: else_ } = value
    for (const part of [allOf, oneOf, isNullable(value) ? [] : anyOf, not, if_, then, else_].flat()) {
      if (!isObject(part)) continue
      open.add(part)
      if (isRead(part.$ref)) open.add(follow(documents, part.$ref))
    }
  }
  return open
}

function isNullable({ anyOf }: JsonObject): boolean {
  return Array.isArray(anyOf) && anyOf.filter((it) => !(isObject(it) && it.type === 'null')).length === 1
}

/**
 * Fields that a request never has (`readOnly`), or a reply (`writeOnly`), are not required there. In requests, objects
 * with declared properties are closed, so that unknown fields are reported; those that the document closes are marked,
 * because their unknown fields are mistakes. `refer` renames references. Unchanged schemas stay the same objects.
 */
function formed(value: Json, form: SchemaForm, refer: (reference: string) => string): Json {
  return made(value, false)

  function made(part: Json, isNames: boolean): Json {
    if (typeof part !== 'object' || part === null) return part
    if (Array.isArray(part)) {
      const items = part.map((item) => made(item, false))
      return items.some((item, at) => item !== part[at]) ? items : part
    }
    const tagged = isNames || !form.open ? undefined : taggedOf(part)
    if (tagged) return made(chosenByTag(part, tagged), false)
    let isSame = true
    const entries = Object.entries(part).map(([key, item]): [string, Json] => {
      const next = isNames ? made(item, false) : madeOf(key, item)
      isSame &&= next === item
      return [key, next]
    })
    if (isNames) return isSame ? part : Object.fromEntries(entries)
    const { required, properties } = part
    const asked = Array.isArray(required) && isObject(properties) ? required.filter(isAsked) : required
    const isWhole = form.open && !form.open.has(part) && !part.allOf && !part.anyOf && !part.oneOf
    const isClosed = isWhole && part.type && isObject(properties) && part.additionalProperties === undefined
    const isExact = form.open && part.additionalProperties === false
    if (isSame && !isClosed && !isExact && (!Array.isArray(required) || (asked as Json[]).length === required.length))
      return part
    return {
      ...Object.fromEntries(entries),
      ...(asked !== undefined && { required: asked }),
      ...(isClosed && { additionalProperties: false }),
      ...(isExact && { 'x-exact': true })
    }

    function isAsked(name: Json): boolean {
      const known = properties as JsonObject
      const property = Object.hasOwn(known, name as string) ? known[name as string] : undefined
      return !(isObject(property) && property[form.ignored] === true)
    }
  }

  function madeOf(key: string, item: Json): Json {
    if (key === '$ref') return isRead(item) ? refer(item) : item
    return holdsValues(key) ? item : made(item, holdsNames(key))
  }
}
