import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import { holdsNames, holdsValues, isRead } from './schemas.js'
import { chosenByTag, taggedOf } from './tags.js'

/** How schemas are checked: `open` schemas are not closed, and fields with the `ignored` keyword may be missing. */
export interface SchemaForm {
  open?: ReadonlySet<Json>
  ignored: 'readOnly' | 'writeOnly'
}

/** Collects the schemas that others are composed of. They stay open, because another part may name their fields. */
export function openSchemas(documents: Documents): Set<Json> {
  const open = new Set<Json>()
  const waiting: Json[] = Object.values(documents)
  while (waiting.length > 0) {
    const value = waiting.pop() as Json
    if (typeof value !== 'object' || value === null) continue
    waiting.push(...Object.values(value))
    if (Array.isArray(value)) continue
    const { allOf, oneOf, anyOf, not, if: if_, then, else: else_ } = value
    for (const part of [allOf, oneOf, isNullable(value) ? [] : anyOf, not, if_, then, else_].flat()) {
      if (!isObject(part)) continue
      open.add(part)
      if (isRead(part.$ref)) open.add(follow(documents, part.$ref))
    }
  }
  return open
}

function isNullable({ anyOf }: JsonObject): boolean {
  return Array.isArray(anyOf) && anyOf.filter((it) => !(isObject(it) && it.type === 'null')).length === 1
}

/**
 * Fields that a request never has (`readOnly`), or a reply (`writeOnly`), are not required there. In requests, objects
 * with declared properties are closed, so that unknown fields are reported; those that the document closes are marked,
 * because their unknown fields are mistakes. `refer` renames references. Unchanged schemas stay the same objects.
 */
export function formed(value: Json, form: SchemaForm, refer: (reference: string) => string): Json {
  return made(value, false)

  function made(part: Json, isNames: boolean): Json {
    if (typeof part !== 'object' || part === null) return part
    if (Array.isArray(part)) {
      const items = part.map((item) => made(item, false))
      return items.some((item, at) => item !== part[at]) ? items : part
    }
    const tagged = isNames || !form.open ? undefined : taggedOf(part)
    if (tagged) return made(chosenByTag(part, tagged), false)
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
    const isExact = form.open && part.additionalProperties === false
    if (isSame && !isClosed && !isExact && (!Array.isArray(required) || (asked as Json[]).length === required.length))
      return part
    return {
      ...Object.fromEntries(entries),
      ...(asked !== undefined && { required: asked }),
      ...(isClosed && { additionalProperties: false }),
      ...(isExact && { 'x-exact': true })
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
