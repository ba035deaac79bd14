import type { Contract, Operation } from '../contract/contract.js'
import type { JsonObject } from '../contract/load.js'
import { openapiOf } from '../contract/openapi/openapi.js'
import type { Ledger } from '../contract/validation/assumption-lists.js'

type Content = Record<string, { schema: JsonObject }>
type Described = { responses: Record<string, { content?: Content }> }

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/**
 * Prints the OpenAPI document as the types `paths` and `components`, in the shape that openapi-typescript gives them and
 * that typed clients expect. What they are made of are the types of `types.gen.ts`, as `printed`.
 */
export function printPaths(contract: Contract, ledger: Ledger, printed: string): string {
  const document = openapiOf(contract, ledger)
  const operations = new Map([...contract.operations.values()].map((it) => [it.id, it]))
  const paths = Object.entries(document.paths as Record<string, Record<string, { operationId: string } & Described>>)
  const { schemas } = document.components as { schemas: JsonObject }
  return [
    '// Printed from contracts/ by npm run build. Do not edit.',
    "import type * as types from './types.gen.js'",
    'type Operations = types.Operations',
    '/** A form as it is sent: files are binary. */',
    'type Sent<Value> = Value extends types.File ? string : Value extends (infer Item)[] ? Sent<Item>[] : Value',
    'type Form<Body> = { [Field in keyof Body]: Sent<Body[Field]> }',
    'interface NoParameters { query?: never; header?: never; path?: never; cookie?: never }',
    'type Headers = { [name: string]: unknown }',
    '/** The operations by path and method, in the shape of openapi-typescript. */',
    'export interface paths {',
    ...paths.flatMap(([path, item]) => [
      `  '${path}': {`,
      '    parameters: NoParameters',
      ...methods.map((method) => {
        const described = item[method]
        return described
          ? `    ${method}: ${operationType(operations.get(described.operationId) as Operation, described)}`
          : `    ${method}?: never`
      }),
      '  }'
    ]),
    '}',
    '/** The schemas by name, in the shape of openapi-typescript. */',
    'export interface components {',
    '  schemas: {',
    ...Object.keys(schemas).map((name) => `    ${name}: ${schemaType(name, printed)}`),
    '  }',
    '  responses: never',
    '  parameters: never',
    '  requestBodies: never',
    '  headers: never',
    '  pathItems: never',
    '}\n'
  ].join('\n')
}

/** Files are binary; what the contracts give no type of its own may be anything by name. */
function schemaType(name: string, printed: string): string {
  if (name === 'File') return 'string'
  return new RegExp(`export (type|interface) ${name}\\b`).test(printed)
    ? `types.${name}`
    : '{ [name: string]: unknown }'
}

function operationType(operation: Operation, { responses }: Described): string {
  const input = `Operations['${operation.id}']['input']`
  const part = (name: 'query' | 'path') => {
    const isNeeded = ((operation.input[name]?.required ?? []) as string[]).length > 0
    return operation.input[name] ? `${name}${isNeeded ? '' : '?'}: ${input}['${name}']` : `${name}?: never`
  }
  const body = operation.form
    ? `requestBody: { content: { 'multipart/form-data': Form<${input}['body']> } }`
    : `requestBody: { content: { 'application/json': ${input}['body'] } }`
  const statuses = Object.entries(responses).map(([status, { content }]) => {
    const media = Object.entries(content ?? {}).map(([type, { schema }]) => `'${type}': ${typeOf(operation, schema)}`)
    return `${status}: { headers: Headers; ${media.length > 0 ? `content: { ${media.join('; ')} }` : 'content?: never'} }`
  })
  return [
    `{ parameters: { ${part('query')}; header?: never; ${part('path')}; cookie?: never }`,
    operation.input.body ? body : 'requestBody?: never',
    `responses: { ${statuses.join('; ')} } }`
  ].join('; ')
}

/** A schema with a name is that type; what has none is the reply of the operation. */
function typeOf({ id }: Operation, schema: JsonObject): string {
  if (schema.type === 'null') return 'null'
  const names = [schema, ...((schema.anyOf ?? []) as JsonObject[])].flatMap(({ $ref }) =>
    typeof $ref === 'string' ? `types.${$ref.replace('#/components/schemas/', '')}` : []
  )
  return names.length > 0 ? names.join(' | ') : `Operations['${id}']['reply']`
}
