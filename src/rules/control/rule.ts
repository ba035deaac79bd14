import type { MakeRow } from '../../../fixtures/index.js'
import type { Contract } from '../../contract/contract.js'
import type { LedgerEntry } from '../../contract/ledger.js'
import type { Operations, Scenario } from '../../contract/types.gen.js'
import type { Sandbox, Start } from '../../mock/sandbox/sandbox.js'
import type { Sandboxes } from '../../mock/sandbox/sandboxes.js'
import type { StartWish } from '../../mock/sandbox/starts.js'
import { atOnce, type Steps } from '../../store/steps.js'

/** The operations of the control API. */
export type ControlId = {
  [Id in keyof Operations]: Operations[Id]['resource'] extends 'control' ? Id : never
}[keyof Operations]

/** What a rule of the control API works on. */
export interface ControlContext {
  /** The sandbox that the request names. */
  readonly sandbox: Sandbox
  readonly sandboxes: Sandboxes
  /** The contract under the sandbox's choices. */
  readonly contract: Contract
  readonly ledger: () => LedgerEntry[]
  /** The state that options stand for; what they leave out is as the mock was started. */
  start(options?: StartWish): Start
  /** Makes such a state ready, in steps between which others are served. */
  prepareStart(options: StartWish): Promise<void>
  /** What makes the rows of a collection; undefined: they must be given whole. */
  factoryOf(collection: string): MakeRow | undefined
  /** The scenarios that can be played by name. */
  scenarios(): ReadonlyMap<string, Scenario>
  readonly about: { version: string; instance: string; contract: () => { version: string; sha256: string } }
  /** What was made ready before the rule was called; undefined: nothing. */
  readonly prepared?: unknown
  /** Whether rows are given out without their secrets: anybody may have put one in. */
  readonly hidesSecrets: boolean
  /** Whether the mock takes more requests: not while it shuts down. */
  isReady(): boolean
  /** What the whole mock counts, in the text format of Prometheus. */
  metrics(): string
  /** The base address that the client uses. */
  readonly server: string
}

/** What a control operation does: synchronous, as the platform's rules are. */
export type ControlRule<Id extends ControlId> = (
  input: Operations[Id]['input'],
  context: ControlContext
) => Operations[Id]['reply']

/** Rules of some control operations. */
export type ControlRules<Ids extends ControlId> = { readonly [Id in Ids]: ControlRule<Id> }

/** What a control operation that only reads does, where that may take long: in steps, on what there was at the first. */
export type Reading<Id extends ControlId> = (
  input: Operations[Id]['input'],
  context: ControlContext
) => Steps<Operations[Id]['reply']>

/** The rule of a reading: what was read before it was called; for a program, all at once. */
export function ruleOf<Id extends ControlId>(reading: Reading<Id>): ControlRule<Id> {
  return (input, context) =>
    (context.prepared as Operations[Id]['reply'] | undefined) ?? atOnce(reading(input, context))
}
