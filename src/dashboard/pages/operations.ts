import { base, Gone, hasControl, send } from './client.js'
import { aboutIn, type JsonSchema, type Schemas, sampleOf, whole } from './send/schema.js'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie' | 'form'
  required: boolean
  description?: string
  values?: string[]
  type: string
  isList: boolean
  /** Whether the values of a list are separate parameters. */
  isExploded: boolean
  isFile: boolean
  example?: string
}

export interface Operation {
  id: string
  /** Its number in the description, such as E5. The user's own operations have none. */
  code: string
  method: string
  path: string
  summary: string
  tag: string
  /** In Markdown, without what pages show in another form. */
  about: string
  assumed: readonly string[]
  parameters: Parameter[]
  /** A form has fields, other bodies have examples. */
  body?: { kind: 'json' | 'text' | 'form'; type: string; examples: Record<string, unknown>; fields: Parameter[] }
  /** The documented answers that have examples. */
  outcomes: { label: string; status: number; body: unknown }[]
  documented: DocumentedOperation
}

type Examples = Record<string, { value?: unknown }>
type Content = Record<string, { schema?: JsonSchema; example?: unknown; examples?: Examples }>

export interface DocumentedParameter extends Pick<Parameter, 'name' | 'in'> {
  required?: boolean
  description?: string
  explode?: boolean
  schema?: JsonSchema
  example?: unknown
  examples?: Examples
  'x-assumed'?: string[]
}

interface DocumentedOperation {
  operationId: string
  tags?: string[]
  summary?: string
  description?: string
  'x-assumed'?: string[]
  parameters?: DocumentedParameter[]
  requestBody?: { required?: boolean; 'x-assumed'?: string[]; content?: Content }
  responses: Record<string, { description?: string; 'x-assumed'?: string[]; content?: Content }>
}

export interface OpenapiDocument {
  info: { title: string; version: string; description?: string }
  tags?: { name: string; 'x-displayName'?: string; description?: string }[]
  paths: Record<string, Record<string, DocumentedOperation>>
  components?: { schemas?: Schemas }
  /** The ledger, with the choices in force. */
  'x-assumptions'?: Record<string, { question: string; choice: string; choices: Record<string, string> }>
}

let latest: { text: string; document: OpenapiDocument; operations: Operation[] } | undefined

/** The document of the sandbox; without the control API, that of the mock. It stays the same object until it changes. */
export async function readDocument() {
  const answer = hasControl.value
    ? send('getOpenapi')
    : fetch(`${base}/openapi.json`).catch(() => Promise.reject(new Gone()))
  const text = await (await answer).text()
  if (latest?.text !== text) {
    const document: OpenapiDocument = JSON.parse(text)
    latest = { text, document, operations: operationsIn(document) }
  }
  return latest
}

/** All operations, the platform's before the user's own. */
export async function readOperations(): Promise<Operation[]> {
  const { operations: all } = await readDocument()
  return [...all.filter(({ code }) => code !== ''), ...all.filter(({ code }) => code === '')]
}

function operationsIn({ paths, components }: OpenapiDocument): Operation[] {
  const { schemas = {} } = components ?? {}
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: operation.operationId,
      code: /^\*(E\d+) of /m.exec(operation.description ?? '')?.[1] ?? '',
      method: method.toUpperCase(),
      path,
      summary: operation.summary ?? '',
      tag: operation.tags?.[0] ?? '',
      about: aboutIn(operation.description ?? ''),
      assumed: operation['x-assumed'] ?? [],
      parameters: (operation.parameters ?? []).map((it) => parameterOf(it, schemas)),
      body: bodyOf(operation, schemas),
      outcomes: outcomesOf(operation),
      documented: operation
    }))
  )
}

function parameterOf(parameter: DocumentedParameter, schemas: Schemas): Parameter {
  const { name, in: place, required = false, description, example, examples, explode = true } = parameter
  const schema = whole(parameter.schema ?? {}, schemas)
  const isList = schema.type === 'array'
  const item = isList ? whole(schema.items ?? {}, schemas) : schema
  const [first] = Object.values(examples ?? {})
  const shown = example ?? first?.value ?? schema.examples?.[0]
  const values = item.enum ?? (item.type === 'boolean' ? [true, false] : undefined)
  return {
    name,
    in: place,
    required,
    description: description ?? schema.description,
    isFile: item.format === 'binary',
    values: values?.map(String),
    type: [schema.type].flat().join(' or '),
    isList,
    isExploded: explode,
    example: shown === undefined ? undefined : [shown].flat().join(',')
  }
}

function bodyOf({ requestBody }: DocumentedOperation, schemas: Schemas): Operation['body'] {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (type === undefined || !content) return undefined
  if (/^multipart\//i.test(type)) {
    const { properties = {}, required = [] } = whole(content.schema ?? {}, schemas)
    const fieldEntries = Object.entries(properties).filter(([, schema]) => !schema.readOnly)
    const fields = fieldEntries.map(([name, schema]) =>
      parameterOf({ name, in: 'form', required: required.includes(name), schema }, schemas)
    )
    return { kind: 'form', type, examples: {}, fields }
  }
  const body = { type, examples: Object.fromEntries(examplesOf(content)), fields: [] }
  if (!/json/i.test(type)) return { kind: 'text', ...body }
  if (Object.keys(body.examples).length === 0)
    body.examples.sample = sampleOf(content.schema ?? {}, schemas, 'readOnly')
  return { kind: 'json', ...body }
}

/** The user's own documents also have the statuses 4XX and default, which no answer can have. */
function outcomesOf({ responses }: DocumentedOperation): Operation['outcomes'] {
  const numbered = Object.entries(responses).filter(([code]) => /^\d+$/.test(code))
  return numbered.flatMap(([code, { content = {} }]) =>
    Object.values(content)
      .flatMap(examplesOf)
      .map(([name, body]) => ({ label: `${code} ${name}`, status: Number(code), body }))
  )
}

export function examplesOf({ example, examples }: Content[string]): [name: string, value: unknown][] {
  const byName = examples ?? (example === undefined ? {} : { example: { value: example } })
  return Object.entries(byName).map(([name, { value }]) => [name, value])
}

export function paramsIn(path: string, url = ''): Record<string, string> {
  const parts = (url.split('?')[0] as string).split('/')
  const entries = path.split('/').flatMap((part, at) => {
    const name = /^\{([^{}]+)\}$/.exec(part)?.[1]
    return name === undefined ? [] : [[name, decodeURIComponent(parts[at] ?? '')]]
  })
  return Object.fromEntries(entries)
}
