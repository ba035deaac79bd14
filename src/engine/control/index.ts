import type { Operations } from '../contract/types.gen.js'
import { atOnce, inTurns, type Steps } from '../store/steps.js'
import { assumptionRules } from './assumptions.js'
import { readCapsule } from './capsule.js'
import { callCheckRules } from './checks/check-call.js'
import { clockRules } from './clock.js'
import { healthRules } from './health.js'
import { readCoverage } from './journal/coverage.js'
import { readHar } from './journal/har.js'
import { historyRules } from './journal/history.js'
import { readRequests, requestRules } from './journal/requests.js'
import { operationRules } from './operations.js'
import { overrideRules, weatherRules } from './overrides.js'
import type { ControlContext, ControlId, ControlRule } from './rule.js'
import { sandboxRules } from './sandboxes.js'
import { scenarioRules } from './scenarios/scenarios.js'
import { snapshotRules } from './snapshots.js'
import { collectionRules } from './state/collections.js'
import { prepareRows } from './state/create.js'
import { lifecycleRules } from './state/lifecycles.js'
import { rowRules } from './state/rows.js'
import { stateRules, takeState } from './state/take-state.js'
import { readRows, readState } from './state/whole-state.js'

export type { ControlContext, ControlId } from './rule.js'

/** Operations that only read and may take long. They run in steps, and show the state of the first one. */
const readings = {
  getState: readState,
  listRows: readRows,
  listRequests: readRequests,
  getHar: readHar,
  getCoverage: readCoverage,
  getCapsule: readCapsule
} satisfies { [Id in ControlId]?: Reading<Id> }

type Reading<Id extends ControlId> = (
  input: Operations[Id]['input'],
  context: ControlContext
) => Steps<Operations[Id]['reply']>

function ofReadings<T>(make: (steps: () => Steps<unknown>, context: ControlContext) => T) {
  const entries = Object.entries(readings).map(([id, read]) => {
    return [id, (input: object, context: ControlContext) => make(() => read(input as never, context), context)]
  })
  return Object.fromEntries(entries) as Record<keyof typeof readings, (input: object, context: ControlContext) => T>
}

/** Work that is done in steps before a rule is called, because a rule cannot wait. The rule finds the result as `prepared`. */
export const preparations: {
  readonly [Id in ControlId]?: (input: Operations[Id]['input'], context: ControlContext) => Promise<unknown> | undefined
} = {
  getCluster: (_, { cluster }) => cluster?.about(),
  getMetrics: ({ query: { alone } }, { cluster }) => (alone ? undefined : cluster?.metrics()),
  listSandboxes: (_, { cluster }) => cluster?.sandboxes(),
  dropSandboxes: (_, { cluster }) => cluster?.drop('others'),
  makeSandbox: ({ body: { name, from, at } }, { cluster }) => cluster?.hold(name, from, at),
  resetSandbox: ({ body }, { prepareStart }) => prepareStart(body),
  addRow: (input, context) => inTurns(prepareRows(input, context)),
  replaceState: ({ body }, { contract, sandbox }) => inTurns(takeState(contract, body, sandbox)),
  ...ofReadings((steps) => inTurns(steps()))
}

/** Operations that send requests, and wait for the answers. */
export type WaitingId = 'playScenario' | 'playGiven' | 'nextScene' | 'callOperation' | 'verifyServer'

/** Operations without a rule: they wait, the event stream never ends, sign-in redirects, and agents have a protocol. */
export type UnruledId = WaitingId | 'streamEvents' | 'enterSandbox' | 'answerAgent' | 'endAgent'

export type RuledId = Exclude<ControlId, UnruledId>

export const controlRules: { readonly [Id in RuledId]: ControlRule<Id> } = {
  // A program reads everything at once.
  ...ofReadings((steps, { prepared }) => (prepared ?? atOnce(steps())) as never),
  ...healthRules,
  ...stateRules,
  ...rowRules,
  ...collectionRules,
  ...lifecycleRules,
  ...historyRules,
  ...snapshotRules,
  ...scenarioRules,
  ...clockRules,
  ...assumptionRules,
  ...callCheckRules,
  ...overrideRules,
  ...weatherRules,
  ...requestRules,
  ...operationRules,
  ...sandboxRules
}
