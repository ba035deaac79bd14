import { createMock } from '../../src/doors/program/mock.js'
import { matches } from '../../src/engine/contract/schemas/patterns.js'
import { compare, documentOfSchema } from '../checks/compare/documents.js'
import { ok } from './notes.js'

/** Patterns that take exponential time on this text in a backtracking engine. */
const endless = [
  '^(\\w+\\s?)*$',
  '(x+x+)+y',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '^(?=(\\w+\\s?)*$)\\w',
  '^(a|aa)+$',
  '(.*)*!!'
]
const hostile = `${'ax'.repeat(20_000)}!`

const served = (properties: object, more: object = {}) => {
  const schema = { type: 'object', properties, ...more }
  const post = { requestBody: { content: { 'application/json': { schema } } }, responses: ok({ type: 'object' }) }
  return createMock({
    with: [{ openapi: '3.1.0', info: { title: 'Patterns', version: '1' }, paths: { '/it': { post } } }]
  })
}
const sent = async (mock: ReturnType<typeof served>, body: object) => {
  const response = await mock.fetch('http://mock/it', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body)
  })
  return {
    status: response.status,
    body: (await response.json()) as { detail: string & { type: string; loc: string[] }[] }
  }
}

test.each(endless)('a text on which %s would never end is refused at once', async (pattern) => {
  const mock = served({ name: { type: 'string', pattern } })
  const { status, body } = await sent(mock, { name: hostile })
  expect([status, body.detail[0]?.type, body.detail[0]?.loc]).toEqual([
    422,
    'string_pattern_mismatch',
    ['body', 'name']
  ])
  await mock.close()
})

test('patterns for names of fields are tested in the same way', async () => {
  const mock = served({}, { patternProperties: { '^(\\w+\\s?)*$': { type: 'string' } }, additionalProperties: false })
  expect(await sent(mock, { [`${'a'.repeat(900)}!`]: 'b' })).toMatchObject({ status: 422 })
  await mock.close()
})

test.each([
  ['fifty repetitions', '[a-z]{0,1000}'.repeat(50), 40_000],
  ['repetitions of repetitions', '(?:[a-z]{1,200}){1,200}', 40_000],
  ['large classes', '\\p{L}{1,1000}\\p{L}{1,1000}', 40_000]
])('a pattern with %s blocks the mock no longer than its deadline', async (_, pattern, length) => {
  const mock = served({ name: { type: 'string', pattern: `^${pattern}$` } })
  const { status } = await sent(mock, { name: `${'a'.repeat(length)}!` })
  expect([413, 422]).toContain(status)
  expect(await sent(mock, { name: 'good' })).toMatchObject({ status: 200 })
  await mock.close()
})

test('compare tests patterns for names of fields in the same way', () => {
  const like = { type: 'object', patternProperties: { '^(\\w+\\s?)*$': { type: 'string' } } }
  const named = { ...like, properties: { [`${'a'.repeat(60)}!`]: { type: 'integer' } } }
  expect(compare(documentOfSchema(like), documentOfSchema(named)).length).toBeGreaterThan(0)
})

test('a pattern that no linear engine supports is refused with 413 after its deadline, and the mock still answers', async () => {
  const mock = served({ name: { type: 'string', pattern: '^(?:(?!ab)[a-z]|[a-z])+$' } })
  expect(await sent(mock, { name: 'good' })).toMatchObject({ status: 200 })
  const { status, body } = await sent(mock, { name: `${'z'.repeat(60)}!` })
  expect([status, body.detail]).toEqual([
    413,
    expect.stringContaining('a pattern of the document takes long with this text')
  ])
  expect(await sent(mock, { name: 'good' })).toMatchObject({ status: 200 })
  await mock.close()
})

const texts = [
  ...['', 'a', 'b', 'ab', 'aa', 'aba', '1', 'abc1', '-', '.', '0', '12.5', '-0', 'x', 'xy', 'foo', 'bfoo', '  ', 'a b'],
  ...['Ж', 'αβγ', '😀', 'a😀', '\ud83d', 'é', '\u00a0', '\u2028', '\ufeff', '\v', '\n', '\r', 'a\n', '\0', '\b', '\t'],
  ...['[', ']', '(', ')', '\\', '^', '$', '&', '{a}', 'x{,5}', 'a@b.co', '2024-01-01', '--', 'a--b', 'a-b', 'Z', 'Q']
]

test.each([
  ...[
    '^(?=.*\\d)(?=.*[a-z]).{3,}$',
    '^(?!x)y',
    '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$',
    '^(?=a)b|c',
    '^(?=(a))\\1',
    '^a(?=b)'
  ],
  ...[
    '(a)\\1',
    '(?<=a)b',
    '(?<!a)b',
    '^((?!foo).)*$',
    '(?<n>a)',
    '(?<$x>a)',
    'a{1001}',
    '^.{1,5000}$',
    '^(?:a|b){0,1000}$'
  ],
  ...['\\u{1F600}', '\\ud83d\\ude00', '[\\u4e00-\\u9fa5]+', '\\p{L}+', '\\p{Letter}+', '\\p{Script=Greek}', '\\P{L}'],
  ...['^[^]$', '[]', '[\\w-]+', '[\\d-x]', '[\\b]', '[[:alpha:]]', '[&&]', '[\\]]', '[(]', '[^\\]]', '[^\\S]', '[\\S]'],
  ...['\\S', '^\\S+$', '^[\\s\\S]*$', '.', '^.$', '^..$', '\\W', '\\B', '\\b', '\\0', '\\cA', '^a$', '\\(a\\)', '\\$'],
  ...['\\h', '\\Z', '\\A', '\\Q', '\\z', '\\C', '\\_', '\\-', '\\/', 'x{,5}', '{}', '^\\{.*\\}$', 'x*?', '$^', '']
])('the pattern %s means what it means in JavaScript', (pattern) => {
  const native = [() => new RegExp(pattern, 'u'), () => new RegExp(pattern)].flatMap((make) => {
    try {
      return [make()]
    } catch {
      return []
    }
  })[0] as RegExp
  expect(texts.filter((text) => matches(pattern, text))).toEqual(texts.filter((text) => native.test(text)))
})
