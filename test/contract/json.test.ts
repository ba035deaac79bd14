import { readFileSync } from 'node:fs'
import { parseJson } from '../../src/engine/contract/json.js'

interface JsonError {
  offset: number
  error: string
}

/** Where Python's json module fails in some hundred texts; null where it does not. */
const facts: { rows: [text: string, fault: JsonError | null][] } = JSON.parse(
  readFileSync(new URL('./json.facts.json', import.meta.url), 'utf8')
)
const faulty = facts.rows.filter((row): row is [string, JsonError] => row[1] !== null)

test('parseJson fails when Python does, with its message', () => {
  expect(facts.rows.length).toBeGreaterThan(200)
  const found = facts.rows.map(([text]) => {
    const result = parseJson(text)
    return [text, 'value' in result ? null : result]
  })
  expect(found).toEqual(facts.rows)
})

test('parseJson gives the same value as JSON.parse', () => {
  for (const [text, fault] of facts.rows) {
    if (!fault) expect(parseJson(text)).toEqual({ value: JSON.parse(text) })
  }
  expect(parseJson(' {"a": [1, null, "😀"]} ')).toEqual({ value: { a: [1, null, '😀'] } })
})

test('parseJson keeps a property named __proto__ as one of the object', () => {
  const result = parseJson('{"__proto__": {"admin": true}}') as { value: object }
  expect(Object.keys(result.value)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(result.value)).toBe(Object.prototype)
})

test('parseJson finds each mistake later by the number of characters before it', () => {
  for (const [text, { offset, error }] of faulty) {
    if (text.startsWith('\ufeff')) continue
    expect([text, parseJson(` \t\r\n${text}`)]).toEqual([text, { offset: offset + 4, error }])
  }
})

test('parseJson finds the same mistake inside another value, counting code points', () => {
  const before = '{"😀é": ["\\"😀", {"a": '
  for (const [text, { offset, error }] of faulty) {
    // Text after a value has another meaning there; a BOM is then just a wrong character.
    if (error === 'Extra data' || error.includes('BOM')) continue
    expect([text, parseJson(before + text)]).toEqual([text, { offset: [...before].length + offset, error }])
  }
})

test.each(['NaN', 'Infinity', '-Infinity'])('parseJson refuses %s, which Python accepts, at its place', (text) => {
  expect(parseJson(text)).toEqual({ offset: 0, error: 'Expecting value' })
  expect(parseJson(`{"a": [1, ${text}]} x`)).toEqual({ offset: 10, error: 'Expecting value' })
})

test('parseJson finds the end of a mebibyte of open brackets', () => {
  const size = 1024 * 1024
  expect(parseJson('['.repeat(size))).toEqual({ offset: size, error: 'Expecting value' })
  expect(parseJson('{"a":'.repeat(1e5))).toEqual({ offset: 5e5, error: 'Expecting value' })
  expect(parseJson(`${'[{"a":'.repeat(1e5)}1${'}]'.repeat(1e5)}]`)).toEqual({ offset: 8e5 + 1, error: 'Extra data' })
})

// Quadratic work would take hours: the test would not end.
test('parseJson reads long texts in linear time', () => {
  for (const unit of ['"', '"a', '\\', '\\u0041', '1', '-', '1e', ' ', '1,', '{"":', '😀', '\ud800', '\0']) {
    const long = unit.repeat(1e6 / unit.length)
    for (const text of [long, `"${long}`, `[${long}`, `1${long}x`]) {
      const result = parseJson(text)
      if ('error' in result) expect(result.offset).toBeLessThanOrEqual(text.length)
    }
  }
})

test('parseJson also works when JSON.parse gives up on a valid text', () => {
  const { parse } = JSON
  JSON.parse = () => {
    throw new RangeError('Maximum call stack size exceeded')
  }
  try {
    expect(parseJson(' [{"a": [1, "b"], "c": {}}, []] ')).toEqual({ offset: 0, error: 'Expecting value' })
  } finally {
    JSON.parse = parse
  }
})
