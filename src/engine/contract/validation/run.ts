import type { ErrorObject } from 'ajv'
import type { Json, JsonObject } from '../load.js'

export type Format = true | RegExp | ((value: never) => boolean) | { type?: string; validate: Format }

/** One check: a value, and the errors so far. */
export interface ValidationRun {
  /** The `this` of the check. */
  context: unknown
  errors: ErrorObject[]
  path: string
  /** For the check of a name: the name. */
  name?: string
}

/** Checks a value and adds its errors to those of the run. */
export type SchemaCheck = (value: unknown, run: ValidationRun) => void

/** The context in which keywords are created. */
export interface Maker {
  check(schema: Json): SchemaCheck
  reference(to: string): SchemaCheck
  formats: ReadonlyMap<string, Format>
  regExp(pattern: string): RegExp
}

/** Adds an error of a keyword. */
export function add(
  { errors, path, name }: ValidationRun,
  keyword: string,
  schema: Json,
  parentSchema: JsonObject,
  data: unknown,
  params: object,
  message: string
): void {
  const error: ErrorObject = {
    instancePath: path,
    schemaPath: `#/${keyword}`,
    keyword,
    params,
    message,
    schema: schema as never,
    parentSchema,
    data
  }
  errors.push(name === undefined ? error : { ...error, propertyName: name })
}
