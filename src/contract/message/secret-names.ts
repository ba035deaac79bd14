import { isObject, type JsonObject } from '../load.js'

/** What stands in the place of a secret. */
export const blanked = '***'

/**
 * Names of secrets, wherever they stand: headers, cookies, queries, forms, bodies, rows. They are compared in lower case
 * and without separators, so that `X-Auth-Token`, `access_token` and `accessToken` all end with `token`.
 */
const always =
  /(token|secrets?|passwords?|passwd|passphrase|passcode|pwd|authorization|authentication|signature|(api|access|private|secret|signing|encryption|shared|master|auth)keys?|assertion|jwt|otp|sessid|samlresponse)\d*$/
/** Whole names that are secrets where they have a text. Described fields of these names have other meanings. */
const whereText =
  /(^(x?session|xsessionid|mcpsessionid|connectsid|sid|sig|code|auth|xauth|pin|setcookie|cookie|secwebsocketprotocol|codeverifier)|credentials?|tokens|(authorization|auth|device|verification)code)$/
/** Counts of tokens. */
const counts = /^(max|min|total|num|used|input|output|prompt|completion|cached).*tokens$/

/** How much of a value its name makes a secret: all of it, or nothing but texts. */
export function secrecyOf(name: string): 'all' | 'text' | undefined {
  // Cookies of some frameworks are called so. `session_id` and `sessionId` are ids that people need.
  if (name === 'sessionid' || name.toLowerCase() === 'jsessionid') return 'all'
  // `__code` and its like are of the mock.
  if (name.startsWith('__')) return undefined
  const plain = name.slice(-longest).toLowerCase().replace(/[^a-z0-9]/g, '')
  if (always.test(plain)) return 'all'
  return whereText.test(plain) && !counts.test(plain) ? 'text' : undefined
}

/** Longer names are compared by their end. */
const longest = 100

/** A text of this name, such as the value of a header or of a parameter, without what is secret. */
export function textOf(name: string, text: string): string {
  return secrecyOf(name) !== undefined && !['', 'true', 'false'].includes(text) ? blanked : text
}

/** Names that the description of a message has. Those that are secrets only as texts have a meaning of their own there. */
export type Described = ReadonlySet<string>
const nothing: Described = new Set()

/** Any JSON without what its names make a secret. Returns the same value if there is nothing to hide. */
export function withoutNamed<T>(value: T, described: Described = nothing): T {
  return hidden(value, described, false) as T
}

function hidden(value: unknown, described: Described, isOfSchemas: boolean): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => hidden(item, described, false))
    return items.every((item, at) => item === value[at]) ? value : items
  }
  if (!isObject(value)) return value
  const repeats = isProblem(value) && value.loc.some((step) => secrecyOf(String(step)) !== undefined)
  let shown: JsonObject = value
  for (const [name, field] of Object.entries(value)) {
    const told = repeats && name === 'input' ? blank(field) : fieldOf(name, field, described, isOfSchemas)
    if (told === field) continue
    if (shown === value) shown = { ...value }
    shown[name] = told as JsonObject
  }
  return shown
}

function fieldOf(name: string, field: unknown, described: Described, isOfSchemas: boolean): unknown {
  // The properties of a schema are no values.
  if (isOfSchemas && isObject(field)) return hidden(field, described, false)
  const secrecy = secrecyOf(name)
  if (secrecy === 'all') return blank(field)
  if (secrecy === 'text' && typeof field === 'string' && !described.has(name)) return textOf(name, field)
  return hidden(field, described, name === 'properties')
}

/** Whether this is an item of a ValidationError that repeats the input. */
export function isProblem(item: unknown): item is JsonObject & { loc: (string | number)[]; input: unknown } {
  return isObject(item) && Array.isArray(item.loc) && 'input' in item
}

/** Keeps the names of fields, and what is true, false or null, to show what was there. */
export function blank(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(blank)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, blank(field)]))
  return value === null || value === undefined || typeof value === 'boolean' ? value : blanked
}

/** Whether a text that is no JSON may have a secret: a name of one, and then a value. */
export function mayHaveSecret(text: string): boolean {
  for (const [, name = ''] of text.matchAll(/([\w.-]{1,64})["']?\s{0,9}[:=]/g)) {
    if (secrecyOf(name) !== undefined) return true
  }
  return false
}
