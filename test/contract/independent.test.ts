import { type Schema, Validator } from '@cfworker/json-schema'
import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'
import { startTestMock } from '../mock.js'
import { addressOf, bodyOf } from './examples.js'

const mock = await startTestMock()
const { operations } = createContract(readDocuments(), defaultChoices(readLedger()))
const { body: served } = await mock.call('GET', '/openapi.json')

const calls = [...operations.values()].flatMap((operation) =>
  Object.entries(operation.examples).map(([name, example]) => [operation.id, name, operation, example] as const)
)

test.each(calls)(
  '%s answers its example "%s" with 200, and another validator accepts the answer',
  async (id, name, operation, example) => {
    const address = addressOf(operation, example.path, example.query)
    const answer = await mock.call(operation.method, address, {
      as: `admin~${id}-${name}`,
      ...bodyOf(operation, example.body)
    })
    expect([answer.status, answer.headers.get('x-mock-violations')]).toEqual([200, null])
    const { responses } = served.paths[operation.path][operation.method.toLowerCase()]
    const schema = responses[200].content['application/json'].schema
    expect(errors(schema, answer.body)).toEqual([])
    expect(errors(schema, spoilt(answer.body))).not.toEqual([])
  }
)

function errors(schema: Schema, value: unknown) {
  return new Validator({ ...schema, components: served.components }, '2020-12', false).validate(value).errors
}

/** A value that breaks the schema for sure: the check must be able to fail. */
function spoilt(value: unknown): unknown {
  return typeof value === 'string' ? 1 : 'spoilt'
}
