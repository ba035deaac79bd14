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

describe.each(['documented', 'observed'] as Profile[])('under the choices of %s', (profile) => {
  const choices = choose(readLedger(), profile, [])
  const documents = readDocuments()
  const contract = createContract(documents, choices)
  const resolved = resolve(withFields(documents, choices), choices)
  const ajvs = createAjvs(resolved)
  const interpreters = createAjvs(resolved, {}, { Ajv2020: Interpreter } as unknown as AjvModule)

  /** What a validator says of a value: what is wrong, and what it rests on. */
  const said = (kind: 'inputs' | 'others', schema: Json) => {
    const [one, other] = [ajvs, interpreters].map((it) => it[kind].compile(schema as never))
    return (value: Json) =>
      [one, other].map((validate) => {
        const assumed = new Set()
        const holds = validate?.call(assumed, value)
        const errors = validate?.errors?.map(({ schemaPath: _, schema: __, ...error }) => error) ?? null
        return JSON.stringify({ holds, errors, assumed: [...assumed].sort() })
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

  test('requests are judged as ajv judges them: the same errors in the same words and order', () => {
    const operations = [...contract.operations.values(), ...contract.control.values()]
    const found = operations.flatMap((operation) =>
      Object.values(operation.examples).flatMap((example) =>
        differences('inputs', inputSchema(operation) as Json, changed({ query: {}, ...example } as Json))
      )
    )
    expect(found.slice(0, 2)).toEqual([])
  })

  test('so are answers', () => {
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
