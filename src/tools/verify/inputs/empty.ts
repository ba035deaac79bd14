import { type Documents, follow, isObject, type Json, type JsonObject } from '../../../engine/contract/load.js'

/** How often fields without a value were left out, and how often they were null. */
export interface EmptyCounts {
  absent: number
  null: number
}

/** A reply with missing fields set to null if their schema allows leaving them out (`x-null`). */
export function withNulls(documents: Documents, schema: Json, value: unknown, empty: EmptyCounts): unknown {
  if (!isObject(schema) || typeof value !== 'object' || value === null) return value
  const referred = typeof schema.$ref === 'string' ? [follow(documents, schema.$ref)] : []
  const parts = [...referred, ...((schema.allOf ?? []) as Json[]), ...nearest(documents, schema.anyOf, value)]
  const inner = parts.reduce<unknown>((it, part) => withNulls(documents, part, it, empty), value)
  if (Array.isArray(inner)) return inner.map((item) => withNulls(documents, schema.items ?? true, item, empty))
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

/** The fields that identify the status of a connector (2.10). */
const ofConnectors = [
  ...['cc_pair_id', 'access_type', 'cc_pair_status', 'in_progress', 'last_status'],
  ...['last_finished_status', 'is_editable', 'docs_indexed']
]

/** Whether an item of an indexing report belongs to a connector. The fields of the other kind are not documented. */
export function isConnectorItem(item: object): boolean {
  return ofConnectors.filter((name) => name in item).length >= 4
}

/** A reply without undocumented items: the statuses of federated connectors in the indexing report. */
export function withoutUnknownItems(id: string, body: unknown): unknown {
  if (id !== 'getIndexingStatus' || !Array.isArray(body)) return body
  return body.map((group) => {
    if (!isObject(group) || !Array.isArray(group.indexing_statuses)) return group
    const known = group.indexing_statuses.filter((item) => !isObject(item) || isConnectorItem(item))
    return { ...group, indexing_statuses: known }
  })
}
