import { readFileSync } from 'node:fs'
import { readDateTime, readTimestamp } from '../../src/engine/contract/pydantic/datetime.js'
import {
  readBoolean,
  readInteger,
  readNumber,
  readUuid,
  type ScalarError
} from '../../src/engine/contract/pydantic/scalars.js'

type Row<Input, Output> = [input: Input, output: Output]

/** The results of pydantic for some hundred inputs; null means a refusal without a reason. */
interface Facts {
  integer: Row<string, number | null>[]
  number: Row<string, number | null>[]
  boolean: Row<string, boolean | null>[]
  uuid: Row<string, string | ScalarError>[]
  lax: Row<string, string | ScalarError>[]
  strict: Row<string, string | ScalarError>[]
  timestamp: Row<number, string | null>[]
}

const facts: Facts = JSON.parse(readFileSync(new URL('./scalars.facts.json', import.meta.url), 'utf8'))

const strict = (text: string) => readDateTime(text, false)
const lax = (text: string) => readDateTime(text, true)
const readers = { readInteger, readNumber, readBoolean, readUuid, strict, lax }

function expectFacts<Input, Output>(rows: Row<Input, Output>[], read: (input: Input) => Output | undefined): void {
  expect(rows.length).toBeGreaterThan(50)
  expect(rows.map(([input]) => [input, read(input) ?? null])).toEqual(rows)
}

test('readInteger accepts and refuses what pydantic does', () => {
  expectFacts(facts.integer, readInteger)
})

test('readInteger accepts 4300 characters, not counting leading zeros, a plus and underscores, but counting a minus', () => {
  const digits = '1'.repeat(4300)
  expect(readInteger(digits)).toBeDefined()
  expect(readInteger(`+${digits}`)).toBeDefined()
  expect(readInteger(`000${digits}.0`)).toBeDefined()
  expect(readInteger(`1_${digits.slice(1)}`)).toBeDefined()
  expect(readInteger(`-${digits.slice(1)}`)).toBeDefined()
  expect(readInteger(`${digits}1`)).toBeUndefined()
  expect(readInteger(`-${digits}`)).toBeUndefined()
  expect(readInteger(`1_${digits}`)).toBeUndefined()
})

test('readInteger gives the largest double for larger numbers, so that they stay integers', () => {
  expect(readInteger('1'.repeat(400))).toBe(Number.MAX_VALUE)
  expect(readInteger(`-${'1'.repeat(400)}`)).toBe(-Number.MAX_VALUE)
})

test('readInteger has no negative zero', () => {
  expect(readInteger('-0')).toBe(0)
  expect(readInteger(' -00.0 ')).toBe(0)
})

test('readNumber accepts and refuses what pydantic does, except for what is not finite', () => {
  expectFacts(facts.number, readNumber)
})

test.each(['nan', '-inf', '+Infinity', '1e309', '-1e309'])('readNumber refuses %s', (text) => {
  expect(readNumber(text)).toBeUndefined()
})

test('readBoolean accepts and refuses what pydantic does', () => {
  expectFacts(facts.boolean, readBoolean)
})

test('readUuid gives the canonical form or the reason that pydantic gives', () => {
  expectFacts(facts.uuid, readUuid)
})

test('readUuid reads every form of one UUID as the same text', () => {
  const uuid = '936da01f-9abd-4d9d-80c7-02af85c822a8'
  const forms = [uuid, uuid.toUpperCase(), uuid.replaceAll('-', ''), `{${uuid}}`, `urn:uuid:${uuid.toUpperCase()}`]
  expect(forms.map(readUuid)).toEqual(forms.map(() => uuid))
})

test('readUuid names the place of each single wrong character', () => {
  const uuid = '936da01f-9abd-4d9d-80c7-02af85c822a8'
  for (let at = 0; at < uuid.length; at++) {
    const reason = `invalid character: found \`x\` at ${at + 1}`
    expect(readUuid(`${uuid.slice(0, at)}x${uuid.slice(at + 1)}`)).toEqual({ reason })
  }
})

test('readDateTime gives the moment or the reason that strict pydantic gives', () => {
  expectFacts(facts.strict, strict)
})

test('readDateTime gives the moment or the reason that lax pydantic gives', () => {
  expectFacts(facts.lax, lax)
})

test('readDateTime accepts seconds and milliseconds since 1970 only in lax mode', () => {
  const unix = facts.lax.filter(([text, moment]) => typeof moment === 'string' && !text.includes('-', 1))
  expect(unix.length).toBeGreaterThan(10)
  for (const [text] of unix) expect([text, strict(text)]).toEqual([text, { reason: expect.any(String) }])
  expect(strict('1700000000')).toEqual({ reason: 'invalid date separator, expected `-`' })
  expect(strict('5')).toEqual({ reason: 'input is too short' })
})

test('readDateTime leaves the canonical form unchanged', () => {
  const moments = [...facts.lax, ...facts.strict].map(([, moment]) => moment)
  for (const moment of moments.filter((it) => typeof it === 'string')) {
    expect(strict(moment)).toBe(moment)
    expect(lax(moment)).toBe(moment)
    expect(new Date(moment).toISOString()).toBe(moment)
  }
})

test('readDateTime stays within the calendar if the zone leads out of it', () => {
  expect(strict('0001-01-01T00:00:00+00:01')).toBe('0001-01-01T00:00:00.000Z')
  expect(strict('9999-12-31T23:59:59-00:01')).toBe('9999-12-31T23:59:59.999Z')
  expect(strict('9999-12-31T23:59:00-00:00')).toBe('9999-12-31T23:59:00.000Z')
})

test('readDateTime accepts only days of the calendar', () => {
  for (const year of [1900, 2000, 2023, 2024]) {
    for (let month = 1; month <= 12; month++) {
      const days = new Date(Date.UTC(year, month, 0)).getUTCDate()
      const date = (day: number) => `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
      expect(lax(date(1))).toBe(`${date(1)}T00:00:00.000Z`)
      expect(lax(date(days))).toBe(`${date(days)}T00:00:00.000Z`)
      const reason = 'day value is outside expected range'
      expect(lax(date(0))).toEqual({ reason })
      expect(lax(date(days + 1))).toEqual({ reason })
    }
  }
})

test('readDateTime agrees with Date on every zone', () => {
  for (let minutes = -1439; minutes < 1440; minutes += 7) {
    const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
    const zone = `${minutes < 0 ? '-' : '+'}${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
    const text = `2024-02-29T12:34:56.789${zone}`
    expect(strict(text)).toBe(new Date(text).toISOString())
    expect(strict(text.replace(/:(\d\d)$/, '$1'))).toBe(new Date(text).toISOString())
  }
})

test('readTimestamp accepts and refuses what lax pydantic does', () => {
  expectFacts(facts.timestamp, readTimestamp)
})

test('readTimestamp refuses what is not a number of time', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    expect(readTimestamp(value)).toBeUndefined()
  }
})

// One quadratic reader would take hours: the test would not end.
test('Hostile texts are read in linear time', () => {
  const size = 300_000
  const units = ['0', '1', '_', '1_', '0_', '-', '.', ' ', '\u0085', '\ufeff', '\0', 'a', '{', '{}', '\ud800', '😀']
  for (const unit of units) {
    const long = unit.repeat(size / unit.length)
    const texts = [long, ` ${long}x`, `1${long}x`, `1.${long}`, `{${long}}`, `2024-01-01T00:00:00.${long}x`]
    for (const text of texts) for (const read of Object.values(readers)) read(text)
  }
})

test('Hostile texts with lone surrogates are refused without an exception', () => {
  for (const text of ['\ud800', '1\udc00', '2024-01-01T00:00:00\ud800', '\ud83d-\ude00', '\udfff'.repeat(12)]) {
    expect(readInteger(text)).toBeUndefined()
    expect(readNumber(text)).toBeUndefined()
    expect(readBoolean(text)).toBeUndefined()
    expect(readUuid(text)).toEqual({ reason: expect.stringMatching(/^invalid character: found `/) })
    expect(strict(text)).toEqual({ reason: expect.any(String) })
    expect(lax(text)).toEqual({ reason: expect.any(String) })
  }
})
