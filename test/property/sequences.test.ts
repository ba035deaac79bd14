import fc from 'fast-check'
import { Client } from '../client.js'
import { isSample } from '../extent.js'
import { startTestMock } from '../mock.js'
import { Play } from './play.js'
import { seed, sequences } from './steps.js'
import { furnish } from './world.js'

test.each([
  { fixtures: 'empty', runs: isSample ? 20 : 1000 },
  { fixtures: 'demo', runs: isSample ? 3 : 50 }
] as const)(
  'every sequence of calls to $fixtures is answered as a plain model of the description predicts',
  async (world) => {
    const mock = await startTestMock({ fixtures: world.fixtures })
    const client = new Client(mock.url)
    let count = 0
    const sequence = fc.asyncProperty(sequences(40), async (steps) => {
      const sandbox = mock.sandboxNamed(`s${++count}`)
      if (world.fixtures === 'empty') furnish(sandbox)
      const play = new Play(client, sandbox)
      await play.run(steps)
      await play.audit()
    })
    await fc.assert(sequence, { seed, numRuns: world.runs })
    client.close()
  }
)
