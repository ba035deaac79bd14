import { isSample, sampled } from '../../extent.js'
import { behaviourMutants as mutants } from './behaviour.js'
import { caughtBy } from './caught.js'

test('there are more than a hundred of them, each with a name of its own', () => {
  expect(mutants.length).toBeGreaterThan(100)
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
})

test.each(sampled(mutants, 30).map((mutant) => [mutant.name, mutant] as const))('%s', async (_, mutant) => {
  expect(await caughtBy(mutant)).toContain(mutant.check)
})

// This takes a minute.
if (!isSample) {
  const some = mutants.filter((_, index) => index % 40 === 20)

  test.each(some.map((mutant) => [mutant.name, mutant] as const))(
    'with every operation verified: %s',
    async (_, mutant) => {
      expect(await caughtBy({ ...mutant, operations: '*' })).toContain(mutant.check)
    }
  )
}
