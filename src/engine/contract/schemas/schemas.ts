import { type Documents, follow, isObject, type Json, type JsonObject, schemaOf } from '../load.js'
import { inMap } from '../once.js'
import { keywords } from './keywords.js'

/** Keywords that change the base of references or name a schema. In a document, paths do that. */
export const identities = new Set([
  '$id',
  '$anchor',
  '$schema',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveAnchor',
  '$recursiveRef'
])

const values = new Set(['example', 'examples', 'default', 'enum', 'const'])
const byName = new Set(['dependencies', 'schemas', 'parameters', 'responses', 'paths'])

/** Whether a keyword contains values, which have no schemas. */
export const hasValues = (keyword: string) => values.has(keyword)

/** Whether the keys of a keyword's object are names. */
export const hasNames = (keyword: string) => byName.has(keyword) || keywords.get(keyword)?.schemas === 'names'

/** Begins the names of users' documents in references. */
export const keyPrefix = 'document-'

/** Whether a reference names its document. Only the schemas that the reader has seen have such references. */
export function isRead(reference: Json | undefined): reference is string {
  return typeof reference === 'string' && reference.startsWith(keyPrefix)
}

/** Visits schemas and all in them and behind their references, each once. They may be deeper than the stack. */
export function eachSchema(documents: Documents, schemas: Json[], visit: (schema: JsonObject) => void): void {
  const seen = new Set<JsonObject>()
  const waiting = [...schemas]
  while (waiting.length > 0) {
    const schema = waiting.pop()
    if (!isObject(schema) || seen.has(schema)) continue
    seen.add(schema)
    visit(schema)
    if (isRead(schema.$ref)) waiting.push(follow(documents, schema.$ref))
    for (const key in schema) {
      const value = schema[key] as Json
      if (typeof value !== 'object' || value === null) continue
      const { schemas } = keywords.get(key) ?? {}
      if (schemas === 'one') waiting.push(value)
      else if (schemas) waiting.push(...Object.values(value))
    }
  }
}

/** Marks the files in the fields of a form. OpenAPI declares a file's bytes as a string. */
export function markFiles(documents: Documents, schema: Json): void {
  eachSchema(documents, [schema], (part) => {
    if (part.type !== 'string') return
    if (part.format !== 'binary' && part.contentMediaType !== 'application/octet-stream') return
    delete part.type
    part['x-file'] = true
  })
}

/**
 * The properties of a schema and of all schemas that it is composed of. If it has several kinds of objects, those of all kinds,
 * and what all of them require.
 */
export function flattened(documents: Documents, schema: Json, above: readonly Json[] = []): Fields {
  if (!isObject(schema) || above.includes(schema)) return { properties: {}, required: [] }
  const { $ref, allOf, oneOf, anyOf, properties = {}, required = [] } = schema
  const own = { properties: properties as JsonObject, required: required as string[] }
  if (!($ref || allOf || oneOf || anyOf)) return own
  const inner = (it: Json) => flattened(documents, it, [...above, schema])
  const parts = [
    ...(typeof $ref === 'string' ? [inner(follow(documents, $ref))] : []),
    ...((allOf ?? []) as Json[]).map(inner),
    ofKinds(kindsIn(schema).map(inner)),
    own
  ]
  return {
    properties: Object.fromEntries(parts.flatMap(({ properties }) => Object.entries(properties))),
    required: [...new Set(parts.flatMap(({ required }) => required))]
  }
}

/** The kinds of values that a schema allows besides null. None if there is only one. */
export function kindsIn({ oneOf, anyOf }: JsonObject): Json[] {
  const kinds = ((oneOf ?? anyOf ?? []) as Json[]).filter((it) => !(isObject(it) && it.type === 'null'))
  return kinds.length > 1 ? kinds : []
}

/** The fields of several kinds of objects. None if others are not objects. */
function ofKinds(kinds: Fields[]): Fields {
  const fields = new Map<string, Map<string, Json>>()
  if (!kinds.every(({ properties }) => Object.keys(properties).length > 0)) return { properties: {}, required: [] }
  for (const [name, it] of kinds.flatMap(({ properties }) => Object.entries(properties))) {
    fields.set(name, new Map(fields.get(name)).set(JSON.stringify(it), it))
  }
  const entries = [...fields].map(([name, forms]) => {
    const [only, ...others] = forms.values()
    return [name, others.length === 0 ? only : { anyOf: [...forms.values()] }]
  })
  const [first, ...others] = kinds
  const isInAll = (name: string) => others.every(({ required }) => required.includes(name))
  return { properties: Object.fromEntries(entries) as JsonObject, required: first?.required.filter(isInAll) ?? [] }
}

export interface Fields {
  properties: JsonObject
  required: string[]
}

/** The fields of schemas. A schema belongs to one contract. */
const cache = new WeakMap<JsonObject, Fields>()

export function fieldsIn({ documents }: { documents: Documents }, schema: Json): Fields {
  if (!isObject(schema)) return { properties: {}, required: [] }
  return inMap(cache, schema, () => flattened(documents, schema))
}

/** The fields of a schema, or of the one object in it that has fields of a row. */
export function rowFieldsIn(documents: Documents, schema: Json | undefined, { properties }: Fields): Fields {
  const whole = fieldsIn({ documents }, schemaOf(documents, schema))
  const isOfRow = (fields: Fields) => Object.keys(fields.properties).some((it) => Object.hasOwn(properties, it))
  const inner = () => Object.values(whole.properties).map((it) => fieldsIn({ documents }, schemaOf(documents, it)))
  return isOfRow(whole) ? whole : (inner().find(isOfRow) ?? whole)
}

/** What schemas say together about one value: their parts, the schemas of its fields by name, and those of its items. */
export function together(
  documents: Documents,
  schemas: Json[]
): { parts: JsonObject[]; fields: Map<string, Json[]>; items: Json[] } {
  const parts = schemas.flatMap((schema) => partsOf(documents, schema))
  const fields = new Map<string, Json[]>()
  for (const { properties = {} } of parts) {
    for (const [name, field] of Object.entries(properties as JsonObject)) {
      fields.set(name, [...(fields.get(name) ?? []), field])
    }
  }
  return { parts, fields, items: parts.flatMap((part) => part.items ?? []) }
}

/** A schema with everything that it refers to and is composed of. */
export function partsOf(documents: Documents, schema: Json): JsonObject[] {
  if (!isObject(schema)) return []
  const { $ref, allOf, anyOf, oneOf } = schema
  const parts = [typeof $ref === 'string' ? follow(documents, $ref) : [], allOf, anyOf, oneOf].flat()
  return [schema, ...parts.flatMap((part) => partsOf(documents, part ?? []))]
}

/** A union whose values name their schema in one field. */
interface Tagged {
  name: string
  branches: Map<string, JsonObject>
}

/** Reads the `discriminator` of a schema. Undefined without one that names a schema for each branch. */
export function taggedOf({ discriminator, oneOf, anyOf }: JsonObject): Tagged | undefined {
  const all = oneOf ?? anyOf
  if (!isObject(discriminator) || !isObject(discriminator.mapping) || !Array.isArray(all)) return undefined
  const { propertyName: name, mapping } = discriminator
  if (typeof name !== 'string') return undefined
  const branches = new Map<string, JsonObject>()
  for (const [tag, target] of Object.entries(mapping)) {
    const branch = all.find((it) => isObject(it) && String(it.$ref).endsWith(endOf(target)))
    if (branch) branches.set(tag, branch as JsonObject)
  }
  return new Set(branches.values()).size === all.length ? { name, branches } : undefined
}

/**
 * Lets each schema of a union with a `discriminator` allow only its own values of the field, so that samples and rows have these. The
 * names of schemas that the mapping leaves out are the values.
 */
export function tagKinds(documents: Documents, schema: JsonObject): void {
  const { discriminator } = schema
  if (!isObject(discriminator)) return
  const kinds = kindsIn(schema)
  const names = kinds.flatMap((it) => (isObject(it) && typeof it.$ref === 'string' ? [it.$ref] : []))
  const ownMapping = isObject(discriminator.mapping) ? discriminator.mapping : {}
  const others = names.filter((it) => !Object.values(ownMapping).some((target) => it.endsWith(endOf(target))))
  const entries = others.map((it) => [it.slice(it.lastIndexOf('/') + 1), it.slice(it.indexOf('#'))])
  const mapping = { ...ownMapping, ...Object.fromEntries(entries) }
  const tagged = taggedOf({ oneOf: kinds, discriminator: { ...discriminator, mapping } })
  if (!tagged) return
  const { name, branches } = tagged
  const all = [...new Set(branches.values())].map((branch) => {
    const target = schemaOf(documents, branch)
    const field = schemaOf(documents, flattened(documents, target).properties[name])
    const tags = [...branches].flatMap(([tag, it]) => (it === branch ? [tag] : []))
    const ownTags = [field.const ?? (field.enum as Json[] | undefined) ?? tags].flat()
    const values = tags.filter((it) => ownTags.includes(it))
    const isText = [field.type ?? 'string'].flat().includes('string')
    return { target, field: { ...field, type: 'string', enum: values }, isGood: isText && values.length > 0 }
  })
  if (!all.every(({ isGood }) => isGood)) return
  discriminator.mapping = mapping
  for (const { target, field } of all) target.properties = { ...(target.properties as JsonObject), [name]: field }
}

function endOf(target: Json): string {
  return String(target).startsWith('#') ? String(target) : `/${target}`
}

/** The union as a choice by its field, so that only the errors of the chosen schema are reported. */
export function chosenByTag(
  { oneOf, anyOf, discriminator, ...rest }: JsonObject,
  { name, branches }: Tagged
): JsonObject {
  const choice = {
    type: 'object',
    required: [name],
    properties: { [name]: { enum: [...branches.keys()], 'x-tag': name } },
    additionalProperties: true,
    'x-tag': name
  }
  const chosen = [...branches].map(([tag, branch]) => ({
    if: { type: 'object', required: [name], properties: { [name]: { const: tag } }, additionalProperties: true },
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
    then: branch
  }))
  return { ...rest, allOf: [...((rest.allOf ?? []) as Json[]), choice, ...chosen] }
}
