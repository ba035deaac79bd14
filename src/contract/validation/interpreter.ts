import type { ValidateFunction } from 'ajv'
import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import { groups } from './applicators.js'
import { type } from './keywords.js'
import { add, type Format, type Maker, type SchemaCheck, type ValidationRun } from './run.js'

interface Options {
  formats?: Record<string, Format>
  code?: { regExp?: (pattern: string) => RegExp }
}

/**
 * Checks values by schemas as ajv does, with the same errors, but without making code: pages may not allow that
 * (`script-src 'self'`). It has of ajv what this folder and `own/` call. Keywords that it does not know say nothing.
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

  /** Those that are used here are known. */
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
    // A schema may hold itself.
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
      // ajv looks at the type where it first needs to know it.
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
