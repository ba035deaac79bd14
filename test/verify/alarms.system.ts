import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import type { ServerOptions } from '../../src/doors/options/table.js'
import { startMock } from '../../src/doors/program/server.js'
import { choicesOf, switchable } from '../assumptions/choices.js'
import { isSample, isWhole, sampled } from '../extent.js'

const seeds = Array.from({ length: 20 }, (_, index) => index + 1)

/** A third of the operations, another one for each seed. */
const thirds = [
  'E1,E2,E3,E4,E5,E6,E7,E8,E9,E10',
  'E11,E12,E13,E14,E15,E16,E17,E18,E19,E20',
  'E21,E22,E23,E24,E25,E26,E27,E28,E29,E30'
] as const
const partly = (seed: number) => (isWhole || seed <= 4 ? '*' : (thirds[seed % 3] as string))

interface Case {
  name: string
  options: ServerOptions
  seed: number
  operations: string
}

/** Both profiles with every seed, and every single other choice with one seed. In a sample few of them. */
const profiles: Case[] = (['documented', 'observed'] as const).flatMap((profile) =>
  seeds.map((seed) => ({ name: `profile ${profile}`, options: { profile }, seed, operations: partly(seed) }))
)
const others: Case[] = switchable.flatMap((entry, place) =>
  choicesOf(entry)
    .filter((choice) => choice !== entry.default)
    .map((choice) => ({
      name: `${entry.id}=${choice}`,
      options: { assume: { [entry.id]: choice } },
      seed: seeds[place % seeds.length] as number,
      operations: '*'
    }))
)
const cases = isSample ? sampled(profiles, 20) : [...profiles, ...others]

/** Choices that no call of the interface shows, or that only show where a row is of a kind that the demo has none of. */
const unseen = new Set(['errors.wrong-host', 'limits.upload', 'web.limit'])

test.each(cases)('under $name, with seed $seed, nothing is found', async ({ name, options, seed, operations }) => {
  const mock = await startMock({ ...options, seed, port: 0, strict: true })
  const settings = { url: mock.url, mutating: true, seed, cases: isWhole ? 10 : 2, operations }
  const { findings, answers, checks } = await verify(settings)
  await mock.close()
  expect(findings).toEqual([])
  expect(checks.length).toBeGreaterThan(operations === '*' ? 300 : 80)
  const [id, choice] = name.split(/=(.*)/s)
  const answer = answers.find((it) => it.id === id)
  if (answer && !unseen.has(answer.id)) expect(answer.choice).toBe(choice)
})

test('where all sessions have the same time, in whatever order, nothing is found', async () => {
  for (const seed of seeds.slice(0, isSample ? 2 : 5)) {
    const mock = await startMock({ now: '2026-03-02T10:00:00.000Z', seed, port: 0, strict: true })
    const { findings } = await verify({ url: mock.url, mutating: true, seed, cases: 0, operations: 'E3' })
    await mock.close()
    expect(findings).toEqual([])
  }
})

test.each(isSample ? (['empty'] as const) : (['empty', 'awkward', 'demo'] as const))(
  'the fixtures %s give no finding in either profile, with or without --mutating',
  async (fixtures) => {
    for (const profile of isSample ? (['observed'] as const) : (['documented', 'observed'] as const)) {
      const mock = await startMock({ fixtures, profile, port: 0, strict: true })
      for (const mutating of isSample ? [true] : [false, true, true]) {
        const { findings } = await verify({ url: mock.url, mutating, cases: 3 })
        expect(findings).toEqual([])
      }
      await mock.close()
    }
  }
)
