import type { Contract, Operation, RefusalRow, ResponseRow } from './contract.js'
import { type Documents, follow, isObject, type Json, type JsonObject } from './load.js'
import { exampleValues, formOf, refusalsOf } from './outcomes.js'
import { fill } from './refusal.js'

/** The version of the description that the contracts are of: it has no other. */
export const interfaceVersion = '1.0.0'

/**
 * The OpenAPI 3.1 document of a contract, derived from it alone. `server`: the base address to name; `control`: whether
 * the control API is in it too.
 */
export function openapiOf(contract: Contract, server = 'http://127.0.0.1:4010', control = false): JsonObject {
  const operations = [...contract.operations.values()].sort((a, b) => number(a) - number(b))
  if (control) operations.push(...contract.control.values())
  const paths: Record<string, JsonObject> = {}
  for (const operation of operations) {
    const item = paths[operation.path] ?? {}
    item[operation.method.toLowerCase()] = operationObject(contract, operation)
    paths[operation.path] = item
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Knowledge Chat Platform Management API',
      version: interfaceVersion,
      description:
        'Chat sessions, agents (personas), connectors, credentials, projects, user files, users, tools, limits and web content. What the description of the interface leaves open is marked x-assumed, with the id of the assumption.',
      license: { name: 'MIT', identifier: 'MIT' }
    },
    servers: [{ url: server }],
    security: [{ bearer: [] }],
    tags: tagsOf(contract, operations),
    paths,
    components: {
      schemas: schemasOf(contract, control),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The key of a user: admin, curator or basic (section 5).'
        }
      }
    }
  }
}

function number(operation: Operation): number {
  return Number(operation.code.replace(/\D/g, '')) || Number.MAX_SAFE_INTEGER
}

function tagsOf(contract: Contract, operations: Operation[]): Json {
  return [...new Set(operations.map((operation) => operation.resource))].map((resource) => {
    const { title, description } = contract.documents[`${resource}.json`] as { title: string; description: string }
    return { name: resource, 'x-displayName': title, description }
  })
}

function schemasOf(contract: Contract, control: boolean): JsonObject {
  const schemas: JsonObject = {}
  for (const document of Object.values(contract.documents)) {
    if (document.control && !control) continue
    for (const [name, schema] of Object.entries((document.$defs ?? {}) as JsonObject)) {
      schemas[name] = published(contract.documents, schema)
    }
  }
  return schemas
}

function operationObject(contract: Contract, operation: Operation): JsonObject {
  const { input } = operation
  const result: JsonObject = {
    operationId: operation.id,
    tags: [operation.resource],
    summary: operation.summary,
    description: operation.control
      ? 'Of the mock itself.'
      : `${operation.description}\n\n*${operation.code} of the description.*`
  }
  const parameters = [...parametersOf(contract, operation, 'path'), ...parametersOf(contract, operation, 'query')]
  if (parameters.length > 0) result.parameters = parameters
  if (input.body) {
    const media: JsonObject = { schema: published(contract.documents, input.body) }
    if (!operation.form) media.examples = examplesOf(operation)
    result.requestBody = {
      required: true,
      content: { [operation.form ? 'multipart/form-data' : 'application/json']: media }
    }
  }
  result.responses = responsesOf(contract, operation)
  return result
}

function parametersOf(contract: Contract, operation: Operation, place: 'path' | 'query'): JsonObject[] {
  const schema = operation.input[place]
  if (!schema) return []
  const required = (schema.required ?? []) as string[]
  return Object.entries((schema.properties ?? {}) as Record<string, JsonObject>).map(([name, field]) => {
    const { description, ...rest } = field
    const parameter: JsonObject = {
      name,
      in: place,
      required: required.includes(name),
      schema: published(contract.documents, rest)
    }
    if (description) parameter.description = description
    return parameter
  })
}

function examplesOf(operation: Operation): JsonObject {
  const bodies = Object.entries(operation.examples).filter(([, example]) => example.body !== undefined)
  return Object.fromEntries(bodies.map(([name, example]) => [name, { value: example.body as Json }]))
}

function responsesOf(contract: Contract, operation: Operation): JsonObject {
  const responses: JsonObject = {}
  for (const [status, row] of Object.entries(operation.responses)) {
    responses[status] = responseObject(contract, row)
  }
  if (operation.control) return { ...responses, default: problemObject() }
  const refusals = refusalsOf(contract, operation)
  for (const status of new Set(Object.values(refusals).map((row) => row.status))) {
    const rows = Object.entries(refusals).filter(([, row]) => row.status === status)
    responses[status] = refusalObject(operation, rows)
  }
  responses[422] = {
    description: 'The request breaks the contract (2.16)',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ValidationError' } } }
  }
  return responses
}

function responseObject(contract: Contract, row: ResponseRow): JsonObject {
  const { description, media = 'application/json', schema } = row
  if (!schema) return { description }
  const examples = Object.entries(row.examples ?? {}).map(([name, value]) => [name, { value }])
  const content = { schema: published(contract.documents, schema), examples: Object.fromEntries(examples) }
  return { description, content: { [media]: content } }
}

function problemObject(): JsonObject {
  const schema = { $ref: '#/components/schemas/Problem' }
  return { description: 'A problem document (RFC 9457)', content: { 'application/problem+json': { schema } } }
}

/** Refusals of one status: all of them are assumed, because the description shows 200 and 422 only (7.3). */
function refusalObject({ examples }: Operation, rows: [string, RefusalRow][]): JsonObject {
  const path = Object.values(examples)[0]?.path ?? {}
  const exampleOf = (row: RefusalRow): Json => ({ value: fill(row.body, exampleValues(row, path)) })
  const forms = new Set(rows.map(([, row]) => formOf(row)))
  const schemas = [...forms].map((name) => ({ $ref: `#/components/schemas/${name}` }))
  return {
    description: rows.map(([reason]) => reason.replaceAll('-', ' ')).join(', or '),
    'x-assumed': [...new Set(rows.flatMap(([, row]) => row.assumed))],
    content: {
      'application/json': {
        schema: schemas.length === 1 ? (schemas[0] as JsonObject) : { anyOf: schemas },
        examples: Object.fromEntries(rows.map(([reason, row]) => [reason, exampleOf(row)]))
      }
    }
  }
}

/** A schema as OpenAPI has it: references into components, files as binary, without the mock's own marks. */
function published(documents: Documents, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => published(documents, item))
  if (!isObject(value)) return value
  const { $ref, ...own } = value
  const result = typeof $ref === 'string' ? publishedReference(documents, $ref) : {}
  for (const [key, item] of Object.entries(own)) {
    if (key === 'examples') result.examples = item
    else if (key === 'x-null') result['x-assumed'] = item
    // What JSON Schema says with contentMediaType alone, explorers know by this.
    else if (key === 'x-file') Object.assign(result, { type: 'string', format: 'binary' })
    else if (!['tsType', 'x-documented', 'x-embedded', 'x-secret'].includes(key))
      result[key] = published(documents, item)
  }
  return result
}

/**
 * `chat.json#/$defs/X` is `#/components/schemas/X`. What lies below a schema, such as `#/$defs/X/properties/y`, is put
 * in its place: not every tool follows a reference to there.
 */
function publishedReference(documents: Documents, reference: string): JsonObject {
  const name = /#\/\$defs\/([^/]+)$/.exec(reference)?.[1]
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  return published(documents, follow(documents, reference)) as JsonObject
}
