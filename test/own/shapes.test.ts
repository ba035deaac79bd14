import { type Schema, Validator } from '@cfworker/json-schema'
import { createMock } from '../../src/doors/program/mock.js'
import { ok } from './notes.js'

const text = { type: 'string' }
const whole = { type: 'integer' }
const cat = { type: 'object', required: ['kind', 'name'], properties: { kind: { const: 'cat' }, name: text } }
const dog = { type: 'object', required: ['kind', 'bark'], properties: { kind: { const: 'dog' }, bark: text } }
const oneOrOther = [{ required: ['a'] }, { required: ['b'] }]

/** Shapes that documents have and generators of values miss. */
const shapes: Record<string, object> = {
  'keys of an enum': {
    type: 'object',
    propertyNames: { enum: ['a', 'b'] },
    additionalProperties: whole,
    minProperties: 1
  },
  'keys of a pattern': { type: 'object', propertyNames: { pattern: '^[a-z]{3}$' }, minProperties: 1 },
  'keys of a reference': { type: 'object', propertyNames: { $ref: '#/components/schemas/Key' }, minProperties: 1 },
  'a duration': { type: 'string', format: 'duration' },
  'one of several with fields of its own': {
    type: 'object',
    required: ['z'],
    properties: { z: whole },
    oneOf: [cat, dog]
  },
  'all of several, one with branches': { allOf: [{ anyOf: [cat, dog] }, { type: 'object', properties: { z: whole } }] },
  'one field or another': { type: 'object', properties: { a: whole, b: whole }, oneOf: oneOrOther },
  'one field or another, or both': { type: 'object', properties: { a: whole, b: whole }, anyOf: oneOrOther },
  'a field that is required and not told': { type: 'object', required: ['told', 'other'], properties: { told: whole } },
  'more fields than are told': { type: 'object', properties: { a: whole }, minProperties: 3 },
  'defaults of another type': {
    type: 'object',
    properties: { n: { ...whole, default: 'x' }, s: { ...text, default: null } }
  }
}

function served(paths: object, schemas: object = {}) {
  return createMock({
    with: [{ openapi: '3.1.0', info: { title: 'Shapes', version: '1' }, paths, components: { schemas } }]
  })
}

describe('a made-up answer is what its schema allows, with', () => {
  test.each(Object.keys(shapes))('%s', async (name) => {
    const schemas = { Key: { type: 'string', enum: ['x', 'y'] } }
    const schema = shapes[name] as Schema
    const mock = served({ '/it': { get: { responses: ok(schema) } } }, schemas)
    const response = await mock.fetch('http://mock/it')
    const body = await response.json()
    expect([body, new Validator({ ...schema, components: { schemas } }, '2020-12').validate(body).errors]).toEqual([
      body,
      []
    ])
    expect([response.status, response.headers.get('x-mock-violations')]).toEqual([200, null])
    await mock.close()
  })

  test('a pattern of another language', async () => {
    const mock = served({ '/it': { get: { responses: ok({ type: 'string', pattern: '[' }) } } })
    const response = await mock.fetch('http://mock/it')
    expect([typeof (await response.json()), response.headers.get('x-mock-violations')]).toEqual(['string', null])
    await mock.close()
  })
})

describe('a form', () => {
  const schema = {
    type: 'object',
    required: ['meta'],
    properties: { meta: { type: 'object', properties: { n: whole } } }
  }
  const post = { requestBody: { content: { 'multipart/form-data': { schema } } }, responses: ok({}) }
  const sent = async (meta: string) => {
    const mock = served({ '/it': { post } })
    const body = new FormData()
    body.append('meta', meta)
    const response = await mock.fetch(new Request('http://mock/it', { method: 'POST', body }))
    await mock.close()
    return [response.status, JSON.stringify(await response.json())]
  }

  test('has objects as JSON, whose fields are checked', async () => {
    expect((await sent('{"n":5}'))[0]).toBe(200)
    expect(await sent('{"n":"x"}')).toEqual([422, expect.stringContaining('"loc":["body","meta","n"]')])
    expect(await sent('n=5')).toEqual([422, expect.stringContaining('"loc":["body","meta"]')])
    expect(await sent('['.repeat(100_000))).toEqual([422, expect.stringContaining('"loc":["body","meta"]')])
  })
})

test('HEAD is answered as the document says, where it has it', async () => {
  const none = { 204: { description: 'None' } }
  const mock = served({
    '/both': { get: { responses: none }, head: { responses: ok({}) } },
    '/get': { get: { responses: none } }
  })
  const status = async (path: string) =>
    (await mock.fetch(new Request(`http://mock${path}`, { method: 'HEAD' }))).status
  expect([await status('/both'), await status('/get')]).toEqual([200, 204])
  await mock.close()
})
