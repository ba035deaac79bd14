import { isObject, type Json } from '../../contract/load.js'

/**
 * The first place where a value differs from the wanted one, as the end of a sentence, or undefined. Objects may have
 * more fields than wanted; lists must have the same length.
 */
export function differenceOf(value: unknown, wanted: unknown, place: string): string | undefined {
  if (isObject(wanted as Json)) {
    if (!isObject(value as Json)) return `${place} is ${brief(value)}, not an object`
    const [first] = Object.entries(wanted as object).flatMap(([name, item]) => {
      const at = `${place}.${name}`
      if (!Object.hasOwn(value as object, name)) return [`${at} is missing`]
      return differenceOf((value as Record<string, unknown>)[name], item, at) ?? []
    })
    return first
  }
  if (Array.isArray(wanted)) {
    if (!Array.isArray(value)) return `${place} is ${brief(value)}, not a list`
    if (value.length !== wanted.length) return `${place} has ${value.length} items, not ${wanted.length}`
    return wanted.flatMap((item, index) => differenceOf(value[index], item, `${place}.${index}`) ?? [])[0]
  }
  return Object.is(value, wanted) ? undefined : `${place} is ${brief(value)}, not ${brief(wanted)}`
}

/** A short form of a value for messages. */
export function brief(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
