import { isSample, isWhole, sampled } from '../../extent.js'
import { behaviourMutants } from './behaviour.js'
import { betweenCalls } from './between-calls.js'
import { caughtBy } from './caught.js'
import { fieldMutants } from './fields.js'
import type { Mutant } from './mutant.js'

const named = (mutants: readonly Mutant[]) => mutants.map((mutant) => [mutant.name, mutant] as const)

describe('mutants of the behaviour', () => {
  test('there are more than a hundred mutants of the behaviour, all with different names', () => {
    expect(behaviourMutants.length).toBeGreaterThan(100)
    expect(new Set(behaviourMutants.map(({ name }) => name)).size).toBe(behaviourMutants.length)
  })

  test.each(named(sampled(behaviourMutants, 30)))('%s', async (_, mutant) => {
    expect(await caughtBy(mutant)).toContain(mutant.check)
  })

  // This takes a minute.
  if (!isSample) {
    const some = behaviourMutants.filter((_, index) => index % 40 === 20)

    test.each(named(some))('with every operation verified: %s', async (_, mutant) => {
      expect(await caughtBy({ ...mutant, operations: '*' })).toContain(mutant.check)
    })
  }
})

describe('mutants between calls', () => {
  test.each(named(sampled(betweenCalls, betweenCalls.length)))('%s', async (_, mutant) => {
    expect(await caughtBy(mutant)).toContain(mutant.check)
  })
})

describe('mutants of a field', () => {
  const mutants = fieldMutants(isWhole)

  test('all mutants of a field have different names', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  })

  test.each(named(sampled(mutants, 24)))('%s', async (_, mutant) => {
    const found = await caughtBy(mutant)
    // Of a field that is null in every row, one operation alone cannot tell whether the server leaves out what is null.
    expect(found.length > 0 ? found : await caughtBy({ ...mutant, operations: '*' })).toContain(mutant.check)
  })
})
