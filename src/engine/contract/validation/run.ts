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
  /** The errors of recursive schemas so far, by value. */
  results: Map<SchemaCheck, Map<unknown, ErrorObject[]>>
  /** What of the value was checked so far. Absent: no schema asks. */
  evaluated: Evaluated | undefined
}

/** The fields of a value that schemas have checked, and the number of its items. */
export interface Evaluated {
  names: Set<string>
  items: number
}

export const nothingEvaluated = (): Evaluated => ({ names: new Set(), items: 0 })

export function addEvaluated(to: Evaluated | undefined, { names, items }: Evaluated): void {
  if (!to) return
  for (const name of names) to.names.add(name)
  to.items = Math.max(to.items, items)
}

/** Checks a value and adds its errors to those of the run. */
export type SchemaCheck = (value: unknown, run: ValidationRun) => void

/** The context in which keywords are created. */
export interface Maker {
  check(schema: Json): SchemaCheck
  reference(to: string): SchemaCheck
  formats: ReadonlyMap<string, Format>
  regExp(pattern: string): { test(text: string): boolean }
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
