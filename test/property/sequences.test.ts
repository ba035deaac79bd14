import fc from 'fast-check'
import { Client } from '../client.js'
import { startTestMock } from '../mock.js'
import { operations } from './compose.js'
import { Play, type Step } from './play.js'
import { furnish } from './world.js'

const seed = 20260302
const waits = [1, 999, 2000, 3000, 10_000, 864e5, 8 * 864e5]

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ operation: fc.constantFrom(...operations), seed: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ wait: fc.constantFrom(...waits) }) }
)

test('every sequence of calls is answered as a plain model of the description says', async () => {
  const mock = await startTestMock({ fixtures: 'empty' })
  const client = new Client(mock.url)
  let count = 0
  const sequence = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
    const sandbox = mock.sandboxNamed(`s${++count}`)
    furnish(sandbox)
    const play = new Play(client, sandbox)
    await play.run(steps)
    await play.audit()
  })
  await fc.assert(sequence, { seed, numRuns: 1000, endOnFailure: false })
  client.close()
}, 120_000)
