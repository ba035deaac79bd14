import { isObject, type Json, type JsonObject } from '../load.js'
import { schemaMistakes } from './mistakes.js'
import { resolved } from './references.js'
import { internal } from './schemas.js'
import type { Mistake } from './types.js'

/** The places of parameters, in the order in which their mistakes are reported. */
type Place = 'path' | 'query' | 'header' | 'cookie'

/** The parameters of an operation: a schema for each place, and the query parameters that may be repeated. */
interface Parameters {
  input: Partial<Record<Place, JsonObject>>
  lists: ReadonlySet<string>
}

interface Reader {
  document: JsonObject
  key: string
  mistakes: Mistake[]
}

/** HTTP's own headers, which OpenAPI ignores. */
const ignored = new Set(['accept', 'content-type', 'authorization'])

export function parametersOf(
  { document, key, mistakes }: Reader,
  template: string,
  operation: JsonObject,
  at: string[]
): Parameters {
  const byPlace = new Map<Place, { properties: JsonObject; required: string[] }>()
  const lists = new Set<string>()
  const add = (place: Place, name: string, isRequired: boolean, schema: Json): void => {
    const found = byPlace.get(place) ?? { properties: {}, required: [] }
    byPlace.set(place, found)
    found.properties[name] = schema
    found.required = [...new Set([...found.required.filter((it) => it !== name), ...(isRequired ? [name] : [])])]
  }
  // The path's template is enough to declare a parameter.
  for (const [, name] of template.matchAll(/\{([^{}]*)\}/g)) add('path', name as string, true, { type: 'string' })
  for (const [position, given] of (operation.parameters as Json[]).entries()) {
    const path = [...at, 'parameters', String(position)]
    const parameter = resolved(document, given, path, mistakes)
    if (parameter === undefined) continue
    if (!isObject(parameter) || typeof parameter.name !== 'string' || !isPlace(parameter.in)) {
      mistakes.push({ path, text: 'a parameter has a name, and in: path, query, header or cookie' })
      continue
    }
    const { name: given_, in: place, required, description, schema = { type: 'string' } } = parameter
    const name = place === 'header' ? given_.toLowerCase() : given_
    if (place === 'header' && ignored.has(name)) continue
    if (place === 'path' && byPlace.get('path')?.properties[name] === undefined) {
      mistakes.push({ path, text: `the path ${template} has no parameter {${name}}` })
      continue
    }
    mistakes.push(...schemaMistakes(document, schema, [...path, 'schema']))
    const made = internal(schema, key)
    if (place === 'query' && isListed(document, schema)) lists.add(name)
    add(
      place,
      name,
      place === 'path' || required === true,
      isObject(made) ? { ...(description !== undefined && { description }), ...made, ...exampleIn(parameter) } : made
    )
  }
  const input = Object.fromEntries(
    [...byPlace].map(([place, { properties, required }]) => [
      place,
      // Clients send many headers and cookies that no operation declares.
      { type: 'object', required, properties, additionalProperties: place === 'header' || place === 'cookie' }
    ])
  )
  return { input, lists }
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
export function listFields(document: JsonObject, given: Json): string[] {
  const schema = resolved(document, given, [], [])
  if (!isObject(schema)) return []
  const properties = Object.entries((schema.properties ?? {}) as JsonObject)
  const named = properties.filter(([, field]) => isListed(document, field)).map(([name]) => name)
  return [...named, ...((schema.allOf ?? []) as Json[]).flatMap((it) => listFields(document, it))]
}

/** Whether a schema, or one that it is composed of, is a list. */
function isListed(document: JsonObject, given: Json): boolean {
  const schema = resolved(document, given, [], [])
  if (!isObject(schema)) return false
  if ([schema.type].flat().includes('array')) return true
  return ['anyOf', 'oneOf', 'allOf'].some((key) => ((schema[key] ?? []) as Json[]).some((it) => isListed(document, it)))
}
