import fc from 'fast-check'
import { profiles } from '../../../src/engine/contract/ledger.js'
import type { Json, JsonObject } from '../../../src/engine/contract/load.js'
import type { Change } from '../../../src/tools/compare/change.js'
import { isSample } from '../../extent.js'
import {
  base,
  body,
  compare,
  create,
  type Document,
  details,
  documentOf,
  documentOfSchema,
  edited,
  fresh,
  parameter,
  persona,
  projects,
  schema,
  search,
  turned
} from './documents.js'
import { edits } from './edits.js'

test.each(edits)('a change is found, and so is its opposite: %s', (_, edit, found, undone, place) => {
  const [was, is] = narrowed(fresh(), edited(edit))
  const there = compare(was, is)
  const back = compare(is, was)
  expect([levelsOf(there), levelsOf(back)]).toEqual([found, undone].map((it) => (it ? it.split(', ') : [])))
  const places = [...there, ...back].map((change) => change.place)
  if (places.length > 0) expect(places).toContain(place)
})

/** If only paths differ, those that are equal in both are left out, except one. */
function narrowed(was: Document, is: Document): [Document, Document] {
  const [{ paths: before, ...old }, { paths: after, ...now }] = [was, is]
  const text = JSON.stringify
  const changed = (path: string) => text(before[path]) !== text(after[path])
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const names = paths.filter(changed)
  if (names.length === 0 || text(old) !== text(now)) return [was, is]
  names.push(...paths.filter((path) => !changed(path)).slice(0, 1))
  const only = (paths: Document) => Object.fromEntries(Object.entries(paths).filter(([path]) => names.includes(path)))
  return [
    { ...old, paths: only(before) },
    { ...now, paths: only(after) }
  ]
}

/** Each kind once: a schema may be in many operations. */
function levelsOf(changes: Change[]): string[] {
  return [...new Set(changes.map(({ level, id }) => `${level} ${id}`))]
}

test('a change shows where it is, what was and what is', () => {
  const now = edited((it) => {
    body(it, create).properties.project_id.type = 'string'
  })
  expect(compare(fresh(), now)).toEqual([
    {
      id: 'request-property-became-not-nullable',
      level: 'breaking',
      operation: `POST ${create}`,
      place: 'request body project_id'
    },
    {
      id: 'request-property-type-changed',
      level: 'breaking',
      operation: `POST ${create}`,
      place: 'request body project_id',
      was: 'integer',
      is: 'string'
    }
  ])
})

test('a schema that several operations use is a change of each of them', () => {
  const now = edited((it) => schema(it, 'Project').required.splice(0, 1))
  expect(compare(fresh(), now).map(({ operation, place }) => `${operation}: ${place}`)).toEqual([
    `GET ${projects}: response 200 [].id`,
    `GET ${details}: response 200 project.id`
  ])
})

test('breaking changes come first', () => {
  const now = edited((it) => {
    it.paths[create].get = { responses: {} }
    parameter(it, search, 'page').schema.default = 2
    delete it.paths[persona].delete
  })
  expect(compare(fresh(), now).map(({ level }) => level)).toEqual(['breaking', 'warning', 'info'])
})

test.each(profiles)('no change is found for a document compared with itself: %s', (profile) => {
  expect(compare(documentOf(profile), documentOf(profile))).toEqual([])
})

test('no change is found for another name of a schema', () => {
  const now = JSON.parse(base.replaceAll('#/components/schemas/', '#/components/schemas/New'))
  const { schemas } = now.components
  now.components.schemas = Object.fromEntries(Object.entries(schemas).map(([name, it]) => [`New${name}`, it]))
  expect(compare(fresh(), now)).toEqual([])
})

test('no change is found for a schema written out where it was referred to', () => {
  const now = edited((it) => {
    schema(it, 'IndexingStatusGroup').properties.summary = schema(it, 'IndexingSummary')
  })
  expect(compare(fresh(), now)).toEqual([])
})

test('no change is found for another name of a path parameter', () => {
  const now = JSON.parse(base.replaceAll('{persona_id}', '{id}').replaceAll('"name":"persona_id"', '"name":"id"'))
  expect(now.paths['/api/persona/{id}']).toBeDefined()
  expect(compare(fresh(), now)).toEqual([])
})

test('no change is found for a description, a title, an example, an extension or the order of anything', () => {
  const now = turned(fresh())
  const described = edited((it) => {
    schema(it, 'Project').description = 'Other words'
    schema(it, 'Project').title = 'Undertaking'
    schema(it, 'Project').examples = []
    schema(it, 'Project')['x-internal'] = true
    it.paths[create].post.summary = 'Other words'
    it.info.version = '2.0.0'
  })
  expect([compare(fresh(), now), compare(fresh(), described)]).toEqual([[], []])
})

test('no change is found for the same in the words of OpenAPI 3.0', () => {
  const modern = documentOfSchema({
    type: 'object',
    required: ['size'],
    properties: {
      size: { type: 'number', exclusiveMinimum: 0 },
      name: { type: ['string', 'null'] },
      owner: { anyOf: [{ $ref: '#/components/schemas/Owner' }, { type: 'null' }] },
      kind: { const: 'plain' },
      code: { type: ['string', 'integer'] }
    }
  })
  const older = documentOfSchema({
    allOf: [
      { type: 'object', properties: { size: { type: 'number', minimum: 0, exclusiveMinimum: true } } },
      {
        type: 'object',
        required: ['size'],
        properties: {
          name: { type: 'string', nullable: true },
          owner: { nullable: true, allOf: [{ $ref: '#/components/schemas/Owner' }] },
          kind: { type: 'string', enum: ['plain'] },
          code: { oneOf: [{ type: 'string' }, { type: 'integer' }] }
        }
      }
    ]
  })
  older.openapi = '3.0.3'
  expect([compare(modern, older), compare(older, modern)]).toEqual([[], []])
})

const node = (next: JsonObject): JsonObject => ({ type: 'object', properties: { value: { type: 'string' }, next } })
const self = { $ref: '#/components/schemas/Node' }

test.each<[string, JsonObject]>([
  ['directly', node(self)],
  ['in a list', node({ type: 'array', items: self })],
  ['as an alternative', node({ anyOf: [self, { type: 'object', title: 'Leaf', required: ['leaf'] }] })],
  ['in an allOf', { allOf: [{ properties: { next: self } }, { properties: { next: self, other: self } }] }],
  ['where a field is not named', node({ type: 'object', additionalProperties: self })]
])('schemas that contain themselves: %s are compared to their end', (_, schema) => {
  const old = documentOfSchema(self, { Node: schema })
  const renamed = JSON.parse(JSON.stringify(old).replaceAll('Node', 'Knot'))
  expect([compare(old, old), compare(old, renamed)]).toEqual([[], []])
  const now = documentOfSchema(self, { Node: { allOf: [schema, { required: ['value'] }] } })
  expect(compare(old, now).map(({ id }) => id)).toContainEqual(expect.stringMatching(/^(new-)?re.*required/))
})

test('schemas that contain themselves and nothing else end', () => {
  const loop = documentOfSchema(self, { Node: self })
  expect(compare(loop, loop)).toEqual([])
})

const closed = { type: 'object', additionalProperties: false }
const circle = { ...closed, required: ['radius'], properties: { radius: { type: 'number' } } }
const square = { ...closed, required: ['side'], properties: { side: { type: 'number' } } }
const shapes = (...oneOf: Json[]) => documentOfSchema({ oneOf })
const found = (old: Document, now: Document) => compare(old, now).map(({ level, id, place }) => [level, id, place])

test('alternatives have no order', () => {
  expect(compare(shapes(circle, square), shapes(square, circle))).toEqual([])
})

test('alternatives give a narrower request if one goes, and a wider reply if one comes', () => {
  expect(found(shapes(circle, square), shapes(circle))).toEqual([
    ['breaking', 'request-body-one-of-removed', 'request body'],
    ['info', 'response-body-one-of-removed', 'response 200']
  ])
  expect(found(shapes(circle), shapes(circle, square))).toEqual([
    ['breaking', 'response-body-one-of-added', 'response 200'],
    ['info', 'request-body-one-of-added', 'request body']
  ])
})

test('alternatives are compared with their former version', () => {
  const wider = { ...square, properties: { side: { type: 'integer' } } }
  expect(found(shapes(circle, square), shapes(wider, circle))).toEqual([
    ['breaking', 'request-property-type-specialized', 'request body (unnamed).side'],
    ['info', 'response-property-type-specialized', 'response 200 (unnamed).side']
  ])
})

test('alternatives are named in a change inside one, even if others changed too', () => {
  const fields = (kind: string, type: string) => ({ kind: { const: kind }, size: { type } })
  const named = (title: string, type: string) => ({
    ...closed,
    title,
    required: ['kind'],
    properties: fields(title, type)
  })
  const old = shapes(named('Circle', 'number'), named('Square', 'number'))
  const now = shapes(named('Circle', 'string'), named('Square', 'boolean'))
  expect(found(old, now).map(([, , place]) => place)).toEqual([
    'request body (Circle).size',
    'request body (Square).size',
    'response 200 (Circle).size',
    'response 200 (Square).size'
  ])
})

test('any document equals itself, and whatever differs from it differs in both directions', () => {
  const schemaOf = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.record({ type: fc.constantFrom('string', 'integer', 'boolean') }),
      fc.record({ type: fc.constant('string'), maxLength: fc.nat(9), format: fc.constantFrom('uuid', 'date') }),
      fc.record({ enum: fc.uniqueArray(fc.constantFrom('a', 'b', null), { minLength: 1 }) }),
      fc.constantFrom({ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }),
      fc.record({ type: fc.constantFrom('array', ['array', 'null']), items: tie('schema') }),
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('x', 'y', 'z'), tie('schema')),
        required: fc.subarray(['x', 'y'])
      }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) })
    ) as fc.Arbitrary<JsonObject>
  })).schema
  const documents = fc
    .tuple(schemaOf, schemaOf, schemaOf)
    .map(([schema, A, B]) => documentOfSchema(schema, { A, B }) as Document)

  fc.assert(
    fc.property(documents, documents, (one, other) => {
      expect(compare(one, structuredClone(one))).toEqual([])
      const [there, back] = [compare(one, other), compare(other, one)]
      expect(there.length > 0).toBe(back.length > 0)
    }),
    { numRuns: isSample ? 100 : 300, seed: 1 }
  )
})

test('alternatives with shared parts, forty levels deep, are read once each', () => {
  const refs = (to: string) => ({
    anyOf: [{ $ref: `#/components/schemas/${to}` }, { $ref: `#/components/schemas/${to}` }]
  })
  const schemas: Record<string, JsonObject> = { D40: { type: 'string' } }
  for (let at = 0; at < 40; at++) schemas[`D${at}`] = refs(`D${at + 1}`)
  const document = documentOfSchema({ $ref: '#/components/schemas/D0' }, schemas) as Document
  expect(compare(document, structuredClone(document))).toEqual([])
  const other = documentOfSchema(
    { $ref: '#/components/schemas/D0' },
    { ...schemas, D40: { type: 'integer' } }
  ) as Document
  expect(compare(document, other).length).toBeGreaterThan(0)
})

test('a pattern that takes too long on the name of a field ends with a message', () => {
  const like = { type: 'object', patternProperties: { '^(a+)+\\1$': { type: 'string' } } }
  const named = { ...like, properties: { [`${'a'.repeat(60)}!`]: { type: 'integer' } } }
  expect(() => compare(documentOfSchema(like) as Document, documentOfSchema(named) as Document)).toThrow(
    /^The pattern .* takes too long with the name aaa/
  )
})
