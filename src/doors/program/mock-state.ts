import type { Contract } from '../../engine/contract/contract.js'
import { readLedger } from '../../engine/contract/ledger.js'
import { shown } from '../../engine/contract/load.js'
import type { NewOverride } from '../../engine/contract/types.gen.js'
import { checkOverrides } from '../../engine/control/checks/check-override.js'
import { Edge } from '../../engine/keep/edge.js'
import { carryChoices, createEdition, type Edition } from '../../engine/ledger/edition.js'
import { History } from '../../engine/sandbox/history.js'
import { type Sandbox, type Start, takeIn } from '../../engine/sandbox/sandbox.js'
import { Sandboxes, SandboxMoved } from '../../engine/sandbox/sandboxes.js'
import type { StartWish } from '../../engine/sandbox/starts.js'
import { Transaction } from '../../engine/sandbox/transaction.js'
import { foreseen } from '../../engine/serve/problem.js'
import type { SettledMock } from '../options/mock-table.js'
import { sandboxLimits } from './data.js'
import { checkEdition, checkExtensions, definitionsOf } from './edition/edition.js'
import { readFixtureFile, startOptions, withFixtureFile } from './edition/fixture-file.js'
import type { Host } from './host.js'
import type { CoreMock } from './open-mock.js'
import { checkedBody, readOptionFile, scenarioIn } from './option-files.js'

/** The state of a mock: an edition, and the sandboxes that start from it. */
export type MockState = ReturnType<typeof createMockState>

interface ContentsParts {
  options: SettledMock
  host: Host
  report: (text: string) => void
  /** Creates a separate mock for playing the option `scenario`. */
  makeMock: () => CoreMock
}

export function createMockState({ options, host, report, makeMock }: ContentsParts) {
  const { edge = new Edge(), realTime = Date.now, load, joined } = host
  const now = { edition: firstEdition(options, report, { load, realTime }) }
  const contractOf = ({ choices }: Pick<Sandbox, 'choices'>) => now.edition.contractOf(choices)
  let overrides: readonly NewOverride[] = []
  const takeUpOverrides = () => {
    if (options.overrides !== undefined) overrides = readOverrides(options.overrides, contractOf(now.edition))
    for (const sandbox of edge.sandboxes.values()) sandbox.overrides.startWith(overrides)
    return overrides.length
  }
  takeUpOverrides()
  const startScenario = createStartScenario(options.scenario, makeMock)
  const startOf = (wish: StartWish = {}): Start => {
    const start = { ...now.edition.startOf(wish), overrides, counts: wish.counts }
    return Object.keys(wish).length > 0 ? start : startScenario.on(start)
  }
  checkExtensions(now.edition)
  const sandboxes = new Sandboxes(
    edge.sandboxes,
    () => startOf(),
    sandboxLimits(options),
    realTime,
    (name) => edge.forget(name),
    (name) => {
      if (joined && !joined.owns(name)) throw new SandboxMoved(name)
    }
  )
  const takeInOwn = (sandbox: Sandbox) => takeIn(sandbox, contractOf(now.edition).collections.keys())
  const readied = (sandbox: Sandbox) => {
    takeInOwn(sandbox)
    // A stored choice may be from a time when secrets were shown.
    if (options.public) sandbox.choices = { ...sandbox.choices, ...now.edition.api.secrets }
  }
  for (const sandbox of edge.sandboxes.values()) readied(sandbox)
  joined?.onRead(readied)
  edge.startWith(() => now.edition.choices)
  return Object.assign(now, {
    adopt(next: Edition) {
      for (const sandbox of edge.sandboxes.values()) {
        sandbox.choices = carryChoices(sandbox.choices, now.edition, next)
        // Earlier moments have choices of the earlier edition.
        sandbox.history = History.begin(sandbox)
      }
      now.edition = next
      for (const sandbox of edge.sandboxes.values()) takeInOwn(sandbox)
    },
    contractOf,
    edge,
    sandboxes,
    startOf,
    startScenario,
    takeUpOverrides,
    /** Resets the default sandbox and drops all others. */
    async reset(also: (sandbox: Sandbox) => void = () => {}) {
      const sandbox = sandboxes.use('default')
      const transaction = new Transaction()
      transaction.enterWhole(sandbox)
      sandboxes.noting(transaction, () => {
        sandboxes.dropOthers()
        sandbox.reset(startOf())
        also(sandbox)
      })
      await edge.keepAll(transaction)
    }
  })
}

/** The edition of the options. The parts that they name are checked before the first request. */
function firstEdition(
  options: SettledMock,
  report: ContentsParts['report'],
  { load, realTime }: { load: Host['load']; realTime: () => number }
): Edition {
  const fixtureFile = readFixtureFile(options.fixtures)
  const definitions = withFixtureFile(definitionsOf(options, report, load), fixtureFile, options)
  const edition = createEdition(definitions, startOptions(options, fixtureFile), realTime)
  if (fixtureFile) edition.startOf()
  if (options.contracts !== undefined) checkEdition(edition, { folder: options.contracts, needed: readLedger() })
  return edition
}

/** Reads the initial overrides of sandboxes. Throws an Error that names the file, the place in it and the valid values. */
function readOverrides(file: string, contract: Contract): NewOverride[] {
  const list = readOptionFile('overrides', file)
  if (!Array.isArray(list))
    throw new Error(`${shown(file)}: give a list of overrides, as POST /__mock/overrides takes them.`)
  try {
    return checkOverrides(contract, checkedBody(contract, 'replaceOverrides', list))
  } catch (error) {
    const operation = contract.control.get('replaceOverrides')
    const problem = foreseen({ operation, contract }, error)
    if (!problem) throw error
    const { errors: [first] = [], detail } = problem.body
    if (!first) throw new Error(`${shown(file)}: ${detail}`)
    const [index, ...field] = first.field.split('.')
    const good = first.allowed ? ` Good values: ${first.allowed.join(', ')}.` : ''
    throw new Error(`${shown(file)}[${index}]${field.length > 0 ? ` ${field.join('.')}` : ''}: ${first.detail}${good}`)
  }
}

/** Plays the scenario once, in a separate mock. All sandboxes start from the result, which costs nothing more. */
function createStartScenario(source: string | undefined, makeMock: () => CoreMock) {
  if (source === undefined) {
    return { ready: Promise.resolve(), on: (start: Start) => start, playAgain: async (_: Edition) => {} }
  }
  let template: Sandbox | undefined
  const play = (mock: CoreMock): Promise<void> => {
    const scenario = scenarioIn(mock, source, `scenario (--scenario) is ${source}`)
    const playing = async () => {
      await mock.prepare()
      await mock.sandbox().play(scenario)
      template = mock.sandboxes.use('default')
    }
    return playing().catch((error: Error) => {
      throw new Error(`scenario (--scenario) ${source}: ${error.message}`)
    })
  }
  const ready = play(makeMock())
  // Requests report the failure, and so does `ready`. Without a handler it would end the process.
  ready.catch(() => {})
  return {
    /** Resolves once the scenario has been played. Rejects if it failed. */
    ready,
    /** A start with the scenario's result. */
    on: (start: Start) => (template ? { ...start, choices: template.choices, template } : start),
    /** Reads the scenario again and plays it with this edition. If that fails, sandboxes start as before. */
    async playAgain(edition: Edition) {
      const mock = makeMock()
      mock.adopt(edition)
      await mock.reset()
      await play(mock)
    }
  }
}
