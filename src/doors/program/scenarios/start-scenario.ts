import type { Sandbox, Start } from '../../../mock/sandbox/sandbox.js'
import type { Serve } from '../../../serve/serve.js'
import type { OpenMock } from '../open-mock.js'
import { isScenarioFile, readScenario } from './files.js'

/** The scenario that sandboxes start with. */
export interface StartScenario {
  /** Resolves once it was played; rejects where that failed. */
  readonly ready: Promise<void>
  /** A start, as the scenario leaves it. */
  on(start: Start): Start
  /** What answers requests once it was played. */
  gate(serve: Serve): Serve
}

/**
 * Plays the scenario once, in a mock of its own. All sandboxes then go on from that one: however many there are, and
 * however long the scenario is, they cost no more than others.
 */
export function createStartScenario(wanted: string | undefined, makeMock: () => OpenMock): StartScenario {
  if (wanted === undefined) return { ready: Promise.resolve(), on: (start) => start, gate: (serve) => serve }
  const mock = makeMock()
  const { edition } = mock
  const contract = edition.contractOf(edition.choices)
  const scenario = isScenarioFile(wanted) ? readScenario(wanted, contract) : namedOf(mock, wanted)
  let template: Sandbox | undefined
  const play = async () => {
    await mock.sandbox().play(scenario)
    template = mock.sandboxes.use('default')
  }
  const ready = play().catch((error: Error) => {
    throw new Error(`scenario (--scenario) ${wanted}: ${error.message}`)
  })
  // Requests are told, and who awaits it.
  ready.catch(() => {})
  return {
    ready,
    on: (start) => (template ? { ...start, choices: template.choices, template } : start),
    gate: (serve) => (request) => (template ? serve(request) : ready.then(() => serve(request)))
  }
}

function namedOf({ scenarios }: OpenMock, name: string) {
  const scenario = scenarios.get(name)
  if (scenario) return scenario
  throw new Error(
    `scenario (--scenario) is ${name}: give a .json or .yaml file, or one of ${[...scenarios.keys()].join(', ')}.`
  )
}
