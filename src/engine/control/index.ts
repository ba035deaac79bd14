import type { Operations } from '../contract/types.gen.js'
import { inTurns } from '../store/steps.js'
import { assumptionRules } from './assumptions.js'
import { capsuleRules, readCapsule } from './capsule/capsule.js'
import { callCheckRules } from './checks/check-call.js'
import { clockRules } from './clock.js'
import { healthRules } from './health.js'
import { coverageRules, readCoverage } from './journal/coverage.js'
import { harRules, readHar } from './journal/har.js'
import { historyRules } from './journal/history.js'
import { readRequests, requestRules } from './journal/requests.js'
import { rowHistoryRules } from './journal/row-history.js'
import { undoRules } from './journal/undo.js'
import { operationRules } from './operations.js'
import { overrideRules } from './overrides.js'
import type { ControlContext, ControlId, ControlRule } from './rule.js'
import { sandboxRules } from './sandboxes.js'
import { scenarioRules } from './scenarios/scenarios.js'
import { snapshotRules } from './snapshots.js'
import { collectionRules } from './state/collections.js'
import { prepareRows } from './state/create-many.js'
import { lifecycleRules } from './state/lifecycles.js'
import { rowRules } from './state/rows.js'
import { stateRules } from './state/state.js'
import { takeState } from './state/take-state.js'
import { readRows, readState } from './state/whole-state.js'
import { weatherRules } from './weather.js'

export type { ControlContext, ControlId } from './rule.js'

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
  getState: (input, context) => inTurns(readState(input, context)),
  addRow: (input, context) => inTurns(prepareRows(input, context)),
  replaceState: ({ body }, { contract, sandbox }) => inTurns(takeState(contract, body, sandbox)),
  getCapsule: (input, context) => inTurns(readCapsule(input, context)),
  listRows: (input, context) => inTurns(readRows(input, context)),
  listRequests: (input, context) => inTurns(readRequests(input, context)),
  getHar: (input, context) => inTurns(readHar(input, context)),
  getCoverage: (input, context) => inTurns(readCoverage(input, context))
}

/** Operations that send requests, and wait for the answers. */
export type WaitingId = 'playScenario' | 'playGiven' | 'nextScene' | 'callOperation' | 'verifyServer'

/** Operations without a rule: they wait, the event stream never ends, sign-in redirects, and agents have a protocol. */
export type UnruledId = WaitingId | 'streamEvents' | 'enterSandbox' | 'answerAgent' | 'endAgent'

export type RuledId = Exclude<ControlId, UnruledId>

export const controlRules: { readonly [Id in RuledId]: ControlRule<Id> } = {
  ...healthRules,
  ...stateRules,
  ...rowRules,
  ...collectionRules,
  ...lifecycleRules,
  ...historyRules,
  ...undoRules,
  ...rowHistoryRules,
  ...snapshotRules,
  ...scenarioRules,
  ...capsuleRules,
  ...clockRules,
  ...assumptionRules,
  ...callCheckRules,
  ...overrideRules,
  ...weatherRules,
  ...requestRules,
  ...harRules,
  ...coverageRules,
  ...operationRules,
  ...sandboxRules
}
