import type { Json, JsonObject } from '../../../src/engine/contract/load.js'
import { compare, type Document, documentOfSchema } from './documents.js'

const text = { type: 'string' }
const integer = { type: 'integer' }
const number = { type: 'number' }
const list = (items: JsonObject, more: JsonObject = {}) => ({ type: 'array', items, ...more })
const object = (properties: JsonObject, required: string[] = [], more: JsonObject = {}) => ({
  type: 'object',
  properties,
  required,
  ...more
})

const operation = (more: JsonObject, components: JsonObject = {}): Document => ({
  openapi: '3.1.0',
  paths: { '/things': { post: { responses: { 200: { description: 'ok' } }, ...more } } },
  components
})
const parameter = (schema: JsonObject, more: JsonObject = {}) =>
  operation({ parameters: [{ name: 'x', in: 'query', schema, ...more }] })
const form = (schema: JsonObject, type = 'multipart/form-data') =>
  operation({ requestBody: { content: { [type]: { schema } } } })
const reply = (responses: JsonObject) => operation({ responses })
const ok = (schema: JsonObject) => ({ description: 'ok', content: { 'application/json': { schema } } })

const breaks = (was: Document, is: Document) =>
  compare(was, is)
    .filter(({ level }) => level === 'breaking')
    .map(({ id }) => id)

test.each<[string, JsonObject, JsonObject]>([
  ['a list of integers and a range', { ...integer, enum: [1, 2, 3] }, { ...integer, minimum: 1, maximum: 3 }],
  ['an exclusive limit of integers', { ...integer, exclusiveMinimum: 0 }, { ...integer, minimum: 1 }],
  ['a limit that a list of values keeps', { ...text, enum: ['x', 'yy'] }, { ...text, enum: ['x', 'yy'], maxLength: 2 }],
  [
    'a number of fields that are required',
    object({ a: text }, ['a']),
    object({ a: text }, ['a'], { minProperties: 1 })
  ],
  ['oneOf and anyOf of what is apart', { oneOf: [text, integer] }, { anyOf: [text, integer] }],
  [
    'oneOf and anyOf that a field distinguishes',
    { oneOf: [object({ k: { const: 'a' } }, ['k']), object({ k: { const: 'b' } }, ['k'])] },
    { anyOf: [object({ k: { const: 'a' } }, ['k']), object({ k: { const: 'b' } }, ['k'])] }
  ]
])('the same values in other words: %s', (_, one, other) => {
  expect([breaks(documentOfSchema(one), documentOfSchema(other))]).toEqual([[]])
  expect([breaks(documentOfSchema(other), documentOfSchema(one))]).toEqual([[]])
})

test('the same values in other words: a list with fewer values than the range breaks', () => {
  const [all, some] = [
    { ...integer, minimum: 1, maximum: 3 },
    { ...integer, enum: [1, 3] }
  ]
  expect(breaks(documentOfSchema(all), documentOfSchema(some))).toEqual(['request-body-enum-value-removed'])
})

test('the same values in other words: an exclusive limit of numbers is another limit', () => {
  const [out, at] = [
    { ...number, exclusiveMinimum: 0 },
    { ...number, minimum: 1 }
  ]
  expect(breaks(documentOfSchema(out), documentOfSchema(at))).toContain('request-body-min-set')
})

test.each<[string, Json[]]>([
  ['numbers', [number, integer]],
  ['objects', [object({ a: text }, ['a']), object({ b: text }, ['b'])]]
])('oneOf refuses what fits two alternatives, and anyOf takes it: %s', (_, alternatives) => {
  const [one, any] = [documentOfSchema({ oneOf: alternatives }), documentOfSchema({ anyOf: alternatives })]
  expect(breaks(one, any)).toEqual(['response-body-one-of-became-any-of'])
  expect(breaks(any, one)).toContain('request-body-any-of-became-one-of')
})

test.each<[string, (n: number) => Document, (n: number) => Document]>([
  [
    'a field with one value',
    (n) => object({ k: { const: `k${n}` } }, ['k']),
    (n) => object({ k: { const: n } }, ['k'])
  ],
  ['their names', (n) => object({ [`a${n}`]: text }, ['k']), (n) => object({ [`b${n}`]: text }, ['k'])]
])('the alternatives of a oneOf that %s distinguishes are each read a few times', (_, was, is) => {
  const reads = (count: number): number => {
    let sum = 0
    const all = (make: (n: number) => Document) =>
      Array.from({ length: count }, (_, n) =>
        Object.defineProperty(make(n), 'anyOf', { enumerable: true, get: () => void sum++ })
      )
    const [before, after, other] = [all(was), all(was).reverse(), all(is)]
    expect(compare(documentOfSchema({ oneOf: before }), documentOfSchema({ oneOf: after }))).toEqual([])
    const changes = compare(documentOfSchema({ oneOf: before }), documentOfSchema({ oneOf: other }))
    expect(changes.filter(({ id }) => /one-of-(added|removed)$/.test(id))).toHaveLength(count * 4)
    return sum
  }
  expect(reads(60)).toBeLessThan(reads(30) * 2.2)
})

test.each<[string, Document, Document]>([
  ['a list as one text', parameter(list(text)), parameter(list(text), { explode: false })],
  ['a list that is repeated', parameter(list(integer), { explode: false }), parameter(list(integer))],
  [
    'another sign between',
    parameter(list(text), { explode: false }),
    parameter(list(text), { explode: false, style: 'spaceDelimited' })
  ]
])('how a parameter is written breaks: %s', (_, was, is) => {
  expect(breaks(was, is)).toEqual(['request-parameter-style-changed'])
})

test('how a parameter is written is the same with an explicit default, and with a single value', () => {
  expect(compare(parameter(list(text)), parameter(list(text), { style: 'form', explode: true }))).toEqual([])
  expect(compare(parameter(text), parameter(text, { explode: false }))).toEqual([])
})

test('how a parameter is written breaks if it forbids empty values and its schema refuses them, too', () => {
  const empty = { allowEmptyValue: true }
  const some = { ...text, minLength: 1 }
  expect(breaks(parameter(some, empty), parameter(some))).toEqual(['request-parameter-empty-value-forbidden'])
  expect(compare(parameter(text, empty), parameter(text))).toEqual([])
})

test.each([integer, number, { type: 'boolean' }])('values that are sent as text may become any text: %j', (schema) => {
  expect(breaks(parameter(schema), parameter(text))).toEqual([])
  expect(breaks(form(object({ a: schema })), form(object({ a: text })))).toEqual([])
  expect(breaks(parameter(text), parameter(schema))).toEqual(['request-parameter-type-specialized'])
  const inside = (it: JsonObject) => form(object({ a: object({ b: it }) }))
  expect(breaks(inside(schema), inside(text))).toEqual(['request-property-type-changed'])
})

test('values that are sent as text break if the text has limits', () => {
  expect(breaks(parameter(number), parameter({ ...text, maxLength: 3 }))).toEqual(['request-parameter-max-length-set'])
  expect(breaks(parameter(integer), parameter({ ...text, format: 'uuid' }))).toEqual(['request-parameter-type-changed'])
})

test('read-only fields are not in requests, and write-only fields not in replies', () => {
  const plain = object({ a: text })
  const read = object({ a: text, id: { ...integer, readOnly: true } }, ['id'])
  const written = object({ a: text, secret: { ...text, writeOnly: true } }, ['secret'])
  expect(compare(documentOfSchema(plain), documentOfSchema(read)).map(({ id }) => id)).toEqual([
    'response-required-property-added'
  ])
  expect(breaks(documentOfSchema(read), documentOfSchema(plain))).toEqual(['response-required-property-removed'])
  expect(compare(documentOfSchema(written), documentOfSchema(plain)).map(({ id }) => id)).toEqual([
    'request-property-removed'
  ])
})

test('a sign-in with fewer requirements still accepts who signed in before', () => {
  const schemes = { securitySchemes: { a: { type: 'http', scheme: 'bearer' }, b: { type: 'http', scheme: 'basic' } } }
  const signed = (...security: Json[]) => operation({ security }, schemes)
  expect(breaks(signed({ a: [], b: [] }), signed({ a: [] }))).toEqual([])
  expect(breaks(signed({ a: [] }), signed({ a: [], b: [] }))).toEqual(['api-security-removed'])
  expect(breaks(signed({ a: ['read'] }), signed({ a: ['read', 'write'] }))).toEqual(['api-security-removed'])
})

test('a range of statuses and a status in it are compared', () => {
  const [some, none] = [ok(object({ a: text }, ['a'])), ok(object({}))]
  expect(compare(reply({ '2XX': some }), reply({ 200: some }))).toEqual([])
  expect(breaks(reply({ '2XX': some }), reply({ 200: none }))).toEqual(['response-required-property-removed'])
  expect(breaks(reply({ 200: some }), reply({ '2XX': none }))).toEqual(['response-required-property-removed'])
})
