import { call } from '../client.js'

/** A parameter as the operation's document describes it. */
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required: boolean
  description: string | undefined
  /** The valid values, if they are few. */
  values: string[] | undefined
  type: string
  isList: boolean
  /** Whether the values of a list are separate parameters. */
  isExploded: boolean
  /** A working value. */
  example: string | undefined
}

/** A field of a form. */
export interface FormField {
  name: string
  required: boolean
  description: string | undefined
  isFile: boolean
  isList: boolean
}

/** What the page needs to know about an operation. */
export interface OperationForm {
  id: string
  method: string
  path: string
  summary: string
  /** The assumptions that its document depends on. */
  assumed: readonly string[]
  parameters: Parameter[]
  body?:
    | { kind: 'json' | 'text'; type: string; examples: Record<string, unknown> }
    | { kind: 'form'; fields: FormField[] }
}

type Schema = Record<string, unknown>
interface Documented {
  operationId: string
  summary?: string
  'x-assumed'?: string[]
  parameters?: Schema[]
  requestBody?: {
    content?: Record<string, { schema?: Schema; example?: unknown; examples?: Record<string, { value?: unknown }> }>
  }
}

export async function readOperation(id: string): Promise<OperationForm> {
  const document = (await call('getOperation', { path: { id } })) as {
    paths: Record<string, Record<string, Documented>>
    components?: { schemas?: Record<string, Schema> }
  }
  const [path, item] = Object.entries(document.paths)[0] as [string, Record<string, Documented>]
  const [method, operation] = Object.entries(item)[0] as [string, Documented]
  const follow = (schema: Schema = {}): Schema => {
    const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').pop() : undefined
    return name === undefined ? schema : follow(document.components?.schemas?.[name] ?? {})
  }
  const body = bodyOf(operation, follow)
  return {
    id,
    method: method.toUpperCase(),
    path,
    summary: operation.summary ?? '',
    assumed: operation['x-assumed'] ?? [],
    parameters: (operation.parameters ?? []).map((it) => parameterOf(it, follow)),
    ...(body && { body })
  }
}

type Follow = (schema?: Schema) => Schema

function parameterOf(parameter: Schema, follow: Follow): Parameter {
  const { name, in: place, required = false, description, example, examples, explode = true } = parameter
  const schema = follow(parameter.schema as Schema)
  const isList = schema.type === 'array'
  const item = isList ? follow(schema.items as Schema) : schema
  const [first] = Object.values((examples ?? {}) as Record<string, { value?: unknown }>)
  const shown = example ?? first?.value ?? (schema.examples as unknown[] | undefined)?.[0]
  return {
    name: String(name),
    in: place as Parameter['in'],
    required: required === true,
    description: description as string | undefined,
    values:
      (item.enum as unknown[] | undefined)?.map(String) ?? (item.type === 'boolean' ? ['true', 'false'] : undefined),
    type: [schema.type].flat().join(' or '),
    isList,
    isExploded: explode !== false,
    example: shown === undefined ? undefined : [shown].flat().join(',')
  } as Parameter
}

function bodyOf({ requestBody }: Documented, follow: Follow): OperationForm['body'] {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (type === undefined || !content) return undefined
  if (/^multipart\//i.test(type)) return { kind: 'form', fields: fieldsOf(follow(content.schema), follow) }
  const { example, examples = example === undefined ? {} : { example: { value: example } } } = content
  const values = Object.fromEntries(Object.entries(examples).map(([name, { value }]) => [name, value]))
  return { kind: /json/i.test(type) ? 'json' : 'text', type, examples: values }
}

function fieldsOf({ properties = {}, required = [] }: Schema, follow: Follow): FormField[] {
  return Object.entries(properties as Record<string, Schema>).map(([name, property]) => {
    const schema = follow(property)
    const item = schema.type === 'array' ? follow(schema.items as Schema) : schema
    return {
      name,
      required: (required as string[]).includes(name),
      description: (property.description ?? schema.description) as string | undefined,
      isFile: item.format === 'binary',
      isList: schema.type === 'array'
    }
  })
}
