// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import type { Json, JsonObject } from '../../../src/engine/contract/load.js'
import { isSample } from '../../extent.js'
import { compare, documentOfSchema } from './documents.js'

const levels = (was: JsonObject, is: JsonObject) => {
  const changes = compare(documentOfSchema(was), documentOfSchema(is))
  const worst = (side: string) => {
    const found = changes.filter(({ place }) => place.startsWith(side)).map(({ level }) => level)
    return ['breaking', 'warning', 'info'].find((level) => found.includes(level as 'info')) ?? 'same'
  }
  return [worst('request'), worst('response')]
}

const text = { type: 'string' }
const number = { type: 'integer' }
const tuple = (...prefixItems: Json[]) => ({ type: 'array', prefixItems })

/** A schema, and one that allows less. */
const narrower: [what: string, was: JsonObject, is: JsonObject][] = [
  ['a first item that differs from the others', { type: 'array' }, tuple(text)],
  ['a first item of a shorter kind', tuple(text), tuple({ ...text, maxLength: 3 })],
  [
    'a first item that was as all others',
    { type: 'array', items: text },
    { ...tuple({ ...text, maxLength: 3 }), items: text }
  ],
  ['items after the first', tuple(text), { ...tuple(text), items: number }],
  ['something that has to be among the items', { type: 'array' }, { type: 'array', contains: text }],
  ['more of what is among them', { contains: text }, { contains: text, minContains: 2 }],
  ['a most of what is among them', { contains: text }, { contains: text, maxContains: 2 }],
  ['less of what is among them', { contains: text, maxContains: 3 }, { contains: text, maxContains: 2 }],
  ['a smaller kind among them', { contains: text }, { contains: { ...text, maxLength: 3 } }],
  [
    'a larger kind of which few may be',
    { contains: { enum: ['a'] }, minContains: 0, maxContains: 1 },
    { contains: text, minContains: 0, maxContains: 1 }
  ],
  ['items that differ', { type: 'array' }, { type: 'array', uniqueItems: true }],
  ['multiples of a multiple', { multipleOf: 0.1 }, { multipleOf: 0.3 }],
  ['a multiple', { type: 'number' }, { type: 'number', multipleOf: 5 }],
  ['a pattern where an empty one allowed all', { ...text, pattern: '' }, { ...text, pattern: '^a' }],
  ['names of fields', { type: 'object' }, { type: 'object', propertyNames: { maxLength: 3 } }],
  ['fields of a name like this', { type: 'object' }, { type: 'object', patternProperties: { '^a': number } }],
  [
    'smaller fields of a name like this',
    { patternProperties: { '^a': text } },
    { patternProperties: { '^a': { enum: ['b'] } } }
  ],
  [
    'fields of a name like this only',
    { type: 'object', patternProperties: { '^a': text } },
    { type: 'object', patternProperties: { '^a': text }, additionalProperties: false }
  ],
  [
    'a name that no field may have any more',
    { type: 'object', additionalProperties: false, patternProperties: { '^a': text, '^b': text } },
    { type: 'object', additionalProperties: false, patternProperties: { '^a': text } }
  ],
  ['a field that calls for another', { type: 'object' }, { type: 'object', dependentRequired: { a: ['b'] } }],
  ['a field that calls for two others', { dependentRequired: { a: ['b'] } }, { dependentRequired: { a: ['b', 'c'] } }],
  [
    'a field that calls for a schema',
    { type: 'object' },
    { type: 'object', dependentSchemas: { a: { maxProperties: 2 } } }
  ],
  ['what must not be', text, { ...text, not: { enum: ['a'] } }],
  ['more that must not be', { not: { enum: ['a'] } }, { not: { enum: ['a', 'b'] } }],
  [
    'a longer text that must not be',
    { ...text, not: { ...text, maxLength: 3 } },
    { ...text, not: { ...text, maxLength: 4 } }
  ],
  ['a condition', { type: 'object' }, { type: 'object', if: { required: ['a'] }, then: { required: ['b'] } }],
  [
    'more under a condition',
    { if: { required: ['a'] }, then: { maxProperties: 2 } },
    { if: { required: ['a'] }, then: { maxProperties: 1 } }
  ],
  [
    'a condition that applies more often',
    { if: { enum: ['a'] }, then: { maxLength: 0 } },
    { if: { enum: ['a', 'b'] }, then: { maxLength: 0 } }
  ],
  [
    'a condition that applies less often',
    { if: { enum: ['a', 'b'] }, else: { maxLength: 0 } },
    { if: { enum: ['a'] }, else: { maxLength: 0 } }
  ],
  ['no other fields', { type: 'object' }, { type: 'object', unevaluatedProperties: false }],
  [
    'what is in a text',
    { ...text, contentSchema: { type: 'object' } },
    { ...text, contentSchema: { type: 'object', maxProperties: 1 } }
  ],
  ['what kind of text it is', text, { ...text, contentMediaType: 'application/json' }]
]

test.each(narrower)('stricter requests break, and wider replies break: %s', (_, was, is) => {
  expect(levels(was, is)).toEqual(['breaking', 'info'])
  expect(levels(is, was)).toEqual(['info', 'breaking'])
})

test.each<[string, JsonObject, JsonObject]>([
  ['a tuple of other kinds', tuple(number, text), tuple(text, text)],
  ['another thing that must not be', { not: { enum: ['a'] } }, { not: { enum: ['b'] } }],
  [
    'another condition',
    { if: { enum: ['a'] }, then: { maxLength: 0 } },
    { if: { enum: ['b'] }, then: { maxLength: 0 } }
  ],
  ['numbers that are not multiples of each other', { multipleOf: 2 }, { multipleOf: 3 }],
  [
    'a kind among the items that is bounded both ways',
    { contains: text, maxContains: 2 },
    { contains: { enum: ['a'] }, maxContains: 2 }
  ]
])('%s breaks both', (_, was, is) => {
  expect(levels(was, is)).toEqual(['breaking', 'breaking'])
})

test.each<[string, JsonObject, JsonObject]>([
  [
    'words without effect',
    { type: 'array', contains: text, minContains: 0, uniqueItems: false },
    { type: 'array', minContains: 4, then: text }
  ],
  ['a file', { ...text, format: 'binary' }, { ...text, contentMediaType: 'application/octet-stream' }],
  ['what must not be, described', { not: { enum: ['a'] } }, { not: { enum: ['a'], description: 'A' } }],
  ['equal items, listed one by one', { type: 'array', items: text }, { ...tuple(text, text), items: text }]
])('the same: %s', (_, was, is) => {
  expect(levels(was, is)).toEqual(['same', 'same'])
})

const objectWith = (...required: string[]) => ({ type: 'object', required })
const kindOf = (kind: string) => ({ ...objectWith('kind'), properties: { kind: { const: kind } } })

test.each<[string, Json[], Json[], string[]]>([
  ['one that overlaps is added', [text], [text, { ...text, maxLength: 3 }], ['breaking', 'breaking']],
  ['objects that may be both', [objectWith('a')], [objectWith('a'), objectWith('b')], ['breaking', 'breaking']],
  ['one that overlapped is removed', [text, { ...text, maxLength: 3 }], [text], ['breaking', 'breaking']],
  [
    'one grows into another',
    [{ enum: ['a'] }, { ...text, minLength: 3 }],
    [
      { ...text, maxLength: 3 },
      { ...text, minLength: 3 }
    ],
    ['breaking', 'breaking']
  ],
  ['one that is apart is added', [text], [text, number], ['info', 'breaking']],
  [
    'a separate kind is added',
    [kindOf('a'), kindOf('b')],
    [kindOf('a'), kindOf('b'), kindOf('c')],
    ['info', 'breaking']
  ],
  ['two that overlap stay', [text, { ...text, maxLength: 3 }], [{ ...text, maxLength: 3 }, text], ['same', 'same']]
])('a oneOf refuses what fits two alternatives: %s', (_, was, is, expected) => {
  expect(levels({ oneOf: was }, { oneOf: is })).toEqual(expected)
})

const parameterOf = (schema: JsonObject, more: JsonObject = {}) => ({
  openapi: '3.1.0',
  paths: {
    '/things': {
      get: { parameters: [{ name: 'id', in: 'query', schema, ...more }], responses: { 200: { description: 'ok' } } }
    }
  }
})
const changesOf = (was: JsonObject, is: JsonObject, more?: JsonObject) =>
  compare(parameterOf(was, more), parameterOf(is, more)).map(({ level, id }) => `${level} ${id}`)

test('a query parameter that becomes a list accepts a single value as before if a list repeats it', () => {
  expect(changesOf(number, { type: 'array', items: number })).toEqual(['info request-parameter-type-generalized'])
  expect(changesOf(number, { type: 'array', items: { type: 'boolean' } })).toEqual(
    expect.arrayContaining([expect.stringMatching(/^breaking/)])
  )
  expect(changesOf(number, { type: 'array', items: number, minItems: 2 })[0]).toMatch(/^breaking/)
})

test('a query parameter that becomes a list differs if a list is one text, or if it was a list', () => {
  expect(changesOf(number, { type: 'array', items: number }, { explode: false })[0]).toMatch(/^breaking/)
  expect(changesOf({ type: 'array', items: number }, number)[0]).toMatch(/^breaking/)
})

test('a value that one schema allows and the other refuses breaks one side, whatever the words', () => {
  const schemaOf = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({ type: fc.constantFrom('string', 'integer', 'boolean', 'null') }),
      fc.record({ type: fc.constant('string'), maxLength: fc.nat(2) }),
      fc.record({ type: fc.constant('integer'), minimum: fc.nat(3), multipleOf: fc.constantFrom(1, 2) }),
      fc.record({ type: fc.constantFrom('integer', 'number'), exclusiveMinimum: fc.nat(2), maximum: fc.nat(3) }),
      fc.record({ enum: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1 }) }),
      fc.record({ type: fc.constant('object'), required: fc.subarray(['a', 'b']), minProperties: fc.nat(2) }),
      fc.record({ enum: fc.uniqueArray(fc.constantFrom('a', 'bb', 1, null), { minLength: 1 }) }),
      fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: fc.integer({ min: 1, max: 2 }) }),
      fc.record({ type: fc.constant('array'), prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ type: fc.constant('array'), contains: tie('schema'), maxContains: fc.constantFrom(1, 2) }),
      fc.record({ type: fc.constant('array'), uniqueItems: fc.boolean() }),
      fc.record({
        type: fc.constant('object'),
        properties: fc.record({ a: tie('schema'), b: tie('schema') }),
        required: fc.subarray(['a', 'b']),
        additionalProperties: fc.constant(false)
      }),
      fc.record({
        type: fc.constant('object'),
        patternProperties: fc.record({ '^a': tie('schema') }),
        additionalProperties: fc.boolean()
      }),
      fc.record({ type: fc.constant('object'), dependentRequired: fc.record({ a: fc.subarray(['b', 'c']) }) }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ not: tie('schema') }),
      fc.record({ if: tie('schema'), then: tie('schema'), else: tie('schema') })
    ) as fc.Arbitrary<JsonObject>
  })).schema
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('a', 'bb', 'ccc', '', 1, 2, 3, 7, true, null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3, noNullPrototype: true })
    )
  })).value

  const runs = isSample ? 200 : 1000
  let differences = 0
  fc.assert(
    fc.property(schemaOf, schemaOf, fc.array(value, { minLength: 20, maxLength: 20 }), (was, is, values) => {
      const ajv = new Ajv2020({ strict: false, validateSchema: false })
      const [allowed, allows] = [ajv.compile(was), ajv.compile(is)]
      const [request, response] = levels(was, is)
      for (const it of values) {
        const [before, after] = [allowed(it), allows(it)]
        if (before && !after) expect([it, request]).toEqual([it, 'breaking'])
        if (!before && after) expect([it, response]).toEqual([it, 'breaking'])
        if (before !== after) differences += 1
      }
    }),
    { numRuns: runs, seed: 4 }
  )
  expect(differences).toBeGreaterThan(runs / 2)
})
