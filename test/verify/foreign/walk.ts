/** What users sent as free objects is left as it is. */
const own = new Set(['credential_json', 'spec', 'definition', 'entities', 'connector_specific_config'])

/** Each value of a body, changed from the inside out. */
export function fields(value: unknown, change: (value: unknown, name: string) => unknown, name = ''): unknown {
  if (typeof value !== 'object' || value === null) return change(value, name)
  if (own.has(name)) return value
  if (Array.isArray(value))
    return change(
      value.map((it) => fields(it, change, name)),
      name
    )
  const entries = Object.entries(value).map(([key, it]) => [key, fields(it, change, key)] as const)
  return change(Object.fromEntries(entries.filter(([, it]) => it !== undefined)), name)
}

/** What the description says may be null. */
const nullable = new Set(['name', 'user_id', 'user_email', 'message', 'data'])

/** A body without the fields that have no value and may not be null. */
export const withoutNulls = (body: unknown, isKept: (name: string) => boolean): unknown =>
  fields(body, (it, name) => (it === null && name !== '' && !nullable.has(name) && !isKept(name) ? undefined : it))
