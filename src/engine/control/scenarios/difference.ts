import { isObject } from '../../contract/load.js'
import { shortened } from '../../contract/message/refusal.js'

/**
 * The first place where a value differs from the expected one, as the end of a sentence, or undefined. Objects may have
 * more fields than expected; lists must have the same length.
 */
export function differenceOf(value: unknown, expected: unknown, place: string): string | undefined {
  if (isObject(expected)) {
    if (!isObject(value)) return `${place} is ${brief(value)}, not an object`
    const [first] = Object.entries(expected).flatMap(([name, item]) => {
      const at = `${place}.${name}`
      if (!Object.hasOwn(value, name)) return [`${at} is missing`]
      return differenceOf(value[name], item, at) ?? []
    })
    return first
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(value)) return `${place} is ${brief(value)}, not a list`
    if (value.length !== expected.length) return `${place} has ${value.length} items, not ${expected.length}`
    return expected.flatMap((item, index) => differenceOf(value[index], item, `${place}.${index}`) ?? [])[0]
  }
  return Object.is(value, expected) ? undefined : `${place} is ${brief(value)}, not ${brief(expected)}`
}

/** A short form of a value for messages. */
export function brief(value: unknown): string {
  return shortened(value === undefined ? 'nothing' : JSON.stringify(value))
}
