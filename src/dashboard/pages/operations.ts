import { call } from './client.js'

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
  assumed: readonly string[]
  parameters: Parameter[]
  body?:
    | { kind: 'json' | 'text'; type: string; examples: Record<string, unknown> }
    | { kind: 'form'; fields: Parameter[] }
  /** The documented answers that have examples. */
  outcomes: { label: string; status: number; body: unknown }[]
}

type Schema = Record<string, unknown>
type Content = Record<string, { schema?: Schema; example?: unknown; examples?: Record<string, { value?: unknown }> }>

interface DocumentedOperation {
  operationId: string
  summary?: string
  description?: string
  'x-assumed'?: string[]
  parameters?: Schema[]
  requestBody?: { content?: Content }
  responses: Record<string, { content?: Content }>
}

/** All operations, the platform's before the user's own. */
export async function readOperations(): Promise<Operation[]> {
  const all = operationsIn(await call('getOpenapi'))
  return [...all.filter(({ code }) => code !== ''), ...all.filter(({ code }) => code === '')]
}

export async function readOperation(id: string): Promise<Operation> {
  return operationsIn(await call('getOperation', { path: { id }, query: { full: true } }))[0] as Operation
}

function operationsIn(document: object): Operation[] {
  const { paths, components } = document as {
    paths: Record<string, Record<string, DocumentedOperation>>
    components?: { schemas?: Record<string, Schema> }
  }
  const follow = (schema: Schema = {}): Schema => {
    const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').pop() : undefined
    return name === undefined ? schema : follow(components?.schemas?.[name])
  }
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: operation.operationId,
      code: /^\*(E\d+) of /m.exec(operation.description ?? '')?.[1] ?? '',
      method: method.toUpperCase(),
      path,
      summary: operation.summary ?? '',
      assumed: operation['x-assumed'] ?? [],
      parameters: (operation.parameters ?? []).map((it) => parameterOf(it, follow)),
      body: bodyOf(operation, follow),
      outcomes: outcomesOf(operation)
    }))
  )
}

type Follow = (schema?: Schema) => Schema

function parameterOf(parameter: Schema, follow: Follow): Parameter {
  const { name, in: place, required = false, example, examples, explode = true } = parameter
  const property = (parameter.schema ?? {}) as Schema
  const schema = follow(property)
  const isList = schema.type === 'array'
  const item = isList ? follow(schema.items as Schema) : schema
  const [first] = Object.values((examples ?? {}) as Record<string, { value?: unknown }>)
  const shown = example ?? first?.value ?? (schema.examples as unknown[] | undefined)?.[0]
  const values = item.enum ?? (item.type === 'boolean' ? [true, false] : undefined)
  return {
    name: String(name),
    in: place as Parameter['in'],
    required: required === true,
    description: (parameter.description ?? property.description ?? schema.description) as string | undefined,
    isFile: item.format === 'binary',
    values: (values as unknown[] | undefined)?.map(String),
    type: [schema.type].flat().join(' or '),
    isList,
    isExploded: explode !== false,
    example: shown === undefined ? undefined : [shown].flat().join(',')
  }
}

function bodyOf({ requestBody }: DocumentedOperation, follow: Follow): Operation['body'] {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (type === undefined || !content) return undefined
  if (/^multipart\//i.test(type)) {
    const { properties = {}, required = [] } = follow(content.schema) as { properties?: object; required?: string[] }
    const fields = Object.entries(properties).map(([name, schema]) =>
      parameterOf({ name, in: 'form', required: required.includes(name), schema }, follow)
    )
    return { kind: 'form', fields }
  }
  return { kind: /json/i.test(type) ? 'json' : 'text', type, examples: Object.fromEntries(examplesOf(content)) }
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

function examplesOf({ example, examples }: Content[string]): [name: string, value: unknown][] {
  const named = examples ?? (example === undefined ? {} : { example: { value: example } })
  return Object.entries(named).map(([name, { value }]) => [name, value])
}

export function paramsIn(path: string, url = ''): Record<string, string> {
  const parts = (url.split('?')[0] as string).split('/')
  const entries = path.split('/').flatMap((part, at) => {
    const name = /^\{([^{}]+)\}$/.exec(part)?.[1]
    return name === undefined ? [] : [[name, decodeURIComponent(parts[at] ?? '')]]
  })
  return Object.fromEntries(entries)
}
