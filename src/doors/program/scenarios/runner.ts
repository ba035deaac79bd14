import { performance } from 'node:perf_hooks'
import type { Contract } from '../../../engine/contract/contract.js'
import type { Profile } from '../../../engine/contract/ledger.js'
import { isObject } from '../../../engine/contract/load.js'
import { withoutEnd } from '../../../engine/contract/text.js'
import type { Scenario, ScenarioPlayed } from '../../../engine/contract/types.gen.js'
import { type OnAnswer, playing, StepFailure } from '../../../engine/control/scenarios/play.js'
import { createMock } from '../mock.js'
import { type Ask, drive } from './drive.js'
import { isScenarioFile, readScenario } from './files.js'

export interface RunOptions {
  target?: string
  sandbox?: string
  controlToken?: string
  profile: Profile
  assume?: Record<string, string> | readonly string[]
  contracts?: string
  with: readonly (string | object)[]
}

/** The outcome of a scenario. */
export interface ScenarioResult {
  file: string
  name: string | undefined
  steps: number
  /** `failure`: an answer differs from the expected one. `error`: the scenario could not be played. */
  outcome: 'held' | 'failure' | 'error'
  detail: string
  milliseconds: number
}

export interface Runner {
  readonly contract: Contract
  play(file: string): Promise<ScenarioResult>
  /** Plays a scenario. Throws if it fails. */
  run(scenario: Scenario, hear?: OnAnswer): Promise<ScenarioPlayed>
  read(file: string): Scenario
  close(): Promise<void>
}

/** Plays scenarios in a new mock, each in its own sandbox, or in a running mock. Rejects if no mock runs there. */
export async function createRunner(options: RunOptions): Promise<Runner> {
  const { target, sandbox = 'default', controlToken, profile, assume, contracts, with: own } = options
  const settings = {
    profile,
    with: own,
    control: 'on' as const,
    ...(assume && { assume }),
    ...(contracts !== undefined && { contracts })
  }
  const mock = createMock(settings, { waits: false })
  const contract = mock.edition.contractOf(mock.edition.choices)
  let count = 0
  const ask: Ask =
    target === undefined ? (path, init) => mock.fetch(new URL(path, 'http://mock.invalid'), init) : askAt(target)
  if (target !== undefined) await reach(target, ask)
  const headers: Record<string, string> =
    target !== undefined && controlToken !== undefined ? { 'X-Mock-Control-Token': controlToken } : {}

  const runner: Runner = {
    contract,
    read(file) {
      if (isScenarioFile(file)) return readScenario(file, contract)
      const scenario = mock.scenarios.get(file)
      if (scenario) return scenario
      throw new Error(`${file}: give a .json or .yaml file, or one of ${[...mock.scenarios.keys()].join(', ')}.`)
    },

    run(scenario, hear) {
      count += 1
      const place = target === undefined ? `scenario-${count}` : sandbox
      if (target === undefined && count > 1) mock.sandbox(`scenario-${count - 1}`).drop()
      return drive(playing(contract, scenario, hear), ask, place, { headers })
    },

    async play(file) {
      const started = performance.now()
      let name: string | undefined
      const ended = (outcome: ScenarioResult['outcome'], steps: number, detail = ''): ScenarioResult => {
        return { file, name, steps, outcome, detail, milliseconds: performance.now() - started }
      }
      try {
        const scenario = runner.read(file)
        name = scenario.name
        return ended('held', (await runner.run(scenario)).steps)
      } catch (error) {
        const isFailure = error instanceof StepFailure && error.isExpectation
        return ended(isFailure ? 'failure' : 'error', 0, (error as Error).message)
      }
    },

    close: () => mock.close()
  }
  return runner
}

/** Calls only the server at this address: neither a step's URL nor a redirect can lead elsewhere. */
function askAt(target: string): Ask {
  const base = URL.canParse(target) ? new URL(target) : undefined
  const prefix = withoutEnd(base?.pathname ?? '', '/')
  return async (path, init) => {
    const url = new URL(`${base?.origin}${prefix}${path}`)
    if (url.origin !== base?.origin || !url.pathname.startsWith(`${prefix}/`)) {
      throw new Error(`${path} leads away from the target ${target}.`)
    }
    return fetch(url, { ...init, redirect: 'manual' })
  }
}

async function reach(target: string, ask: Ask): Promise<void> {
  // A sign-in page may answer everything with 200.
  const isMock = await ask('/__mock/health', {})
    .then((answer) => answer.json())
    .then(
      (health: unknown) => isObject(health) && health.status === 'ok',
      () => false
    )
  if (!isMock) throw new Error(`target is ${target}, but no mock answers there.`)
}
