import { isObject, type Json, type JsonObject } from '../load.js'
import type { Reader } from '../schemas/reader.js'
import { noStyles, notePathStyle, noteStyle, type Styles } from './styles.js'

/** The places of parameters, in the order in which their mistakes are reported. */
type Place = 'path' | 'query' | 'header' | 'cookie'

/** The parameters of an operation: a schema for each place, and how their values are written. */
interface Parameters {
  input: Partial<Record<Place, JsonObject>>
  /** Query parameters that may be repeated. */
  lists: ReadonlySet<string>
  styles: Styles
}

/** HTTP's own headers, which OpenAPI ignores. */
const ignored = new Set(['accept', 'content-type', 'authorization'])

export function parametersOf(reader: Reader, template: string, operation: JsonObject, at: string[]): Parameters {
  const { mistakes } = reader
  // Maps, because `__proto__` sets the prototype of an object.
  const byPlace = new Map<Place, { properties: Map<string, Json>; required: Set<string> }>()
  const lists = new Set<string>()
  const styles = noStyles()
  const add = (place: Place, name: string, isRequired: boolean, schema: Json): void => {
    const found = byPlace.get(place) ?? { properties: new Map(), required: new Set() }
    byPlace.set(place, found)
    found.properties.set(name, schema)
    if (isRequired) found.required.add(name)
    else found.required.delete(name)
  }
  // The path's template is enough to declare a parameter.
  for (const [, name] of template.matchAll(/\{([^{}]*)\}/g)) add('path', name as string, true, { type: 'string' })
  for (const [position, given] of (operation.parameters as Json[]).entries()) {
    const path = [...at, 'parameters', String(position)]
    const parameter = reader.resolved(given, path)
    if (parameter === undefined) continue
    if (!isObject(parameter) || typeof parameter.name !== 'string' || !isPlace(parameter.in)) {
      mistakes.push({ path, text: 'a parameter has a name, and in: path, query, header or cookie' })
      continue
    }
    const { name: given_, in: place, required, description, schema = { type: 'string' } } = parameter
    const name = place === 'header' ? given_.toLowerCase() : given_
    if (place === 'header' && ignored.has(name)) continue
    if (place === 'path' && !byPlace.get('path')?.properties.has(name)) {
      mistakes.push({ path, text: `the path ${template} has no parameter {${name}}` })
      continue
    }
    reader.read(schema, [...path, 'schema'])
    if (place === 'path') notePathStyle(styles, name, isListed(reader, schema), parameter)
    else {
      const isList = isListed(reader, schema)
      noteStyle(styles, place, name, isList, parameter)
      if (place === 'query' && isList) lists.add(name)
    }
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
  return { input, lists, styles }
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

/** Fields of a form that may be repeated. */
export const listFields = (reader: Reader, given: Json) => fieldsOf(reader, given, 'array')

/** Fields of a form that are objects. Their texts are JSON. */
export const objectFields = (reader: Reader, given: Json) => fieldsOf(reader, given, 'object')

function fieldsOf(reader: Reader, given: Json, type: string): string[] {
  const schema = settled(reader, given)
  const properties = Object.entries((schema.properties ?? {}) as JsonObject)
  const named = properties.filter(([, field]) => isOf(type, reader, field)).map(([name]) => name)
  return [...named, ...((schema.allOf ?? []) as Json[]).flatMap((it) => fieldsOf(reader, it, type))]
}

const isListed = (reader: Reader, given: Json) => isOf('array', reader, given)

/** Whether a schema, or one that it is composed of, has a type. */
function isOf(type: string, reader: Reader, given: Json): boolean {
  const schema = settled(reader, given)
  if ([schema.type].flat().includes(type)) return true
  return ['anyOf', 'oneOf', 'allOf'].some((key) => ((schema[key] ?? []) as Json[]).some((it) => isOf(type, reader, it)))
}

/** A resolved schema. A document with mistakes is not served, and its schemas may be endless: it has none. */
function settled(reader: Reader, given: Json): JsonObject {
  const schema = reader.mistakes.length === 0 ? reader.resolved(given) : undefined
  return isObject(schema) ? schema : {}
}
