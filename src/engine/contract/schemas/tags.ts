import { type Documents, isObject, type Json, type JsonObject, schemaOf } from '../load.js'
import { flattened, kindsIn } from './schemas.js'

/** A union whose values name their schema in one field. */
export interface Tagged {
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
