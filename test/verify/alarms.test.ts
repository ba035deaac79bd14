import type { ServerOptions } from '../../src/server.js'
import { verify } from '../../src/verify/verify.js'
import { choicesOf, switchable } from '../assumptions/choices.js'
import { startTestMock } from '../mock.js'
import { isWhole } from './mutants/caught.js'

const seeds = Array.from({ length: 20 }, (_, index) => index + 1)

/** Both profiles with every seed, and every single other choice: with one seed each, or with every seed. */
const cases: [string, ServerOptions, number][] = [
  ...(['documented', 'observed'] as const).flatMap((profile) =>
    seeds.map((seed): [string, ServerOptions, number] => [`profile ${profile}`, { profile }, seed])
  ),
  ...switchable.flatMap((entry, place) =>
    choicesOf(entry)
      .filter((choice) => choice !== entry.default)
      .flatMap((choice) =>
        (isWhole ? seeds : [seeds[place % seeds.length] as number]).map((seed): [string, ServerOptions, number] => [
          `${entry.id}=${choice}`,
          { assume: { [entry.id]: choice } },
          seed
        ])
      )
  )
]

/** Choices that no call of the interface shows, or that only show where a row is of a kind that the demo has none of. */
const unseen = new Set(['errors.wrong-host', 'limits.upload', 'web.limit'])

test.each(cases)('under %s, %o, with seed %i, nothing is found', async (name, options, seed) => {
  const mock = await startTestMock({ ...options, seed, now: undefined })
  const { findings, answers, checks } = await verify({ url: mock.url, mutating: true, seed, cases: isWhole ? 10 : 2 })
  expect(findings).toEqual([])
  expect(checks.length).toBeGreaterThan(300)
  const [id, choice] = name.split(/=(.*)/s)
  const answer = answers.find((it) => it.id === id)
  if (answer && !unseen.has(answer.id)) expect(answer.choice).toBe(choice)
})

test.each(['empty', 'awkward', 'demo'] as const)(
  'the fixtures %s give no finding, with or without --mutating',
  async (fixtures) => {
    const mock = await startTestMock({ fixtures })
    for (const mutating of [false, true, true]) {
      const { findings } = await verify({ url: mock.url, mutating })
      expect(findings).toEqual([])
    }
  }
)
