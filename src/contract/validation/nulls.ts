import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'

/** Leaves out null fields that the schema omits (`x-null`). */
export type LeaveOut = (value: unknown, assumed: Set<string>) => unknown

/** Which null fields of an object, or of a list's items, are left out, and which fields contain such objects. */
interface Plan {
  /** The fields, grouped by assumptions. */
  fields: { names: string[]; ids: string[] }[]
  inner: { name: string; plan: Plan }[]
  items: Plan | undefined
}

/**
 * Makes the function for one schema. It returns a value without such fields unchanged. Otherwise it returns a copy in
 * which these fields are undefined: deleting them would make the copy slow to check and to serialize.
 */
export function createLeaveOut(documents: Documents, schema: Json): LeaveOut {
  const plan = planOf(documents, [schema])
  return plan ? (value, assumed) => leftOut(plan, value, assumed) : (value) => value
}

function leftOut(plan: Plan, value: unknown, assumed: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return plan.items ? leftOutOfItems(plan.items, value, assumed) : value
  const whole = value as Record<string, unknown>
  let copy: Record<string, unknown> | undefined
  for (const { names, ids } of plan.fields) {
    let some = false
    for (const name of names) {
      if (whole[name] !== null) continue
      copy ??= { ...whole }
      copy[name] = undefined
      some = true
    }
    if (some) for (const id of ids) assumed.add(id)
  }
  for (const { name, plan: inner } of plan.inner) {
    const kept = leftOut(inner, whole[name], assumed)
    if (kept === whole[name]) continue
    copy ??= { ...whole }
    copy[name] = kept
  }
  return copy ?? whole
}

function leftOutOfItems(plan: Plan, items: unknown[], assumed: Set<string>): unknown[] {
  let copy: unknown[] | undefined
  for (let at = 0; at < items.length; at++) {
    const kept = leftOut(plan, items[at], assumed)
    if (kept === items[at]) continue
    copy ??= items.slice()
    copy[at] = kept
  }
  return copy ?? items
}

/** The fields that any of these schemas leaves out, or undefined if there are none. */
function planOf(documents: Documents, schemas: Json[]): Plan | undefined {
  const parts = schemas.flatMap((schema) => partsOf(documents, schema))
  const plan: Plan = { fields: [], inner: [], items: undefined }
  const byName = new Map<string, Json[]>()
  for (const { properties = {} } of parts) {
    for (const [name, field] of Object.entries(properties as JsonObject)) {
      byName.set(name, [...(byName.get(name) ?? []), field])
    }
  }
  for (const [name, fields] of byName) {
    const ids = new Set(fields.flatMap((field) => partsOf(documents, field)).flatMap((field) => leavingOut(field)))
    if (ids.size > 0) groupOf(plan, [...ids]).names.push(name)
    const inner = planOf(documents, fields)
    if (inner) plan.inner.push({ name, plan: inner })
  }
  const items = parts.flatMap((part) => part.items ?? [])
  if (items.length > 0) plan.items = planOf(documents, items)
  return plan.fields.length > 0 || plan.inner.length > 0 || plan.items ? plan : undefined
}

/** The fields of a plan that these assumptions leave out. */
function groupOf({ fields }: Plan, ids: string[]): Plan['fields'][number] {
  const known = fields.find((it) => it.ids.join() === ids.join())
  if (known) return known
  const made = { names: [], ids }
  fields.push(made)
  return made
}

/** A schema with everything that it refers to and is composed of. */
function partsOf(documents: Documents, schema: Json): JsonObject[] {
  if (!isObject(schema)) return []
  const parts = [typeof schema.$ref === 'string' ? follow(documents, schema.$ref) : [], schema.allOf, schema.anyOf]
  return [schema, ...parts.flat().flatMap((part) => partsOf(documents, part ?? []))]
}

/** The assumptions that leave out a field if it is null. */
function leavingOut(field: JsonObject): string[] {
  const { type, anyOf = [] } = field
  const takesNull = [type].flat().includes('null') || (anyOf as JsonObject[]).some((it) => it.type === 'null')
  return takesNull ? [] : ((field['x-null'] ?? []) as string[])
}
