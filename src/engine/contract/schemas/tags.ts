import { isObject, type Json, type JsonObject } from '../load.js'

/** A union whose values name their schema in one field. */
export interface Tagged {
  /** The field. */
  name: string
  /** The schemas by the value of the field. */
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
