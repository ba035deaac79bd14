import {
  type Documents,
  follow,
  isObject,
  type Json,
  type JsonObject,
  schemaOf
} from '../../../engine/contract/load.js'

/** How often fields without a value were left out, and how often they were null. */
export interface EmptyCounts {
  absent: number
  null: number
}

/** A reply without undocumented items, and with missing fields set to null if their schema allows leaving them out (`x-null`). */
export function withNulls(documents: Documents, schema: Json, value: unknown, empty: EmptyCounts): unknown {
  if (!isObject(schema) || typeof value !== 'object' || value === null) return value
  const referred = typeof schema.$ref === 'string' ? [follow(documents, schema.$ref)] : []
  const parts = [...referred, ...((schema.allOf ?? []) as Json[]), ...nearest(documents, schema.anyOf, value)]
  const inner = parts.reduce<unknown>((it, part) => withNulls(documents, part, it, empty), value)
  if (Array.isArray(inner)) {
    const items = inner.filter((item) => !isUndocumented(documents, schema.items, item))
    return items.map((item) => withNulls(documents, schema.items ?? true, item, empty))
  }
  const whole = { ...(inner as Record<string, unknown>) }
  for (const [name, field] of Object.entries((schema.properties ?? {}) as JsonObject)) {
    const isPresent = whole[name] !== undefined || isMisspelt(name, whole, schema.properties as JsonObject)
    if (isPresent && whole[name] !== null) whole[name] = withNulls(documents, field, whole[name], empty)
    else if (isMarked(documents, field) && !(isPresent && whole[name] === undefined)) {
      empty[isPresent ? 'null' : 'absent']++
      whole[name] = null
    }
  }
  return whole
}

/** The alternative that has the most fields in common with a value. */
function nearest(documents: Documents, alternatives: Json | undefined, value: object): Json[] {
  const common = (schema: Json): number => {
    if (!isObject(schema)) return 0
    if (typeof schema.$ref === 'string') return common(follow(documents, schema.$ref))
    return Object.keys((schema.properties ?? {}) as object).filter((name) => name in value).length
  }
  const list = Array.isArray(alternatives) ? alternatives : []
  return list.toSorted((a, b) => common(b) - common(a)).slice(0, 1)
}

/** Whether a missing field is present in another spelling. Then it is not left out. */
function isMisspelt(name: string, whole: Record<string, unknown>, known: JsonObject): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  return Object.keys(whole).some((key) => !(key in known) && plain(key) === plain(name))
}

function isMarked(documents: Documents, field: Json): boolean {
  if (!isObject(field)) return false
  return 'x-null' in field || (typeof field.$ref === 'string' && isMarked(documents, follow(documents, field.$ref)))
}

/**
 * Whether an item is of a kind whose fields the description does not show (`x-undocumented`): it has less than half of the
 * required fields of the other kinds.
 */
function isUndocumented(documents: Documents, schema: Json | undefined, item: unknown): boolean {
  if (!isObject(schema) || !Array.isArray(schema.anyOf) || !isObject(item)) return false
  const kinds = schema.anyOf.map((it) => schemaOf(documents, it as JsonObject))
  if (!kinds.some((it) => it['x-undocumented'])) return false
  const shown = kinds.filter((it) => !it['x-undocumented']).map(({ required = [] }) => required as string[])
  return shown.every((names) => names.filter((name) => name in item).length < names.length / 2)
}
