import { isWhole, sampled } from '../../extent.js'
import { caughtBy } from './caught.js'
import { fieldMutants } from './fields.js'

const mutants = fieldMutants(isWhole)

test('every mutant has a name of its own', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
})

test.each(sampled(mutants, 24).map((mutant) => [mutant.name, mutant] as const))('%s', async (_, mutant) => {
  const found = await caughtBy(mutant)
  // Of a field that is null in every row, one operation alone cannot tell whether the server leaves out what is null.
  expect(found.length > 0 ? found : await caughtBy({ ...mutant, operations: '*' })).toContain(mutant.check)
})
