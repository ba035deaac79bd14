import { caughtBy, isWhole } from './caught.js'
import { fieldMutants } from './fields.js'

const mutants = fieldMutants(isWhole)

test('every mutant has a name of its own', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
})

test.each(mutants.map((mutant) => [mutant.name, mutant] as const))('%s', async (_, mutant) => {
  expect(await caughtBy(mutant)).toContain(mutant.check)
})
