import { methodsOf } from '../../src/apis/knowledge-chat/rules/connectors/definition.js'
import { pageText } from '../../src/apis/knowledge-chat/rules/web/page-text.js'
import { readDateTime } from '../../src/engine/contract/pydantic/datetime.js'
import { readInteger, readNumber, readUuid } from '../../src/engine/contract/pydantic/scalars.js'
import { startTestMock } from '../mock.js'
import { workOf } from '../work.js'

const mock = await startTestMock({ fixtures: 'demo', assume: { 'limits.text': 'none' } })

const definition = (path: string, more: object = {}) => ({
  openapi: '3.0.0',
  info: { title: 'a', description: 'b' },
  servers: [{ url: 'http://a.example' }],
  paths: { [path]: { get: { operationId: 'a', summary: 'b', ...more } } }
})

test('a definition with a reference of a million steps costs no more than one with a few', async () => {
  const refer = (steps: number) => definition('/a', { parameters: [{ $ref: `#/${'/'.repeat(steps)}` }] })
  expect(methodsOf(refer(1e6))).toHaveLength(1)
  const [few, many] = [await workOf(() => methodsOf(refer(10))), await workOf(() => methodsOf(refer(1e6)))]
  // The reference itself is scanned for its next slash.
  expect(many - few).toBeLessThan(1e6 + 100)
})

test('a definition follows a reference once, however many objects have it', async () => {
  let looks = 0
  const deep = (levels: number): object =>
    new Proxy(levels === 0 ? { in: 'path', name: 'id' } : { a: deep(levels - 1) }, {
      getOwnPropertyDescriptor(target, name) {
        looks++
        return Reflect.getOwnPropertyDescriptor(target, name)
      }
    })
  const refer = (count: number) => ({
    ...definition('/{id}', { parameters: Array.from({ length: count }, () => ({ $ref: `#/x${'/a'.repeat(400)}` })) }),
    x: deep(400)
  })
  expect(methodsOf(refer(1))).toHaveLength(1)
  const once = looks
  looks = 0
  expect(methodsOf(refer(5000))).toHaveLength(1)
  expect([once, looks]).toEqual([400, 400])
})

test('a definition may have at most a hundred placeholders in a path, and is quoted in part', () => {
  expect(methodsOf(definition(`/${'{}'.repeat(1e6)}`))).toMatch(/^Path \/(\{\})+\{?… has more than 100 parameters$/)
  expect(methodsOf({ ...definition('/a'), openapi: '2'.repeat(1e6) })).toHaveLength(
    'OpenAPI version  is not supported'.length + 203
  )
})

test('an address of more than 8000 characters has no page', async () => {
  const urls = [7999, 8000, 8001].map((length) => 'http://a.example/'.padEnd(length, 'a-'))
  const { status, body } = await mock.call('POST', '/api/web-search/open-urls', { body: { urls } })
  expect(status).toBe(200)
  expect(
    body.results.map((it: { unique_identifier_to_strip_away: string }) => it.unique_identifier_to_strip_away)
  ).toEqual(urls.slice(0, 2))
})

test('an address gets its title from its end, so a long path costs no more than a short one', async () => {
  const url = (parts: number) => new URL(`http://a.example/guides${'/-'.repeat(parts)}/set-up.html`)
  expect(pageText(url(3000), '1').split('\n')[0]).toBe('Set Up | a.example')
  const cost = (parts: number) => workOf(() => pageText(url(parts), '1'))
  // The text itself is read once, for the seed.
  expect(await cost(3000)).toBeLessThan((await cost(600)) + 100)
})

test('a filter by name is converted to lower case once, not for each connector', async () => {
  const { body } = await mock.call('POST', '/api/manage/admin/connector/indexing-status', { body: {} })
  expect(body.length).toBeGreaterThan(3)
  const filter = 'A'.repeat(100_000)
  const body2 = { name_filter: filter }
  let lowered = 0
  const { toLowerCase } = String.prototype
  String.prototype.toLowerCase = function () {
    if (this.length === filter.length) lowered++
    return toLowerCase.call(this)
  }
  try {
    await mock.call('POST', '/api/manage/admin/connector/indexing-status', { body: body2 })
  } finally {
    String.prototype.toLowerCase = toLowerCase
  }
  expect(lowered).toBeLessThanOrEqual(2)
})

test('a text longer than any number or date is refused without parsing', async () => {
  for (const text of [
    '1'.repeat(1e6),
    ' '.repeat(1e6),
    '1_'.repeat(1e6),
    `${'0'.repeat(1e6)}.`,
    `${'0'.repeat(1e6)}e`
  ]) {
    const work = await workOf(() => {
      expect([readInteger(text), readNumber(text)]).toEqual([undefined, undefined])
      expect(readDateTime(text, true)).toEqual({ reason: 'unexpected extra characters at the end of the input' })
    })
    expect(work).toBeLessThan(1000)
  }
})

test('the reason why a text is not a UUID is found only when it is reported', async () => {
  const text = '-'.repeat(1e5)
  const work = await workOf(() => readUuid(text))
  expect(work).toBeLessThan(1000)
  expect(readUuid(text)).toEqual({ reason: 'invalid group count: expected 5, found 100001' })
})

test('a field with a name longer than 1000 characters is refused, also in free-form objects', async () => {
  const send = (name: string) =>
    mock.call('POST', '/api/admin/tool/custom/validate', { body: { definition: { [name]: 1 } } })
  const { status, body } = await send('/'.repeat(1001))
  expect([status, body]).toEqual([413, { detail: 'The body has a field whose name is longer than 1000 characters.' }])
  expect((await send('/'.repeat(1000))).body.detail[0].msg).toMatch(/`info` section/)
})
