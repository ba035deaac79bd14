import { sampled } from '../../extent.js'
import { betweenCalls } from './between-calls.js'
import { caughtBy } from './caught.js'

test.each(sampled(betweenCalls, betweenCalls.length).map((mutant) => [mutant.name, mutant] as const))(
  '%s',
  async (_, mutant) => {
    expect(await caughtBy(mutant)).toContain(mutant.check)
  }
)
