import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import { holdsNames, holdsValues } from './schemas.js'

/** How schemas are checked: `open` schemas are not closed, and fields with the `ignored` keyword may be missing. */
export interface Form {
  open?: ReadonlySet<Json>
  ignored: 'readOnly' | 'writeOnly'
}

/** Collects the schemas that others are composed of. They stay open, because another part may name their fields. */
export function openSchemas(documents: Documents): Set<Json> {
  const open = new Set<Json>()
  const walk = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(walk)
    if (!isObject(value)) return
    const { allOf, oneOf, anyOf, not, if: if_, then, else: else_ } = value
    for (const part of [allOf, oneOf, isNullable(value) ? [] : anyOf, not, if_, then, else_].flat()) {
      if (!isObject(part)) continue
      open.add(part)
      if (isRead(part.$ref)) open.add(follow(documents, part.$ref))
    }
    for (const key in value) walk(value[key] as Json)
  }
  Object.values(documents).forEach(walk)
  return open
}

function isNullable({ anyOf }: JsonObject): boolean {
  return Array.isArray(anyOf) && anyOf.filter((it) => !(isObject(it) && it.type === 'null')).length === 1
}

/** Whether a reference names its document. Only the schemas that the reader has seen have such references. */
function isRead(reference: Json | undefined): reference is string {
  return typeof reference === 'string' && reference.startsWith('own-')
}

/**
 * Fields that a request never has (`readOnly`), or a reply (`writeOnly`), are not required there. In requests, objects
 * with declared properties are closed, so that unknown fields are reported. `refer` renames references. Unchanged schemas
 * stay the same objects.
 */
export function formed(value: Json, form: Form, refer: (reference: string) => string): Json {
  return made(value, false)

  function made(part: Json, isNames: boolean): Json {
    if (typeof part !== 'object' || part === null) return part
    if (Array.isArray(part)) {
      const items = part.map((item) => made(item, false))
      return items.some((item, at) => item !== part[at]) ? items : part
    }
    let isSame = true
    const entries = Object.entries(part).map(([key, item]): [string, Json] => {
      const next = isNames ? made(item, false) : madeOf(key, item)
      isSame &&= next === item
      return [key, next]
    })
    if (isNames) return isSame ? part : Object.fromEntries(entries)
    const { required, properties } = part
    const asked = Array.isArray(required) && isObject(properties) ? required.filter(isAsked) : required
    const isWhole = form.open && !form.open.has(part) && !part.allOf && !part.anyOf && !part.oneOf
    const isClosed = isWhole && part.type && isObject(properties) && part.additionalProperties === undefined
    if (isSame && !isClosed && (!Array.isArray(required) || (asked as Json[]).length === required.length)) return part
    return {
      ...Object.fromEntries(entries),
      ...(asked !== undefined && { required: asked }),
      ...(isClosed && { additionalProperties: false })
    }

    function isAsked(name: Json): boolean {
      const known = properties as JsonObject
      const property = Object.hasOwn(known, name as string) ? known[name as string] : undefined
      return !(isObject(property) && property[form.ignored] === true)
    }
  }

  function madeOf(key: string, item: Json): Json {
    if (key === '$ref') return isRead(item) ? refer(item) : item
    return holdsValues(key) ? item : made(item, holdsNames(key))
  }
}
