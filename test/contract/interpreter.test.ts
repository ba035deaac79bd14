import { Ajv2020 } from 'ajv/dist/2020.js'
import { createContract } from '../../src/engine/contract/contract.js'
import { choose, type Profile, readLedger } from '../../src/engine/contract/ledger.js'
import { isObject, type Json, readDocuments } from '../../src/engine/contract/load.js'
import { errorForms } from '../../src/engine/contract/model.js'
import { resolve } from '../../src/engine/contract/resolve.js'
import {
  type AjvModule,
  createAjvs,
  errorSchema,
  inputSchema,
  replySchema
} from '../../src/engine/contract/validation/compile.js'
import { withFields } from '../../src/engine/contract/validation/field-choices.js'
import { Ajv2020 as Interpreter } from '../../src/engine/contract/validation/interpreter.js'

const strange: Json[] = [null, '', 'x', '7', -1, 0, 1.5, 1e15, true, [], [null], {}, { x: 1 }, 'x'.repeat(300)]

/** A value with one place of it changed, for each place and each strange value. */
function* changed(value: Json, depth = 0): Generator<Json> {
  yield* strange
  if (depth > 4) return
  if (Array.isArray(value)) {
    for (const [at, item] of value.slice(0, 2).entries())
      for (const it of changed(item, depth + 1)) yield value.with(at, it)
    yield [...value, ...value]
  } else if (isObject(value)) {
    yield { ...value, another: 1 }
    for (const [key, item] of Object.entries(value)) {
      const { [key]: _, ...rest } = value
      yield rest
      yield { ...rest, [`${key}~/x`]: item }
      for (const it of changed(item, depth + 1)) yield { ...value, [key]: it }
    }
  }
}

describe.each(['documented', 'observed'] as Profile[])('the choices of %s', (profile) => {
  const choices = choose(readLedger(), profile, [])
  const documents = readDocuments()
  const contract = createContract(documents, choices)
  const resolved = resolve(withFields(documents, choices), choices)
  const ajvs = createAjvs(resolved)
  const interpreters = createAjvs(resolved, {}, { Ajv2020: Interpreter } as unknown as AjvModule)

  /** The verdict of a validator: the errors, and the assumptions. */
  const said = (kind: 'inputs' | 'others', schema: Json) => {
    const [one, other] = [ajvs, interpreters].map((it) => it[kind].compile(schema as never))
    return (value: Json) =>
      [one, other].map((validate) => {
        const assumed = new Set()
        const isValid = validate?.call(assumed, value)
        const errors = validate?.errors?.map(({ schemaPath: _, schema: __, ...error }) => error) ?? null
        return JSON.stringify({ isValid, errors, assumed: [...assumed].sort() })
      })
  }
  const differences = (kind: 'inputs' | 'others', schema: Json, values: Iterable<Json>) => {
    const both = said(kind, schema)
    for (const value of values) {
      const [ajv, interpreter] = both(value)
      if (ajv !== interpreter) return [{ value: JSON.stringify(value).slice(0, 500), ajv, interpreter }]
    }
    return []
  }

  test('judge requests as ajv does: the same errors in the same words and order', () => {
    const operations = [...contract.operations.values(), ...contract.control.values()]
    const found = operations.flatMap((operation) =>
      Object.values(operation.examples).flatMap((example) =>
        differences('inputs', inputSchema(operation) as Json, changed({ query: {}, ...example } as Json))
      )
    )
    expect(found.slice(0, 2)).toEqual([])
  })

  test('judge answers as ajv does', () => {
    const operations = [...contract.operations.values(), ...contract.control.values()]
    const found = operations.flatMap((operation) =>
      Object.entries(operation.responses).flatMap(([status, { schema, examples = {} }]) =>
        schema
          ? Object.values(examples).flatMap((example) =>
              differences('others', replySchema(operation, status) as Json, changed(example))
            )
          : []
      )
    )
    expect(found.slice(0, 2)).toEqual([])
    expect(
      errorForms.flatMap((form) => differences('others', errorSchema(form) as Json, changed({ detail: 'x' })))
    ).toEqual([])
  })
})

const whole = { type: 'integer' }
const text = { type: 'string' }
const cat = { type: 'object', required: ['kind'], properties: { kind: { const: 'cat' }, lives: whole } }
const dog = { type: 'object', required: ['kind'], properties: { kind: { const: 'dog' }, toString: text } }
const schemas: Record<string, [schema: Json, example: Json]> = {
  'unevaluated fields': [
    { anyOf: [cat, dog], properties: { a: whole }, patternProperties: { '^x': text }, unevaluatedProperties: false },
    { kind: 'cat', lives: 9, a: 1, x1: 'x' }
  ],
  'unevaluated fields with a schema, behind a condition': [
    {
      if: cat,
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: { properties: { b: text } },
      else: { oneOf: [dog, { required: ['c'] }] },
      unevaluatedProperties: whole
    },
    { kind: 'cat', b: 'x', n: 1 }
  ],
  'unevaluated items': [{ allOf: [{ prefixItems: [whole, text] }], unevaluatedItems: false }, [1, 'x']],
  'unevaluated items with a schema': [{ prefixItems: [text], unevaluatedItems: whole }, ['x', 1, 2]],
  'items that it contains': [{ type: 'array', contains: whole, minContains: 2, maxContains: 3 }, [1, 'x', 2]],
  'one item that it contains': [{ type: 'array', contains: { type: 'string', minLength: 2 } }, ['ab', 'c']],
  dependencies: [
    { type: 'object', properties: { a: whole }, dependencies: { a: ['b', 'c'], b: { required: ['d'] } } },
    { a: 1, b: 1, c: 1, d: 1 }
  ],
  'values that may be null': [
    { type: 'object', properties: { a: { type: 'string', nullable: true, minLength: 2 } } },
    { a: 'ab' }
  ],
  'more than one of several': [{ oneOf: [{ ...text, minLength: 3 }, text, { enum: ['x', 'y'] }] }, 'xy'],
  'numbers with a format': [{ type: 'array', items: { type: 'number', format: 'int32', multipleOf: 2 } }, [2, 4]],
  'equal items': [{ type: 'array', uniqueItems: true, items: { type: ['string', 'integer'] } }, [1, '1', 2]],
  'equal objects': [{ type: 'array', uniqueItems: true }, [{ a: [1] }, { a: [2] }]],
  names: [{ type: 'object', propertyNames: { maxLength: 3, pattern: '^[a-z]' }, additionalProperties: false }, {}],
  'fields of every object': [
    { type: 'object', required: ['toString'], properties: { toString: text } },
    { toString: 'x' }
  ]
}

test.each(Object.entries(schemas))('schemas of documents are judged as ajv judges them: %s', (_, [schema, example]) => {
  const options = { allErrors: true, verbose: true, strict: false, ownProperties: true, validateSchema: false }
  const ajv = new Ajv2020({ ...options, formats: { int32 } }).compile(schema as object)
  const interpreter = new Interpreter({ formats: { int32 } }).compile(schema)
  for (const value of changed(example)) {
    const [expected, got] = [ajv, interpreter].map((validate) => ({
      value,
      isValid: validate(value),
      errors: (validate.errors ?? []).map(({ instancePath, keyword, params, message }) => ({
        instancePath,
        keyword,
        params,
        message
      }))
    }))
    expect(got).toEqual(expected)
  }
})

test('schemas of documents are judged as ajv judges them: a schema that leads back to itself, in time that does not double with each level', () => {
  const Node = {
    type: 'object',
    required: ['n'],
    properties: { n: whole, next: { anyOf: [{ $ref: 'x#/Node' }, { $ref: 'x#/Other' }] } }
  }
  const Other = { ...Node, required: ['n', 'm'] }
  let checks = 0
  const counting = {
    test() {
      checks += 1
      return true
    }
  }
  const document = { Node: { ...Node, properties: { ...Node.properties, t: { pattern: 'x' } } }, Other }
  const interpreter = new Interpreter({ documents: { x: document }, code: { regExp: () => counting } })
  let value: Json = { n: 'wrong', t: 'x' }
  for (let depth = 0; depth < 40; depth++) value = { n: depth, t: 'x', next: value }
  const validate = interpreter.compile({ $ref: 'x#/Node' })
  expect([validate(value), validate.errors?.[0]?.instancePath, checks < 200]).toEqual([
    false,
    `${'/next'.repeat(40)}/n`,
    true
  ])
})

test.each([
  [1.15, true],
  [19.99, true],
  [1e9 + 0.07, true],
  [1.155, false],
  [0.0001, false]
])('whether %d is a multiple of 0.01 does not depend on its binary form', (amount, isMultiple) => {
  expect(new Interpreter({}).compile({ multipleOf: 0.01 })(amount)).toBe(isMultiple)
})

const int32 = {
  type: 'number',
  validate: (value: number) => Number.isInteger(value) && Math.abs(value) < 2 ** 31
} as const
