import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'
import { contractsOf } from '../../src/engine/contract/validation/cache.js'

test('a contract is shared by equal choices, and only the last sixteen unused ones are kept', () => {
  const contractOf = contractsOf(readDocuments())
  const usual = defaultChoices(readLedger())
  const others = ['named-seven', 'any'].flatMap((sources) =>
    ['204', 'null', 'empty-object', 'status-response'].map((body) => ({
      ...usual,
      'sources.values': sources,
      'delete.body': body
    }))
  )
  const first = contractOf(usual)
  expect(contractOf({ ...usual })).toBe(first)
  expect(new Set(others.map(contractOf)).size).toBe(8)
  expect(contractOf({ ...usual })).toBe(first)
  const many = ['404', '401', 'status-response'].flatMap((missing) =>
    others.map((choices) => contractOf({ ...choices, 'credential.missing': missing }))
  )
  expect(new Set(many).size).toBeGreaterThan(16)
  expect(contractOf({ ...usual })).not.toBe(first)
  // Its users still have it.
  expect(contractOf(usual)).toBe(first)
})
