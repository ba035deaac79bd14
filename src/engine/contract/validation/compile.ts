import type { ValidateFunction } from 'ajv'
import type { Ajv2020, AnySchema } from 'ajv/dist/2020.js'
import { lazily } from '../lazy.js'
import { type Documents, isObject, type Json, type JsonObject, onFirstUse } from '../load.js'
import type { CollectionRow, ErrorForm, Operation } from '../model.js'
import { once } from '../once.js'
import { inputFormats, note, replyFormats } from './formats.js'

type Formats = Record<string, (text: string) => boolean>

/** Compiles the schemas of a contract with ajv. */
export function createValidators(documents: Documents): Validators {
  // Most of these check few values: optimizing their code takes longer than it saves.
  const ajvs = once(() => createAjvs(documents, { optimize: false }))
  return {
    input: (operation) => ajvs().inputs.compile(inputSchema(operation)),
    reply: (operation, status) => ajvs().others.compile(replySchema(operation, status)),
    error: (form) => ajvs().others.compile(errorSchema(form)),
    row: (collection) => ajvs().inputs.compile(collection.row)
  }
}

/** The name of a schema. The part before the slash names the file in which the build keeps it. */
export const inputKey = ({ id }: Operation) => `${id}/input`
export const replyKey = ({ id }: Operation, status: number | string) => `${id}/${status}`
export const errorKey = (form: ErrorForm) => `errors/${form}`
export const rowKey = ({ name }: CollectionRow) => `rows/${name}`

export function errorSchema(form: ErrorForm): AnySchema {
  return { $ref: `common.json#/$defs/${form}` }
}

export function replySchema(operation: Operation, status: number | string): AnySchema {
  return operation.responses[status]?.schema as AnySchema
}

/** The module that compiles schemas instead of ajv. */
export type AjvModule = Pick<typeof import('ajv/dist/2020.js'), 'Ajv2020'>

/** Two ajv instances: one reports fields of a request that the contract does not name, the other has the rest. */
export function createAjvs(
  documents: Documents,
  code: object = {},
  by?: AjvModule
): { inputs: Ajv2020; others: Ajv2020 } {
  const make = {
    inputs: () => {
      const closed = onFirstUse(Object.keys(documents), (name) => close(documents[name] as Json))
      return createAjv(closed, inputFormats, code, by)
    },
    others: () => createAjv(documents, replyFormats, code, by)
  }
  return onFirstUse(Object.keys(make), (name) => make[name as keyof typeof make]()) as ReturnType<typeof createAjvs>
}

/** One schema for the whole request, so that ajv's path is the loc of a ValidationError. */
export function inputSchema(operation: Operation): AnySchema {
  const parts = Object.keys(operation.input)
  const base = `${operation.resource}.json#/operations/${operation.id}/input`
  return {
    type: 'object',
    properties: {
      query: { type: 'object', additionalProperties: false },
      ...Object.fromEntries(parts.map((part) => [part, { $ref: `${base}/${part}` }]))
    },
    required: parts
  }
}

/** Closes every object with declared properties, so that unknown fields are reported. */
function close(value: Json): Json {
  if (Array.isArray(value)) return value.map(close)
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const [key, item] of Object.entries(value)) result[key] = close(item)
  if (result.type && isObject(result.properties) && result.additionalProperties === undefined) {
    result.additionalProperties = false
  }
  return result
}

function createAjv(documents: Record<string, Json>, formats: Formats, code: object, by?: AjvModule): Ajv2020 {
  const { Ajv2020: Ajv, _, stringify } = { ...(lazily('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')), ...by }
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    // The `this` of a check collects assumptions.
    passContext: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    // Each keyword checks its own value. Validating against the meta schemas would compile them again for each
    // contract, and any changed assumption may need another contract.
    validateSchema: false,
    meta: false,
    formats,
    code
  })
  for (const keyword of ['collections', 'operations', 'replies', 'refusals', 'access', 'guard', 'control'])
    ajv.addKeyword(keyword)
  for (const keyword of ['tsType', 'x-documented', 'x-embedded', 'x-secret', 'x-undocumented']) ajv.addKeyword(keyword)
  // Keywords are code generators, so that the build can compile schemas into a file.
  ajv.addKeyword({
    keyword: 'x-file',
    code: (it) => it.pass(_`typeof ${it.data} === "object" && ${it.data} !== null && "bytes" in ${it.data}`)
  })
  ajv.addKeyword({
    keyword: 'x-null',
    code: ({ gen, data, schema }) => {
      gen.if(_`${data} === null`, () => {
        const ids = gen.scopeValue('obj', { ref: schema, code: stringify(schema) })
        gen.code(_`${gen.scopeValue('func', { ref: note, code: _`note` })}.call(this, ${ids}, null)`)
      })
    }
  })
  ajv.addKeyword({
    keyword: 'x-assumed',
    code({ gen, data, schema, parentSchema }) {
      const documented = parentSchema['x-documented'] as unknown[] | true | undefined
      // The rule itself reports when its reply depends on the assumption.
      if (documented === true) return
      const call = gen.scopeValue('func', { ref: note, code: _`note` })
      const values = documented === undefined ? _`undefined` : gen.scopeValue('obj', literal(documented))
      gen.code(_`${call}.call(this, ${gen.scopeValue('obj', literal(schema))}, ${data}, ${values})`)

      function literal(value: unknown) {
        return { ref: value, code: stringify(value) }
      }
    }
  })
  // Adding a document takes milliseconds, and most schemas refer to few.
  const added = new Set<string>()
  const add = (schema: unknown): void => {
    for (const [, file = ''] of JSON.stringify(schema).matchAll(/"\$ref":"([^"#]+)#/g)) {
      if (added.has(file)) continue
      added.add(file)
      ajv.addSchema(documents[file] as JsonObject, file)
      add(documents[file])
    }
  }
  const compile = ajv.compile.bind(ajv)
  ajv.compile = ((schema: AnySchema) => {
    add(schema)
    return compile(schema)
  }) as typeof ajv.compile
  return ajv
}

export interface Validators {
  input(operation: Operation): ValidateFunction
  reply(operation: Operation, status: number): ValidateFunction
  error(form: ErrorForm): ValidateFunction
  row(collection: CollectionRow): ValidateFunction
}
