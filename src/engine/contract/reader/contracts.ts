import { type Documents, follow, isObject, type Json, type JsonObject, schemaOf } from '../load.js'
import type { CollectionRow, Operation } from '../model.js'

/** What operations have, unless their contract says otherwise. */
const usual = {
  code: '',
  description: '',
  control: false,
  access: {},
  form: false,
  open: false,
  cost: 1,
  formLists: new Set<string>(),
  formObjects: [],
  isBodyRequired: true
}

export function readContract(
  documents: Documents,
  file: string
): { operations: Operation[]; collections: CollectionRow[] } {
  const { operations = {}, collections = {}, control = false } = documents[file] ?? {}
  const resource = file.replace(/\.json$/, '')
  return {
    operations: Object.entries(operations as Record<string, JsonObject>).map(([id, row]) =>
      operationOf(documents, { ...usual, control: control === true, id, resource }, row)
    ),
    collections: Object.entries(collections as Record<string, JsonObject>).map(
      ([name, row]) => ({ name, resource, ...row }) as unknown as CollectionRow
    )
  }
}

function operationOf(documents: Documents, start: Partial<Operation>, row: JsonObject): Operation {
  const { include, ...responses } = row.responses as JsonObject
  const shared = include ? (follow(documents, `common.json#/replies/${include}`) as JsonObject) : {}
  const { 'x-assumed': assumed = [], ...byStatus } = { ...shared, ...responses }
  const { 'x-assumed': _, ...examples } = row.examples as JsonObject
  const { 'x-assumed': __, ...refusals } = (row.refusals ?? {}) as JsonObject
  const { path, query, ...input } = (row.input ?? {}) as Operation['input']
  const fields = Object.entries((input.body?.properties ?? {}) as Record<string, JsonObject>)
  const { readOnly = false, ...traits } = Object.fromEntries(((row.traits ?? []) as string[]).map((it) => [it, true]))
  return {
    ...start,
    ...row,
    ...traits,
    isReading: row.method === 'GET' || readOnly,
    // Readers of path and query expect schemas instead of references. Operations may share them.
    input: {
      ...(path && { path: schemaOf(documents, path) }),
      ...(query && { query: schemaOf(documents, query) }),
      ...input
    },
    ...(query && defaultsIn(schemaOf(documents, query))),
    formLists: row.form
      ? new Set(fields.flatMap(([name, { type }]) => (type === 'array' ? name : [])))
      : start.formLists,
    refusals,
    examples: inline(documents, examples),
    responses: Object.fromEntries(
      Object.entries(byStatus).map(([status, response]) => {
        const { examples: byName, ...rest } = response as JsonObject
        return [status, { ...rest, assumed, ...(byName !== undefined && { examples: inline(documents, byName) }) }]
      })
    )
  } as unknown as Operation
}

/** The values of query parameters that a request leaves out. */
export function defaultsIn({ properties = {} }: JsonObject): Pick<Operation, 'defaults'> {
  const defaults = Object.entries(properties as JsonObject).flatMap(([name, schema]) =>
    isObject(schema) && schema.default !== undefined ? [[name, schema.default]] : []
  )
  return defaults.length > 0 ? { defaults: Object.fromEntries(defaults) } : {}
}

/** Replaces references between examples. Fields next to a reference are added, or replace those of the example. */
function inline(documents: Documents, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => inline(documents, item))
  if (!isObject(value)) return value
  const { $ref, ...rest } = value
  if (typeof $ref === 'string') return { ...(inline(documents, follow(documents, $ref)) as JsonObject), ...rest }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inline(documents, item)]))
}
