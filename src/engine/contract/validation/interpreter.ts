import type { ValidateFunction } from 'ajv'
import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import {
  holds,
  type Keyword,
  type Keywords,
  lists,
  marks,
  numbers,
  objects,
  strings,
  type,
  values
} from './keywords.js'
import { add, type Format, type Maker, type SchemaCheck, type ValidationRun } from './run.js'

interface Options {
  formats?: Record<string, Format>
  code?: { regExp?: (pattern: string) => RegExp }
}

/**
 * Checks values by schemas as ajv does, with the same errors, but without generating code, which pages may not allow
 * (`script-src 'self'`). It has the parts of ajv that this folder and `own/` call. It ignores unknown keywords.
 */
export class Ajv2020 {
  readonly opts: { unevaluated?: boolean } = {}
  private readonly documents: Documents = {}
  private readonly checks = new Map<JsonObject, SchemaCheck>()
  private readonly references = new Map<string, SchemaCheck>()
  private readonly formats: Map<string, Format>
  private readonly maker: Maker

  constructor({ formats = {}, code }: Options) {
    this.formats = new Map(Object.entries(formats))
    this.maker = {
      check: (schema) => this.checkOf(schema),
      reference: (to) => this.referenced(to),
      formats: this.formats,
      regExp: code?.regExp ?? ((pattern) => new RegExp(pattern, 'u'))
    }
  }

  addSchema(document: JsonObject, name: string): void {
    this.documents[name] = document
  }

  addFormat(name: string, format: Format): void {
    this.formats.set(name, format)
  }

  /** The keywords that we use are built in. */
  addKeyword(): void {}

  compile(schema: Json): ValidateFunction {
    const check = this.checkOf(schema)
    const validate = function (this: unknown, value: unknown): boolean {
      const run: ValidationRun = { context: this, errors: [], path: '' }
      check(value, run)
      validate.errors = run.errors.length > 0 ? run.errors : null
      return run.errors.length === 0
    } as ValidateFunction
    return validate
  }

  private checkOf(schema: Json): SchemaCheck {
    if (!isObject(schema)) return schema === false ? refuse : () => {}
    const known = this.checks.get(schema)
    if (known) return known
    // A schema may contain itself.
    let made: SchemaCheck | undefined
    const later: SchemaCheck = (value, run) => {
      made ??= this.made(schema)
      made(value, run)
    }
    this.checks.set(schema, later)
    return later
  }

  private made(schema: JsonObject): SchemaCheck {
    let isTyped = schema.type === undefined
    const parts = groups.flatMap(({ type: kind, keywords }) => {
      const asked = keywords.filter(([names]) => names.some((name) => schema[name] !== undefined))
      const checks = asked.map(([, make]) => make(schema, this.maker))
      // ajv checks the type where it first needs it.
      if (isTyped || kind !== schema.type || checks.length === 0) return checks
      isTyped = true
      return [type(schema, this.maker), ...checks]
    })
    if (!isTyped) parts.unshift(type(schema, this.maker))
    const [only] = parts
    if (parts.length === 1 && only) return only
    return (value, run) => {
      for (const part of parts) part(value, run)
    }
  }

  private referenced(reference: string): SchemaCheck {
    const known = this.references.get(reference)
    if (known) return known
    const check = this.checkOf(follow(this.documents, reference))
    this.references.set(reference, check)
    return check
  }
}

const refuse: SchemaCheck = (value, run) => {
  add(run, 'false schema', false, {}, value, {}, 'boolean schema is false')
}

const reference: Keyword = (schema, maker) => maker.reference(schema.$ref as string)

const not: Keyword = (schema, maker) => {
  const check = maker.check(schema.not as Json)
  return (value, run) => {
    if (holds(check, value, run)) add(run, 'not', schema.not as Json, schema, value, {}, 'must NOT be valid')
  }
}

const anyOf: Keyword = (schema, maker) => {
  const parts = schema.anyOf as Json[]
  const checks = parts.map(maker.check)
  return (value, run) => {
    const errors: ValidationRun['errors'] = []
    if (checks.some((check) => holds(check, value, run, errors))) return
    run.errors.push(...errors)
    add(run, 'anyOf', parts, schema, value, {}, 'must match a schema in anyOf')
  }
}

const oneOf: Keyword = (schema, maker) => {
  const parts = schema.oneOf as Json[]
  const checks = parts.map(maker.check)
  return (value, run) => {
    const errors: ValidationRun['errors'] = []
    const passing = checks.flatMap((check, at) => (holds(check, value, run, errors) ? [at] : []))
    if (passing.length === 1) return
    if (passing.length === 0) run.errors.push(...errors)
    const passingSchemas = passing.length === 0 ? null : passing.slice(0, 2)
    add(run, 'oneOf', parts, schema, value, { passingSchemas }, 'must match exactly one schema in oneOf')
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
    const failingKeyword = holds(check, value, run) ? 'then' : 'else'
    const next = failingKeyword === 'then' ? yes : no
    if (!next || holds(next, value, run, run.errors)) return
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
  }
}

const contains: Keyword = (schema, maker) => {
  const check = maker.check(schema.contains as Json)
  const { minContains: least = 1, maxContains: most } = schema as { minContains?: number; maxContains?: number }
  return (value, run) => {
    if (!Array.isArray(value)) return
    const count = value.filter((item) => holds(check, item, run)).length
    if (count >= least && (most === undefined || count <= most)) return
    const limits = { minContains: least, ...(most !== undefined && { maxContains: most }) }
    const more = most === undefined ? '' : ` and no more than ${most}`
    add(
      run,
      'contains',
      schema.contains as Json,
      schema,
      value,
      limits,
      `must contain at least ${least}${more} valid item(s)`
    )
  }
}

const required: Keyword = (schema) => {
  const names = schema.required as string[]
  return (value, run) => {
    if (!isObject(value)) return
    for (const name of names) {
      if (value[name] !== undefined) continue
      add(run, 'required', names, schema, value, { missingProperty: name }, `must have required property '${name}'`)
    }
  }
}

const propertyNames: Keyword = (schema, maker) => {
  const check = maker.check(schema.propertyNames as Json)
  return (value, run) => {
    if (!isObject(value)) return
    for (const propertyName of Object.keys(value)) {
      if (holds(check, propertyName, { ...run, name: propertyName }, run.errors)) continue
      const wanted = schema.propertyNames as Json
      add(run, 'propertyNames', wanted, schema, value, { propertyName }, 'property name must be valid')
    }
  }
}

/** `additionalProperties`, `properties` and `patternProperties`, which share what they cover. */
const properties: Keyword = (schema, maker) => {
  const named = new Map(
    Object.entries((schema.properties ?? {}) as JsonObject).map(([key, it]) => [key, maker.check(it)])
  )
  const patterns = Object.entries((schema.patternProperties ?? {}) as JsonObject).map(
    ([pattern, it]) => [maker.regExp(pattern), maker.check(it)] as const
  )
  const { additionalProperties: others } = schema
  const other = others === undefined || others === false ? undefined : maker.check(others)
  return (value, run) => {
    if (!isObject(value)) return
    if (others !== undefined) {
      for (const key of Object.keys(value)) {
        if (named.has(key) || patterns.some(([pattern]) => pattern.test(key))) continue
        if (other) within(other, value[key], run, key)
        else {
          const message = 'must NOT have additional properties'
          add(run, 'additionalProperties', false, schema, value, { additionalProperty: key }, message)
        }
      }
    }
    for (const [key, check] of named) if (value[key] !== undefined) within(check, value[key], run, key)
    for (const [pattern, check] of patterns) {
      for (const key of Object.keys(value)) if (pattern.test(key)) within(check, value[key], run, key)
    }
  }
}

const dependent: Keyword = (schema, maker) => {
  const needed = Object.entries((schema.dependentRequired ?? {}) as Record<string, string[]>)
  const schemas = Object.entries((schema.dependentSchemas ?? {}) as JsonObject).map(
    ([key, it]) => [key, maker.check(it)] as const
  )
  return (value, run) => {
    if (!isObject(value)) return
    for (const [property, names] of needed) {
      if (value[property] === undefined) continue
      for (const missingProperty of names.filter((name) => value[name] === undefined)) {
        const params = { property, missingProperty, depsCount: names.length, deps: names.join(', ') }
        const what = names.length === 1 ? 'property' : 'properties'
        const message = `must have ${what} ${params.deps} when property ${property} is present`
        add(run, 'dependentRequired', schema.dependentRequired as Json, schema, value, params, message)
      }
    }
    for (const [property, check] of schemas) if (value[property] !== undefined) check(value, run)
  }
}

/** Checks the contents of a value. */
function within(check: SchemaCheck | undefined, value: unknown, run: ValidationRun, step: string): void {
  if (!check) return
  const { path } = run
  run.path = `${path}/${step.includes('/') || step.includes('~') ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step}`
  check(value, run)
  run.path = path
}

interface Group {
  /** The type of values that they are for. */
  type?: string
  keywords: Keywords
}

/** All keywords except `type`, in the order in which ajv reports errors. */
export const groups: readonly Group[] = [
  { type: 'number', keywords: numbers },
  { type: 'string', keywords: strings },
  {
    keywords: [
      [['$ref'], reference],
      ...values,
      [['not'], not],
      [['anyOf'], anyOf],
      [['oneOf'], oneOf],
      [['allOf'], allOf],
      [['if'], condition],
      ...marks
    ]
  },
  { type: 'array', keywords: [...lists, [['contains'], contains], [['items', 'prefixItems'], itemsOf]] },
  {
    type: 'object',
    keywords: [
      ...objects,
      [['required'], required],
      [['propertyNames'], propertyNames],
      [['additionalProperties', 'properties', 'patternProperties'], properties],
      [['dependentRequired', 'dependentSchemas'], dependent]
    ]
  }
]
