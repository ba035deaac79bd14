import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'
import { mutationsOf } from '../../src/tools/verify/phases/negative.js'
import { startTestMock } from '../mock.js'
import { stateOf } from '../state.js'
import { addressOf, bodyOf } from './examples.js'

const mock = await startTestMock()
const contract = createContract(readDocuments(), defaultChoices(readLedger()))

test.each([...contract.operations.values()].map((operation) => [operation.id, operation] as const))(
  '%s answers 422 with the place of any single mistake, and changes nothing',
  async (_, operation) => {
    const before = JSON.stringify(stateOf(mock.sandbox))
    const results: unknown[] = []
    const expected: unknown[] = []
    for (const { what, path, query, body, locs } of mutationsOf(contract, operation)) {
      const answer = await mock.call(operation.method, addressOf(operation, path, query), bodyOf(operation, body))
      expected.push([what, 422, locs])
      results.push([what, answer.status, answer.body?.detail?.map?.(({ loc }: { loc: unknown }) => loc)])
      const carried = operation.chat ? ['type', 'loc', 'msg', 'input', 'ctx'] : ['type', 'loc', 'msg']
      for (const item of answer.body?.detail ?? []) expect([what, Object.keys(item)]).toEqual([what, carried])
    }
    expect(results).toEqual(expected)
    expect(JSON.stringify(stateOf(mock.sandbox))).toBe(before)
  }
)
