import fc from 'fast-check'
import { Client } from '../client.js'
import { isSample } from '../extent.js'
import { startTestMock } from '../mock.js'
import { Play, type Step } from './play.js'
import { seed, sequences } from './steps.js'

type World = Awaited<ReturnType<typeof startWorld>>

async function startWorld(ownSeed = 7) {
  const mock = await startTestMock({ fixtures: 'demo', seed: ownSeed })
  return { mock, client: new Client(mock.url) }
}

/** All answers in a sandbox. */
async function answersOf({ mock, client }: World, sandbox: string, steps: Step[]): Promise<string[]> {
  const play = new Play(client, mock.sandboxNamed(sandbox))
  await play.run(steps)
  return play.transcript
}

test('the same calls to two mocks of the same seed and time give the same headers and bytes', async () => {
  const [one, two] = [await startWorld(), await startWorld()]
  let count = 0
  const same = fc.asyncProperty(sequences(30), async (steps) => {
    const name = `s${++count}`
    expect(await answersOf(one, name, steps)).toEqual(await answersOf(two, name, steps))
  })
  await fc.assert(same, { seed, numRuns: isSample ? 10 : 100 })

  const steps: Step[] = [{ operation: 'listChatSessions', seed: 1 }]
  expect(await answersOf(await startWorld(8), 's', steps)).not.toEqual(await answersOf(one, 's', steps))
  for (const { client } of [one, two]) client.close()
})

test('sandboxes that are called at the same time never see each other', async () => {
  const [alone, crowded] = [await startWorld(), await startWorld()]
  let count = 0
  const apart = fc.asyncProperty(fc.array(sequences(25), { minLength: 5, maxLength: 5 }), async (plans) => {
    const names = plans.map((_, at) => `s${++count}-${at}`)
    const single: string[][] = []
    for (const [at, steps] of plans.entries()) single.push(await answersOf(alone, names[at] as string, steps))
    const together = plans.map((steps, at) => answersOf(crowded, names[at] as string, steps))
    expect(await Promise.all(together)).toEqual(single)
  })
  await fc.assert(apart, { seed, numRuns: isSample ? 3 : 30 })
  for (const { client } of [alone, crowded]) client.close()
})
