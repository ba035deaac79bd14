import { isJsonType } from '../json.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../load.js'
import { bodilessStatuses, isStreamType } from '../message/media.js'
import type { Operation, Place, ReadStyle, ResponseRow, Styles } from '../model.js'
import { flattened, markFiles } from '../schemas/schemas.js'
import { defaultsIn } from './contracts.js'
import type { Reader } from './schemas.js'

/** An operation of a document, and what is known of it. */
interface Described extends Pick<Operation, 'mock' | 'origin'> {
  base: string
  path: string[]
  operation: JsonObject
}

/** Reads an operation. `path`: its place, `base`: of its path; `isOfType` chooses among the types of its body. */
export function readOperation(reader: Reader, described: Described, isOfType = isJson): Operation {
  const { base, path, operation, mock, origin } = described
  const { document, key } = reader
  const [, rawPath, method] = path as [string, string, string]
  const template = plainPath(rawPath)
  const { input, lists, styles, defaults } = parametersOf(reader, template, operation, path)
  const { schema, isEither, ...body } = bodyOf(reader, operation, path, isOfType)
  const withForm = isEither && isOfType === isJson ? readOperation(reader, described, isForm) : undefined
  const { security: requirements = document.security ?? [] } = operation
  const security = Array.isArray(requirements) ? requirements : []
  if (security !== requirements) reader.wrong([...path, 'security'], 'security is a list of requirements')
  const responses = responsesOf(reader, operation, path)
  if (Object.keys(isObject(operation.responses) ? operation.responses : {}).length === 0) {
    reader.wrong([...path, 'responses'], 'an operation has at least one response')
  }
  const id = typeof operation.operationId === 'string' ? operation.operationId : idOf(method, base + template)
  if (schema) input.body = schema
  // Each field is named, because copying others into so large an object would take longer than all else here.
  return {
    code: '',
    control: false,
    cost: 1,
    id,
    resource: key.replace(/\.json$/, ''),
    method: method.toUpperCase(),
    isReading: method.toUpperCase() === 'GET',
    path: urlPath(base + template),
    summary: String(operation.summary ?? id),
    description: String(operation.description ?? ''),
    access: { paths: 'anyone', admins: 'anyone', matrix: 'anyone' },
    open: security.length === 0 || security.some((it) => isObject(it) && Object.keys(it).length === 0),
    input,
    responses,
    refusals: {},
    isRest: restForm.test(rawPath),
    lists,
    styles,
    defaults,
    form: body.form ?? false,
    formType: body.formType,
    formLists: body.formLists ?? new Set(),
    formObjects: body.formObjects ?? [],
    isUrlEncoded: true,
    jsonType: body.jsonType,
    media: body.media,
    examples: body.examples ?? {},
    isBodyRequired: body.isBodyRequired ?? false,
    withForm,
    mock,
    origin
  }
}

/** A path without the types of its parameters: `{n:int}`, and `{rest:path}`, `{rest+}` and `{rest*}` of several segments. */
export function plainPath(template: string): string {
  return template.replace(/\{([^{}:+*]+)(:\w+|[+*])\}/g, '{$1}')
}

/** FastAPI's documents leave out the type of a parameter, so its name counts too. */
const restForm = /\{([^{}]+(:path|[+*])|(\w+_)?path|\w+Path)\}$/

/** A path as requests write it: letters that are not allowed in URLs are encoded. */
export function urlPath(template: string): string {
  return template.replace(/\{[^{}]*\}|[^\x21-\x7e]+/g, (it) => (it.startsWith('{') ? it : encodeURIComponent(it)))
}

/** The id `getThingsById` for GET /things/{id}. */
export function idOf(method: string, path: string): string {
  const words = path
    .split('/')
    .filter(Boolean)
    .map((part) =>
      part
        .replace('{', 'by ')
        .replace(/[^A-Za-z0-9]+/g, ' ')
        .trim()
    )
  const name = words.join(' ').replace(/(?:^| )(.)/g, (_, letter) => letter.toUpperCase())
  return method.toLowerCase() + name
}

type Body = Partial<
  Pick<
    Operation,
    'form' | 'formType' | 'formLists' | 'formObjects' | 'jsonType' | 'media' | 'isBodyRequired' | 'examples'
  >
>

function bodyOf(
  reader: Reader,
  operation: JsonObject,
  at: string[],
  isOfType: (type: string) => boolean
): Body & { schema?: JsonObject; isEither?: boolean } {
  if (operation.requestBody === undefined) return {}
  const path = [...at, 'requestBody']
  const body = reader.resolved(operation.requestBody, path)
  if (!isObject(body) || !isObject(body.content)) {
    reader.wrong(path, 'a request body has content, an object of media types')
    return {}
  }
  const types = Object.keys(body.content)
  const type = types.find(isOfType) ?? types.find(isForm) ?? types[0]
  if (type === undefined) return {}
  const media = (isObject(body.content[type]) ? body.content[type] : {}) as JsonObject
  const schema = media.schema ?? {}
  reader.read(schema, [...path, 'content', type, 'schema'])
  const form = isForm(type)
  if (form && reader.mistakes.length === 0) markFiles(reader.documents, schema)
  // What is neither JSON nor a form is a text here, whatever it would be as an object.
  const isRead =
    isJson(type) || form || (reader.mistakes.length === 0 && schemaOf(reader.documents, schema).type === 'string')
  return {
    schema: (schema === true || !isRead ? {} : schema) as JsonObject,
    isEither: types.some(isJson) && types.some(isForm),
    isBodyRequired: body.required === true,
    ...(form && {
      form,
      formType: type,
      formLists: new Set(fieldsOf(reader, schema, 'array')),
      formObjects: fieldsOf(reader, schema, 'object')
    }),
    ...(isJsonType(type) && !types.some((it) => /^application\/json/i.test(it)) && { jsonType: type }),
    ...(!isJson(type) && !form && { media: types }),
    examples: Object.fromEntries(
      Object.entries(examplesOf(reader, media)).map(([name, value]) => [name, { body: value }])
    )
  }
}

function responsesOf(reader: Reader, operation: JsonObject, at: string[]): Record<string, ResponseRow> {
  const responses = isObject(operation.responses) ? operation.responses : {}
  return byStatus(
    Object.entries(responses).flatMap(([status, value]): [string, ResponseRow][] => {
      const path = [...at, 'responses', status]
      if (!/^([1-5](\d\d|XX)|default)$/.test(status)) {
        if (!status.startsWith('x-')) reader.wrong(path, `${status} is not a status: give 200, 4XX or default`)
        return []
      }
      const response = reader.resolved(value, path)
      if (!isObject(response)) {
        if (response !== undefined) reader.wrong(path, 'a response is an object')
        return []
      }
      const row: ResponseRow = { description: String(response.description ?? ''), assumed: [] }
      const headers = isObject(response.headers) ? headersOf(reader, response.headers, path) : {}
      if (Object.keys(headers).length > 0) row.headers = headers
      const content = isObject(response.content) && !bodilessStatuses.includes(Number(status)) ? response.content : {}
      const type = Object.keys(content).find(isJson) ?? Object.keys(content)[0]
      if (type === undefined) return [[status, row]]
      if (!isMediaType(type)) reader.wrong([...path, 'content', type], `${type} is not a media type`)
      const media = (isObject(content[type]) ? content[type] : {}) as JsonObject
      // OpenAPI 3.2 describes the values of a stream.
      const schema = (isStreamType(type) ? media.itemSchema : undefined) ?? media.schema ?? {}
      reader.read(schema, [...path, 'content', type, 'schema'])
      row.schema = isJson(type) || isStreamType(type) ? (schema as JsonObject) : { type: 'string' }
      row.examples = examplesOf(reader, media)
      if (!isJson(type)) row.media = type
      else if (isJsonType(type) && !/^application\/json/i.test(type)) row.jsonType = type
      return [[status, row]]
    })
  )
}

function headersOf(reader: Reader, headers: JsonObject, at: string[]): NonNullable<ResponseRow['headers']> {
  const entries = Object.entries(headers).flatMap(([name, value]) => {
    const header = reader.resolved(value, [...at, 'headers', name])
    if (!isObject(header) || ignored.has(name.toLowerCase())) return []
    const { schema = {}, required, example } = header
    reader.read(schema, [...at, 'headers', name, 'schema'])
    const whole = isObject(schema) && example !== undefined ? { ...schema, example } : schema
    return [[name.toLowerCase(), { schema: whole, isRequired: required === true }] as const]
  })
  return Object.fromEntries(entries)
}

/** V8 allocates 422 slots for an object with the key 422, unless its fields are fixed. */
function byStatus<T>(entries: [string, T][]): Record<string, T> {
  const object = {}
  for (const [status, value] of entries) Object.defineProperty(object, status, { value, enumerable: true })
  return object
}

/** The examples of a media type, or else the example of its schema. */
function examplesOf(reader: Reader, media: JsonObject): Record<string, Json> {
  const examples: [string, Json][] = media.example === undefined ? [] : [['example', media.example]]
  for (const [name, value] of Object.entries(isObject(media.examples) ? media.examples : {})) {
    const example = reader.resolved(value)
    if (isObject(example) && example.value !== undefined) examples.push([name, example.value])
  }
  if (examples.length > 0) return Object.fromEntries(examples)
  const schema = reader.resolved(media.schema ?? {})
  if (!isObject(schema)) return {}
  const [example = schema.example] = Array.isArray(schema.examples) ? schema.examples : []
  return example === undefined ? {} : { example }
}

const isMediaType = (type: string) => /^[\w.+*!#$&^-]+\/[\w.+*!#$&^-]+\s*(;[\x20-\x7e]*)?$/.test(type)
const isJson = (type: string) => isJsonType(type) || type === '*/*'
const isForm = (type: string) => type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded'

type Parameters = Pick<Operation, 'input' | 'lists' | 'styles' | 'defaults'>

/** HTTP's own headers, which OpenAPI ignores. */
const ignored = new Set(['accept', 'content-type', 'authorization'])

function parametersOf(reader: Reader, template: string, operation: JsonObject, at: string[]): Parameters {
  // Maps, because `__proto__` sets the prototype of an object.
  const byPlace = new Map<Place, { properties: Map<string, Json>; required: Set<string> }>()
  const lists = new Set<string>()
  const styles: Styles = { path: new Map(), query: new Map(), header: new Map(), cookie: new Map(), deep: new Set() }
  const add = (place: Place, name: string, isRequired: boolean, schema: Json): void => {
    const group = byPlace.get(place) ?? { properties: new Map(), required: new Set() }
    byPlace.set(place, group)
    group.properties.set(name, schema)
    if (isRequired) group.required.add(name)
    else group.required.delete(name)
  }
  /** Adds each field of an object in the query. Returns whether there are any. */
  const addFields = (schema: Json, isRequired: boolean): boolean => {
    const { properties, required } = flattened(reader.documents, schema)
    for (const [name, it] of Object.entries(properties)) {
      if (isOf('array', reader, it)) lists.add(name)
      add('query', name, isRequired && required.includes(name), it)
    }
    return Object.keys(properties).length > 0
  }
  // The path's template is enough to declare a parameter.
  for (const [, name] of template.matchAll(/\{([^{}]*)\}/g)) add('path', name as string, true, { type: 'string' })
  for (const [position, value] of (operation.parameters as Json[]).entries()) {
    const path = [...at, 'parameters', String(position)]
    const parameter = reader.resolved(value, path)
    if (parameter === undefined) continue
    // OpenAPI 3.2: the whole query in one form.
    if (isObject(parameter) && parameter.in === 'querystring') {
      const [[type, media] = ['', null]] = Object.entries((parameter.content ?? {}) as JsonObject)
      const whole = isObject(media) ? (media.schema ?? {}) : {}
      reader.read(whole, [...path, 'content', type, 'schema'])
      if (isJson(type)) styles.isJson = true
      addFields(whole, parameter.required === true)
      continue
    }
    if (!isObject(parameter) || typeof parameter.name !== 'string' || !isPlace(parameter.in)) {
      reader.wrong(path, 'a parameter has a name, and in: path, query, header or cookie')
      continue
    }
    const { name: given_, in: place, required, description, schema = { type: 'string' } } = parameter
    const name = place === 'header' ? given_.toLowerCase() : given_
    if (place === 'header' && ignored.has(name)) continue
    if (place === 'path' && !byPlace.get('path')?.properties.has(name)) {
      reader.wrong(path, `the path ${template} has no parameter {${name}}`)
      continue
    }
    reader.read(schema, [...path, 'schema'])
    // The fields of an object are parameters themselves, unless it is written in another style.
    const { style: styleName = 'form', explode = true, content } = parameter
    const fields = place === 'query' && styleName === 'form' && explode === true && content === undefined
    if (fields && isOf('object', reader, schema) && addFields(schema, required === true)) continue
    const isList = isOf('array', reader, schema)
    if (place === 'query' && isList) lists.add(name)
    if (place === 'query' && parameter.style === 'deepObject') styles.deep.add(name)
    const style = styleOf(place, name, isList, parameter)
    if (style) styles[place].set(name, style)
    add(
      place,
      name,
      place === 'path' || required === true,
      isObject(schema)
        ? { ...(description !== undefined && { description }), ...schema, ...exampleIn(parameter) }
        : schema
    )
  }
  const input = Object.fromEntries(
    [...byPlace].map(([place, { properties, required }]) => [
      place,
      // Clients send many headers and cookies that no operation declares.
      {
        type: 'object',
        required: [...required],
        properties: Object.fromEntries(properties),
        ...((place === 'header' || place === 'cookie') && { additionalProperties: true })
      }
    ])
  )
  return { input, lists, styles, ...defaultsIn(input.query ?? {}) }
}

/** How to read a parameter that is a list in one text, or that has a mark in the path. Undefined: as it is. */
function styleOf(place: Place, name: string, isList: boolean, { style, explode }: JsonObject): ReadStyle | undefined {
  if (place !== 'path') {
    const isForm = style === undefined ? place !== 'header' : style === 'form'
    // A header or cookie is always one text.
    if (!isList || (place === 'query' && (explode ?? isForm) === true)) return undefined
    const separator = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ','
    return (sent) => [sent].flat().flatMap((text) => (text === '' ? [] : text.split(separator).map((it) => it.trim())))
  }
  // `blue`, `.blue` or `;color=blue`. A value without its mark stays as it is.
  const mark = style === 'label' ? '.' : style === 'matrix' ? `;${name}=` : ''
  if (mark === '' && !isList) return undefined
  return (sent) => {
    const text = String(sent)
    if (!text.startsWith(mark)) return text
    const value = text.slice(mark.length)
    return isList ? value.split(explode === true && mark !== '' ? mark : ',') : value
  }
}

/** The example of a parameter, in the form of a schema's. */
function exampleIn({ example, examples }: JsonObject): JsonObject {
  if (example !== undefined) return { example }
  const [first] = isObject(examples) ? Object.values(examples) : []
  return isObject(first) && first.value !== undefined ? { example: first.value } : {}
}

function isPlace(value: Json | undefined): value is Place {
  return value === 'path' || value === 'query' || value === 'header' || value === 'cookie'
}

function fieldsOf(reader: Reader, value: Json, type: string): string[] {
  const schema = settled(reader, value)
  const properties = Object.entries((schema.properties ?? {}) as JsonObject)
  const names = properties.filter(([, field]) => isOf(type, reader, field)).map(([name]) => name)
  return [...names, ...((schema.allOf ?? []) as Json[]).flatMap((it) => fieldsOf(reader, it, type))]
}

/** Whether a schema, or one that it is composed of, has a type. */
function isOf(type: string, reader: Reader, value: Json): boolean {
  const schema = settled(reader, value)
  if ([schema.type].flat().includes(type)) return true
  return ['anyOf', 'oneOf', 'allOf'].some((key) => ((schema[key] ?? []) as Json[]).some((it) => isOf(type, reader, it)))
}

/** A resolved schema. A document with mistakes is not served, and its schemas may be endless: it has none. */
function settled(reader: Reader, value: Json): JsonObject {
  const schema = reader.mistakes.length === 0 ? reader.resolved(value) : undefined
  return isObject(schema) ? schema : {}
}
