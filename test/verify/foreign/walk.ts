/** Each value of a body, changed from the inside out. */
function walked(value: unknown, change: (value: unknown, name: string) => unknown, name = ''): unknown {
  if (Array.isArray(value))
    return change(
      value.map((it) => walked(it, change, name)),
      name
    )
  if (typeof value !== 'object' || value === null) return change(value, name)
  const entries = Object.entries(value).map(([key, it]) => [key, walked(it, change, key)] as const)
  return change(Object.fromEntries(entries.filter(([, it]) => it !== undefined)), name)
}

/** What users sent as free objects is left as it is. */
const own = new Set(['credential_json', 'spec', 'definition', 'entities', 'connector_specific_config'])
export const fields = (body: unknown, change: (value: unknown, name: string) => unknown): unknown => {
  const kept: unknown[] = []
  const hidden = JSON.parse(JSON.stringify(body), (key, it) => (own.has(key) && it ? { kept: kept.push(it) - 1 } : it))
  const changed = JSON.stringify(walked(hidden, change))
  return JSON.parse(changed, (key, it) => (own.has(key) && it ? kept[it.kept] : it))
}

/** What the description says may be null. */
const nullable = new Set(['name', 'user_id', 'user_email', 'message', 'data'])

/** A body without the fields that have no value and may not be null. */
export const withoutNulls = (body: unknown, isKept: (name: string) => boolean): unknown =>
  fields(body, (it, name) => (it === null && name !== '' && !nullable.has(name) && !isKept(name) ? undefined : it))
