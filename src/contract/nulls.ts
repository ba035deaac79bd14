import { type Documents, follow, isObject, type Json, type JsonObject } from './load.js'

/** The value without the fields that have no value and that its schema leaves out then (`x-null`). */
export type LeaveOut = (value: unknown, assumed: Set<string>) => unknown

/** The fields of an object, or of the items of a list, that are left out where they are null, and those that hold such. */
interface Plan {
  /** The assumptions that leave a field out, by its name. */
  fields: Map<string, string[]>
  inner: Map<string, Plan>
  items: Plan | undefined
}

/**
 * Prepared for one schema. What has no such field is given back as it is. Else it is a copy in which these fields are
 * undefined: fields taken away would make the copy slow to check and to write.
 */
export function createLeaveOut(documents: Documents, schema: Json): LeaveOut {
  const plan = planOf(documents, [schema])
  return plan ? (value, assumed) => leftOut(plan, value, assumed) : (value) => value
}

function leftOut(plan: Plan, value: unknown, assumed: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const { items } = plan
    if (!items) return value
    const kept = value.map((item) => leftOut(items, item, assumed))
    return kept.some((item, position) => item !== value[position]) ? kept : value
  }
  const whole = value as Record<string, unknown>
  let copy: Record<string, unknown> | undefined
  for (const [name, ids] of plan.fields) {
    if (whole[name] !== null) continue
    copy ??= { ...whole }
    copy[name] = undefined
    for (const id of ids) assumed.add(id)
  }
  for (const [name, inner] of plan.inner) {
    const kept = leftOut(inner, whole[name], assumed)
    if (kept === whole[name]) continue
    copy ??= { ...whole }
    copy[name] = kept
  }
  return copy ?? whole
}

/** What any of these schemas leaves out; undefined: nothing. */
function planOf(documents: Documents, schemas: Json[]): Plan | undefined {
  const parts = schemas.flatMap((schema) => partsOf(documents, schema))
  const plan: Plan = { fields: new Map(), inner: new Map(), items: undefined }
  const byName = new Map<string, Json[]>()
  for (const { properties = {} } of parts) {
    for (const [name, field] of Object.entries(properties as JsonObject)) {
      byName.set(name, [...(byName.get(name) ?? []), field])
    }
  }
  for (const [name, fields] of byName) {
    const ids = fields.flatMap((field) => partsOf(documents, field)).flatMap((field) => leavingOut(field))
    if (ids.length > 0) plan.fields.set(name, [...new Set(ids)])
    const inner = planOf(documents, fields)
    if (inner) plan.inner.set(name, inner)
  }
  const items = parts.flatMap((part) => part.items ?? [])
  if (items.length > 0) plan.items = planOf(documents, items)
  return plan.fields.size > 0 || plan.inner.size > 0 || plan.items ? plan : undefined
}

/** A schema with all that it refers to and consists of. */
function partsOf(documents: Documents, schema: Json): JsonObject[] {
  if (!isObject(schema)) return []
  const parts = [typeof schema.$ref === 'string' ? follow(documents, schema.$ref) : [], schema.allOf, schema.anyOf]
  return [schema, ...parts.flat().flatMap((part) => partsOf(documents, part ?? []))]
}

/** The assumptions by which a field is left out where it has no value. */
function leavingOut(field: JsonObject): string[] {
  const { type, anyOf = [] } = field
  const takesNull = [type].flat().includes('null') || (anyOf as JsonObject[]).some((it) => it.type === 'null')
  return takesNull ? [] : ((field['x-null'] ?? []) as string[])
}
