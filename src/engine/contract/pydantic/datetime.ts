import { longestScalar, type ScalarError } from './scalars.js'

const decimal = /^[+-]?(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const extra = 'unexpected extra characters at the end of the input'
const short = 'input is too short'

/**
 * Returns the moment in canonical form, YYYY-MM-DDTHH:mm:ss.sssZ. Without a zone it is UTC. In lax mode a date without
 * a time, and seconds or milliseconds since 1970, are valid too. Strict pydantic also accepts those numbers, but a
 * contract that says date-time does not.
 */
export function readDateTime(text: string, lax: boolean): string | ScalarError {
  if (text.length > longestScalar) return { reason: extra }
  const date = readDate(text)
  const moment = typeof date === 'number' ? readTime(text, date) : date
  if (typeof moment === 'string') return moment
  if (date === 0 && moment.reason === yearZero) return moment
  const unix = readUnix(text)
  if (!lax) return typeof unix === 'object' ? unix : moment
  if (typeof unix === 'string') return unix
  // For a number with a fraction that is out of range, pydantic reports why it is not a date.
  if (typeof date === 'object') return unix && (unix.reason === yearZero || !text.includes('.')) ? unix : date
  if (text.length > 10) return { reason: extra }
  return date === 0 ? { reason: yearZero } : `${text}T00:00:00.000Z`
}

/** The moment of an ISO 8601 date or time, if it is valid. `Date.parse` would read February 30 as March 2. */
export function readMoment(text: string): string | undefined {
  const moment = /^\d{4}-\d\d-\d\d/.test(text) ? readDateTime(text, true) : undefined
  return typeof moment === 'string' ? moment : undefined
}

/** The only reason that pydantic gives for a date-time where a date is expected. */
export const yearZero = 'year 0 is out of range'

function readDate(text: string): number | ScalarError {
  if (lacks(text, 0, 10)) return { reason: short }
  const year = pair(text, 0) * 100 + pair(text, 2)
  if (Number.isNaN(year)) return { reason: 'invalid character in year' }
  if (text[4] !== '-') return { reason: 'invalid date separator, expected `-`' }
  const month = pair(text, 5)
  if (Number.isNaN(month)) return { reason: 'invalid character in month' }
  if (text[7] !== '-') return { reason: 'invalid date separator, expected `-`' }
  const day = pair(text, 8)
  if (Number.isNaN(day)) return { reason: 'invalid character in day' }
  if (month < 1 || month > 12) return { reason: 'month value is outside expected range of 1-12' }
  if (day < 1 || day > daysIn(year, month)) return { reason: 'day value is outside expected range' }
  return year
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** The moment of a text that starts with a valid date. */
function readTime(text: string, year: number): string | ScalarError {
  const separator = text[10]
  if (separator !== 'T' && separator !== 't' && separator !== ' ' && separator !== '_') {
    return { reason: 'invalid datetime separator, expected `T`, `t`, `_` or space' }
  }
  if (lacks(text, 11, 5)) return { reason: short }
  const hour = pair(text, 11)
  if (Number.isNaN(hour)) return { reason: 'invalid character in hour' }
  if (text[13] !== ':') return { reason: 'invalid time separator, expected `:`' }
  const minute = pair(text, 14)
  if (Number.isNaN(minute)) return { reason: 'invalid character in minute' }
  if (hour > 23) return { reason: 'hour value is outside expected range of 0-23' }
  if (minute > 59) return { reason: 'minute value is outside expected range of 0-59' }
  let at = 16
  let seconds = '00'
  let fraction = ''
  if (text[at] === ':') {
    seconds = text.slice(17, 19)
    const second = pair(text, 17)
    if (Number.isNaN(second)) return { reason: 'invalid character in second' }
    if (second > 59) return { reason: 'second value is outside expected range of 0-59' }
    at = 19
    if (text[at] === '.' || text[at] === ',') {
      at = skipDigits(text, 20)
      if (at === 20) return { reason: 'second fraction digits missing after `.`' }
      fraction = text.slice(20, Math.min(at, 23))
    }
  }
  let zone = 0
  const sign = text[at]
  if (sign === 'Z' || sign === 'z') at++
  else if (sign !== undefined) {
    // U+2212 is the minus sign of ISO 8601.
    if (sign !== '+' && sign !== '-' && sign !== '\u2212') return { reason: 'invalid timezone sign' }
    const hours = pair(text, at + 1)
    if (Number.isNaN(hours)) return { reason: 'invalid timezone hour' }
    at += text[at + 3] === ':' ? 4 : 3
    const minutes = pair(text, at)
    if (Number.isNaN(minutes)) return { reason: 'invalid timezone minute' }
    if (minutes > 59) return { reason: 'timezone minute value is outside expected range of 0-59' }
    if (hours > 23) return { reason: 'timezone offset must be less than 24 hours' }
    zone = (sign === '+' ? 1 : -1) * (hours * 60 + minutes)
    at += 2
  }
  if (at < text.length) return { reason: extra }
  if (year === 0) return { reason: yearZero }
  if (isCanonical(text)) return text
  const local = `${text.slice(0, 10)}T${text.slice(11, 16)}:${seconds}.${fraction.padEnd(3, '0')}Z`
  if (zone === 0) return local
  // In year 1 and year 9999 the zone may lead out of the calendar.
  return new Date(Math.max(first, Math.min(last, Date.parse(local) - zone * 60_000))).toISOString()
}

/** Whether a valid moment is already in canonical form. All moments that the mock writes are. */
function isCanonical(text: string): boolean {
  return text.length === 24 && text[10] === 'T' && text[19] === '.' && text[23] === 'Z'
}

const first = Date.parse('0001-01-01T00:00:00.000Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')

/** Whether fewer than `size` bytes are left from position `from`. */
function lacks(text: string, from: number, size: number): boolean {
  return text.length < from + size && Buffer.byteLength(text.slice(from)) < size
}

/** The number that two digits form, or NaN. */
function pair(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** The place after the digits that begin at `from`, if there are any. */
export function skipDigits(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at++
  return at
}

/** Numbers above this are milliseconds since 1970; others are seconds. */
const watershed = 20_000_000_000
const word = 2 ** 32

/** The moment of a text with seconds or milliseconds since 1970, or undefined if it is not a number. */
function readUnix(text: string): string | ScalarError | undefined {
  const negative = text[0] === '-'
  const start = negative || text[0] === '+' ? 1 : 0
  const end = skipDigits(text, start)
  const decimals = text[end] === '.'
  if (decimals ? !decimal.test(text) : end === start || end < text.length) return undefined
  // The library adds in 64 bits and detects an overflow only by the sign, so some longer numbers wrap around.
  let high = 0
  let low = 0
  for (let at = start; at < end; at++) {
    low = low * 10 + text.charCodeAt(at) - 48
    high = (high * 10 + Math.floor(low / word)) % word
    low %= word
    if (high >= word / 2) return undefined
  }
  const value = decimals ? Number(text) : (high * word + low) * (negative ? -1 : 1)
  if (!decimals) return fromUnix(value, 0)
  const seconds = Math.abs(value) > watershed ? value / 1000 : value
  const whole = Math.max(-(2 ** 63), Math.min(2 ** 63, Math.floor(seconds)))
  return fromUnix(whole, Math.max(0, Math.min(word - 1, Math.round((seconds - whole) * 1e6))))
}

/** The moment of a number of seconds or milliseconds since 1970, plus some microseconds. */
function fromUnix(value: number, microseconds: number): string | ScalarError {
  const scale = Math.abs(value) > watershed ? 1000 : 1
  const rest = ((value % scale) + scale) % scale
  const whole = (value - rest) / scale
  const micros = microseconds + rest * 1000
  if (micros >= word) return { reason: 'numeric times may not exceed 86,399 seconds' }
  const milliseconds = whole * 1000 + Math.floor(micros / 1000)
  if (milliseconds < Date.parse('0000-01-01T00:00:00.000Z')) {
    return { reason: 'dates before 0000 are not supported as unix timestamps' }
  }
  if (milliseconds > last) return { reason: 'dates after 9999 are not supported as unix timestamps' }
  return milliseconds < first ? { reason: yearZero } : new Date(milliseconds).toISOString()
}

/** The moment of a number of seconds or milliseconds since 1970, as pydantic's lax mode reads it. */
export function readTimestamp(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined
  // pydantic adds the fraction to the lower whole second, for negative numbers too.
  const fraction = Math.abs(value - Math.trunc(value))
  const moment = fromUnix(Math.floor(value), Math.round(fraction * (Math.abs(value) > watershed ? 1e3 : 1e6)))
  return typeof moment === 'string' ? moment : undefined
}
