import type { Edition } from '../../../mock/ledger/edition.js'
import type { Sandbox, Start } from '../../../mock/sandbox/sandbox.js'
import type { CoreMock } from '../open-mock.js'
import { isScenarioFile, readScenario } from './files.js'

/** The initial scenario of sandboxes. */
export interface StartScenario {
  /** Resolves once the scenario has been played. Rejects if it failed. */
  readonly ready: Promise<void>
  /** A start with the scenario's result. */
  on(start: Start): Start
  /** Reads the scenario again and plays it with this edition. If that fails, sandboxes start as before. */
  playAgain(edition: Edition): Promise<void>
}

/**
 * Plays the scenario once, in a mock of its own. All sandboxes then start from the result, so each costs no more than
 * one without a scenario.
 */
export function createStartScenario(wanted: string | undefined, makeMock: () => CoreMock): StartScenario {
  if (wanted === undefined) {
    return { ready: Promise.resolve(), on: (start) => start, playAgain: async () => {} }
  }
  let template: Sandbox | undefined
  const play = (mock: CoreMock): Promise<void> => {
    const { edition } = mock
    const contract = edition.contractOf(edition.choices)
    const scenario = isScenarioFile(wanted) ? readScenario(wanted, contract) : namedOf(mock, wanted)
    const playing = async () => {
      await mock.prepare()
      await mock.sandbox().play(scenario)
      template = mock.sandboxes.use('default')
    }
    return playing().catch((error: Error) => {
      throw new Error(`scenario (--scenario) ${wanted}: ${error.message}`)
    })
  }
  const ready = play(makeMock())
  // Requests report the failure, and so does `ready`. Without a handler it would end the process.
  ready.catch(() => {})
  return {
    ready,
    on: (start) => (template ? { ...start, choices: template.choices, template } : start),
    async playAgain(edition) {
      const mock = makeMock()
      mock.adopt(edition)
      await mock.reset()
      await play(mock)
    }
  }
}

function namedOf({ scenarios }: CoreMock, name: string) {
  const scenario = scenarios.get(name)
  if (scenario) return scenario
  throw new Error(
    `scenario (--scenario) is ${name}: give a .json or .yaml file, or one of ${[...scenarios.keys()].join(', ')}.`
  )
}
