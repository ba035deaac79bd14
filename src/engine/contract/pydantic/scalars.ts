/** Why a text is not a valid value, worded as pydantic does. */
export interface ScalarError {
  reason: string
}

/** Longer texts are rejected as numbers and dates, because parsing them takes long. */
export const longestScalar = 10_000

const plainInteger = /^-?(?:0|[1-9]\d{0,14})$/
const wholeInteger = /^-?(?:0|[1-9]\d*)$/
// Sign; leading zeros (underscores between them are ignored, and pydantic allows a minus after them); digits.
const looseInteger = /^([+-]?)(?:(0[0_]*)(?![0_])(-?))?([\d_]*)(?:\.0+)?$/
const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** JavaScript cannot keep such a number as it was sent. */
export function isLarge(value: number): boolean {
  return Math.abs(value) > Number.MAX_SAFE_INTEGER
}

/** An integer from a text, as pydantic's lax mode reads it: " 7 ", "+5", "07", "1_000", "1.0". */
export function readInteger(text: string): number | undefined {
  if (plainInteger.test(text)) return Number(text) + 0
  if (text.length > longestScalar) return undefined
  const match = looseInteger.exec(trim(text))
  if (!match) return undefined
  const [, sign, zeros = '', minus = '', digits = ''] = match
  const rest = minus + digits
  if (rest === '') return zeros.endsWith('0') ? 0 : undefined
  if (!joined(rest)) return undefined
  const whole = (sign === '-' ? '-' : '') + rest.replaceAll('_', '')
  // Python reads at most 4300 characters. An integer that is too large for a double becomes the largest double.
  if (whole.length > 4300 || !wholeInteger.test(whole)) return undefined
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(whole))) + 0
}

/** A number from a text, as pydantic's lax mode reads it. Infinity and NaN are rejected. */
export function readNumber(text: string): number | undefined {
  if (text.length > longestScalar) return undefined
  let plain = trim(text)
  if (!number.test(plain)) {
    plain = text.replaceAll('_', '')
    if (!joined(text) || !number.test(plain)) return undefined
  }
  const value = Number(plain)
  return Number.isFinite(value) ? value : undefined
}

const blank = /[\s\u0085]/

/** Removes white space at both ends as Rust defines it: U+0085 is some, and U+FEFF makes the number invalid. */
function trim(text: string): string {
  if (text.includes('\ufeff')) return ''
  let start = 0
  let end = text.length
  while (start < end && blank.test(text.charAt(start))) start++
  while (start < end && blank.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** Whether each underscore is between two other characters. */
function joined(text: string): boolean {
  return !text.startsWith('_') && !text.endsWith('_') && !text.includes('__')
}

const words = new Map([
  ...['1', 't', 'y', 'on', 'yes', 'true'].map((word) => [word, true] as const),
  ...['0', 'f', 'n', 'no', 'off', 'false'].map((word) => [word, false] as const)
])

/** A boolean from a text, as pydantic's lax mode reads it: in upper or lower case, without white space. */
export function readBoolean(text: string): boolean | undefined {
  return text.length > 5 ? undefined : words.get(text.toLowerCase())
}

const canonicalUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const simpleUuid = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/
const urn = 'urn:uuid:'

/** The canonical form of a UUID. The text may have no hyphens, braces, a URN prefix or capitals. */
export function readUuid(text: string): string | ScalarError {
  if (canonicalUuid.test(text)) return text
  // pydantic counts bytes. It unwraps a text that has the length of a wrapped UUID, and counts from there.
  const size = Buffer.byteLength(text)
  let bare = text
  if (size === 38 && inBraces(text)) bare = text.slice(1, -1)
  if (size === 45 && text.startsWith(urn)) bare = text.slice(urn.length)
  if (size <= 45) {
    const lower = bare.toLowerCase()
    if (canonicalUuid.test(lower)) return lower
    if (simpleUuid.test(lower)) return lower.replace(simpleUuid, '$1-$2-$3-$4-$5')
  }
  // The reason is computed only when it is read, because explaining a long text takes long.
  return {
    get reason() {
      return uuidReason(bare)
    }
  }
}

function inBraces(text: string): boolean {
  return text.length > 1 && text.startsWith('{') && text.endsWith('}')
}

function uuidReason(text: string): string {
  const braced = inBraces(text)
  const offset = braced ? 1 : text.startsWith(urn) ? urn.length : 0
  const body = braced ? text.slice(1, -1) : text.slice(offset)
  const wrong = /[^0-9a-fA-F-]/u.exec(body)
  if (wrong) return `invalid character: found \`${wrong[0]}\` at ${wrong.index + offset + 1}`
  let hyphens = 0
  const ends: number[] = []
  for (let at = 0; at < body.length; at++) {
    if (body.charCodeAt(at) !== 0x2d) continue
    hyphens++
    if (ends.length < 4) ends.push(at)
  }
  if (hyphens === 0 && offset === 0) return `invalid length: expected length 32 for simple format, found ${text.length}`
  if (hyphens !== 4) return `invalid group count: expected 5, found ${hyphens + 1}`
  const starts = [0, 9, 14, 19, 24]
  const sizes = [8, 4, 4, 4, 12]
  // The last group ends at the end of the whole text, including its wrapping, as in the library that pydantic uses.
  ends.push(text.length)
  const group = sizes.findIndex((size, i) => i === 4 || (ends[i] as number) - (starts[i] as number) !== size)
  const length = (ends[group] as number) - (starts[group] as number)
  return `invalid group length in group ${group}: expected ${sizes[group]}, found ${length}`
}

/** pydantic reads no boolean from a number of more than 64 bits. */
export function isLong(value: number): boolean {
  return value >= -(2 ** 63) && value < 2 ** 63
}
