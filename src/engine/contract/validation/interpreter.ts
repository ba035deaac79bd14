import type { ErrorObject, ValidateFunction } from 'ajv'
import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import { inMap } from '../once.js'
import {
  add,
  addEvaluated,
  type Format,
  isValid,
  isValidToo,
  type Keyword,
  type Keywords,
  lists,
  type Maker,
  marks,
  nothingEvaluated,
  numbers,
  objects,
  type SchemaCheck,
  strings,
  type,
  uniqueItems,
  type ValidationRun,
  values
} from './keywords.js'

interface Options {
  formats?: Record<string, Format>
  /** The targets of references. */
  documents?: Documents
  code?: { regExp?: (pattern: string) => { test(text: string): boolean } }
  /** Changes each schema before it is used, but not the schemas in it. */
  form?: (schema: JsonObject) => JsonObject
}

/**
 * Checks values by schemas as ajv does, with the same errors, but without generating code, which takes long for large documents,
 * and which pages may not allow (`script-src 'self'`). It has the parts of ajv that this folder calls. It ignores unknown
 * keywords.
 */
export class Ajv2020 {
  private readonly documents: Documents
  private readonly checks = new Map<JsonObject, SchemaCheck>()
  private readonly references = new Map<string, SchemaCheck>()
  private readonly form: (schema: JsonObject) => JsonObject
  private readonly maker: Maker

  constructor({ formats = {}, documents = {}, code, form = (schema) => schema }: Options) {
    this.documents = documents
    this.form = form
    this.maker = {
      check: (schema) => this.checkOf(schema),
      reference: (to) => this.referenced(to),
      formats: new Map(Object.entries(formats)),
      regExp: code?.regExp ?? ((pattern) => new RegExp(pattern, 'u'))
    }
  }

  addSchema(document: JsonObject, name: string): void {
    this.documents[name] = document
  }

  /** The keywords that we use are built in. */
  addKeyword(): void {}

  compile(schema: Json): ValidateFunction {
    const check = this.checkOf(schema)
    const validate = function (this: unknown, value: unknown): boolean {
      const run: ValidationRun = { context: this, errors: [], path: '', results: new Map(), evaluated: undefined }
      check(value, run)
      validate.errors = run.errors.length > 0 ? run.errors : null
      return run.errors.length === 0
    } as ValidateFunction
    return validate
  }

  private checkOf(schema: Json): SchemaCheck {
    if (!isObject(schema)) return schema === false ? refuse : () => {}
    const previous = this.checks.get(schema)
    if (previous) return previous
    // A schema may contain itself.
    let check: SchemaCheck | undefined
    const later: SchemaCheck = (value, run) => {
      check ??= this.checkFrom(this.form(schema))
      check(value, run)
    }
    this.checks.set(schema, later)
    return later
  }

  private checkFrom(schema: JsonObject): SchemaCheck {
    let isTyped = schema.type === undefined
    const parts = groups.flatMap(({ type: kind, keywords }) => {
      const entries = keywords.filter(([names]) => names.some((name) => schema[name] !== undefined))
      const checks = entries.map(([, make]) => make(schema, this.maker))
      // ajv checks the type where it first needs it.
      if (isTyped || String(schema.type) !== kind || schema.nullable === true || checks.length === 0) return checks
      isTyped = true
      return [type(schema, this.maker), ...checks]
    })
    if (!isTyped) parts.unshift(type(schema, this.maker))
    const [only] = parts
    const check: SchemaCheck =
      parts.length === 1 && only
        ? only
        : (value, run) => {
            for (const part of parts) part(value, run)
          }
    return schema.unevaluatedProperties === undefined && schema.unevaluatedItems === undefined ? check : apart(check)
  }

  private referenced(reference: string): SchemaCheck {
    return inMap(this.references, reference, () => remembering(this.checkOf(follow(this.documents, reference))))
  }
}

/** Notes apart from other schemas what a schema checks. */
function apart(check: SchemaCheck): SchemaCheck {
  return (value, run) => {
    const { evaluated: outside } = run
    const evaluated = nothingEvaluated()
    run.evaluated = evaluated
    check(value, run)
    run.evaluated = outside
    addEvaluated(outside, evaluated)
  }
}

/**
 * Remembers the results of a schema that leads back to itself. Otherwise a value of n levels whose every level matches two branches
 * is checked 2^n times.
 */
function remembering(check: SchemaCheck): SchemaCheck {
  let depth = 0
  let isRecursive = false
  const remembered: SchemaCheck = (value, run) => {
    isRecursive ||= depth > 0
    if (!isRecursive || run.evaluated || typeof value !== 'object' || value === null) return inside(value, run)
    const results = inMap(run.results, remembered, () => new Map<unknown, ErrorObject[]>())
    const errors = results.get(value)
    if (errors) run.errors.push(...errors)
    else {
      const before = run.errors.length
      inside(value, run)
      // The first result has reported all errors.
      results.set(value, run.errors.length > before ? run.errors.slice(-1) : [])
    }
  }
  const inside: SchemaCheck = (value, run) => {
    depth++
    check(value, run)
    depth--
  }
  return remembered
}

const refuse: SchemaCheck = (value, run) => {
  add(run, 'false schema', false, {}, value, {}, 'boolean schema is false')
}

const reference: Keyword = (schema, maker) => maker.reference(schema.$ref as string)

const not: Keyword = (schema, maker) => {
  const check = maker.check(schema.not as Json)
  return (value, run) => {
    if (isValid(check, value, run)) add(run, 'not', schema.not as Json, schema, value, {}, 'must NOT be valid')
  }
}

/** A value matches at least one of the branches, or exactly one. */
const branches =
  (keyword: 'anyOf' | 'oneOf', message: string): Keyword =>
  (schema, maker) => {
    const parts = schema[keyword] as Json[]
    const checks = parts.map(maker.check)
    const isOne = keyword === 'oneOf'
    return (value, run) => {
      const errors: ValidationRun['errors'] = []
      const passing: number[] = []
      for (const [at, check] of checks.entries()) {
        if (isValidToo(check, value, run, errors)) passing.push(at)
        // A schema that asks what was checked needs all branches.
        if (isOne ? passing.length > 1 : passing.length > 0 && !run.evaluated) break
      }
      if (isOne ? passing.length === 1 : passing.length > 0) return
      run.errors.push(...errors)
      const params = isOne ? { passingSchemas: passing.length === 0 ? null : passing } : {}
      add(run, keyword, parts, schema, value, params, message)
    }
  }

const allOf: Keyword = (schema, maker) => {
  const checks = (schema.allOf as Json[]).map(maker.check)
  return (value, run) => {
    for (const check of checks) check(value, run)
  }
}

const condition: Keyword = (schema, maker) => {
  const check = maker.check(schema.if as Json)
  const [yes, no] = [schema.then, schema.else].map((it) => (it === undefined ? undefined : maker.check(it)))
  return (value, run) => {
    const evaluated = run.evaluated && nothingEvaluated()
    const isFulfilled = isValid(check, value, run, [], evaluated)
    const [next, failingKeyword] = isFulfilled ? [yes, 'then'] : [no, 'else']
    if (!next || isValidToo(next, value, run, run.errors)) {
      if (evaluated && isFulfilled) addEvaluated(run.evaluated, evaluated)
      return
    }
    add(run, 'if', schema.if as Json, schema, value, { failingKeyword }, `must match "${failingKeyword}" schema`)
  }
}

const itemsOf: Keyword = (schema, maker) => {
  const first = ((schema.prefixItems ?? []) as Json[]).map(maker.check)
  const rest = schema.items === undefined ? undefined : maker.check(schema.items)
  return (value, run) => {
    if (!Array.isArray(value)) return
    const { length } = first
    if (schema.items === false && value.length > length) {
      return add(run, 'items', false, schema, value, { limit: length }, `must NOT have more than ${length} items`)
    }
    for (const [at, item] of value.entries()) within(first[at] ?? rest, item, run, String(at))
    noteItems(run, schema.items === undefined ? first.length : value.length)
  }
}

function noteItems({ evaluated }: ValidationRun, count: number): void {
  if (evaluated) evaluated.items = Math.max(evaluated.items, count)
}

const contains: Keyword = (schema, maker) => {
  const check = maker.check(schema.contains as Json)
  const { minContains: least = 1, maxContains: most } = schema as { minContains?: number; maxContains?: number }
  const limits = { minContains: least, ...(most !== undefined && { maxContains: most }) }
  const message = `must contain at least ${least}${most === undefined ? '' : ` and no more than ${most}`} valid item(s)`
  if (least === 0 && most === undefined) return () => {}
  return (value, run) => {
    if (!Array.isArray(value)) return
    noteItems(run, value.length)
    const errors: ValidationRun['errors'] = []
    let count = 0
    for (const [at, item] of value.entries()) {
      if (isValid(check, item, { ...run, path: `${run.path}/${at}` }, errors)) count++
      if (most === undefined ? count >= least : count > most) break
    }
    if (count >= least && (most === undefined || count <= most)) return
    run.errors.push(...errors)
    add(run, 'contains', schema.contains as Json, schema, value, limits, message)
  }
}

const unevaluatedItems: Keyword = (schema, maker) => {
  const { unevaluatedItems: itemSchema } = schema
  const check = maker.check(itemSchema as Json)
  return (value, run) => {
    if (!Array.isArray(value) || !run.evaluated) return
    const limit = run.evaluated.items
    if (itemSchema === false && value.length > limit) {
      add(run, 'unevaluatedItems', false, schema, value, { limit }, `must NOT have more than ${limit} items`)
    } else for (let at = limit; at < value.length; at++) within(check, value[at], run, String(at))
    noteItems(run, value.length)
  }
}

const unevaluatedProperties: Keyword = (schema, maker) => {
  const { unevaluatedProperties: fieldSchema } = schema
  const check = maker.check(fieldSchema as Json)
  return (value, run) => {
    if (!isObject(value) || !run.evaluated) return
    for (const unevaluatedProperty of Object.keys(value)) {
      if (run.evaluated.names.has(unevaluatedProperty)) continue
      const message = 'must NOT have unevaluated properties'
      if (fieldSchema !== false) within(check, value[unevaluatedProperty], run, unevaluatedProperty)
      else add(run, 'unevaluatedProperties', false, schema, value, { unevaluatedProperty }, message)
      run.evaluated.names.add(unevaluatedProperty)
    }
  }
}

const required: Keyword = (schema) => {
  const names = schema.required as string[]
  return (value, run) => {
    if (!isObject(value)) return
    for (const name of names) {
      if (has(value, name)) continue
      add(run, 'required', names, schema, value, { missingProperty: name }, `must have required property '${name}'`)
    }
  }
}

const propertyNames: Keyword = (schema, maker) => {
  const check = maker.check(schema.propertyNames as Json)
  return (value, run) => {
    if (!isObject(value)) return
    for (const propertyName of Object.keys(value)) {
      if (isValid(check, propertyName, { ...run, name: propertyName }, run.errors)) continue
      const nameSchema = schema.propertyNames as Json
      add(run, 'propertyNames', nameSchema, schema, value, { propertyName }, 'property name must be valid')
    }
  }
}

/** The names and patterns of the fields that a schema describes. */
function fieldsOf({ properties = {}, patternProperties = {} }: JsonObject, maker: Maker) {
  return {
    fields: new Map(Object.entries(properties as JsonObject).map(([key, it]) => [key, maker.check(it)])),
    patterns: Object.entries(patternProperties as JsonObject).map(
      ([pattern, it]) => [maker.regExp(pattern), maker.check(it)] as const
    )
  }
}

const additionalProperties: Keyword = (schema, maker) => {
  const { fields, patterns } = fieldsOf(schema, maker)
  const check = schema.additionalProperties === false ? undefined : maker.check(schema.additionalProperties as Json)
  return (value, run) => {
    if (!isObject(value)) return
    for (const key of Object.keys(value)) {
      run.evaluated?.names.add(key)
      if (fields.has(key) || patterns.some(([pattern]) => pattern.test(key))) continue
      if (check) within(check, value[key], run, key)
      else {
        const message = 'must NOT have additional properties'
        add(run, 'additionalProperties', false, schema, value, { additionalProperty: key }, message)
      }
    }
  }
}

const properties: Keyword = (schema, maker) => {
  const { fields, patterns } = fieldsOf(schema, maker)
  return (value, run) => {
    if (!isObject(value)) return
    for (const [key, check] of fields) {
      run.evaluated?.names.add(key)
      if (has(value, key)) within(check, value[key], run, key)
    }
    for (const [pattern, check] of patterns) {
      for (const key of Object.keys(value).filter((it) => pattern.test(it))) {
        run.evaluated?.names.add(key)
        within(check, value[key], run, key)
      }
    }
  }
}

/** What a value needs that has a property: the names of others, or a schema. */
const dependent =
  (keyword: 'dependencies' | 'dependentRequired' | 'dependentSchemas'): Keyword =>
  (schema, maker) => {
    const all = Object.entries(schema[keyword] as JsonObject)
    const needed = all.filter((it): it is [string, string[]] => Array.isArray(it[1]))
    const schemas = all.filter(([, it]) => !Array.isArray(it)).map(([key, it]) => [key, maker.check(it)] as const)
    return (value, run) => {
      if (!isObject(value)) return
      for (const [property, names] of needed) {
        if (!has(value, property)) continue
        for (const missingProperty of names.filter((name) => !has(value, name))) {
          const params = { property, missingProperty, depsCount: names.length, deps: names.join(', ') }
          const what = names.length === 1 ? 'property' : 'properties'
          const message = `must have ${what} ${params.deps} when property ${property} is present`
          add(run, keyword, schema[keyword] as Json, schema, value, params, message)
        }
      }
      for (const [property, check] of schemas) if (has(value, property)) check(value, run)
    }
  }

/** A field may be called toString. */
function has(value: JsonObject, name: string): boolean {
  return value[name] !== undefined && Object.hasOwn(value, name)
}

function within(check: SchemaCheck | undefined, value: unknown, run: ValidationRun, step: string): void {
  if (!check) return
  const { path, evaluated } = run
  run.path = `${path}/${step.includes('/') || step.includes('~') ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step}`
  run.evaluated = undefined
  check(value, run)
  run.path = path
  run.evaluated = evaluated
}

interface Group {
  type?: string
  keywords: Keywords
}

/** All keywords except `type`, in the order in which ajv reports errors. */
export const groups: readonly Group[] = [
  {
    keywords: [
      [['$ref'], reference],
      ...values,
      [['not'], not],
      [['anyOf'], branches('anyOf', 'must match a schema in anyOf')],
      [['oneOf'], branches('oneOf', 'must match exactly one schema in oneOf')],
      [['allOf'], allOf],
      [['if'], condition],
      ...marks
    ]
  },
  { type: 'number', keywords: numbers },
  { type: 'string', keywords: strings },
  {
    type: 'array',
    keywords: [
      ...lists,
      [['items', 'prefixItems'], itemsOf],
      [['contains'], contains],
      [['uniqueItems'], uniqueItems],
      [['unevaluatedItems'], unevaluatedItems]
    ]
  },
  {
    type: 'object',
    keywords: [
      ...objects,
      [['required'], required],
      [['propertyNames'], propertyNames],
      [['additionalProperties'], additionalProperties],
      [['dependencies'], dependent('dependencies')],
      [['properties', 'patternProperties'], properties],
      [['dependentRequired'], dependent('dependentRequired')],
      [['dependentSchemas'], dependent('dependentSchemas')],
      [['unevaluatedProperties'], unevaluatedProperties]
    ]
  }
]
