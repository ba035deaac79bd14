import type { FactoryOf } from '../api.js'
import type { Contract } from '../contract/contract.js'
import type { LedgerEntry } from '../contract/ledger.js'
import type { InputError } from '../contract/model.js'
import { Invalid } from '../contract/pydantic/explain.js'
import type { Cluster, Operations, SandboxList, Scenario, ShadowReport } from '../contract/types.gen.js'
import type { Metric } from '../metrics/exposition.js'
import type { Sandbox, Start } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { StartWish } from '../sandbox/starts.js'

export type ControlId = {
  [Id in keyof Operations]: Operations[Id]['resource'] extends 'control' ? Id : never
}[keyof Operations]

export type AllSandboxes = Omit<SandboxList, 'total'>

/** Functions that concern the other processes. */
export interface ClusterParts {
  about: () => Promise<Cluster>
  /**
   * Claims a name, so that its sandbox can be created here. Resolves to a copy of `from` if that lives in another process.
   * Rejects with Moved if another process must create the sandbox, because it has the name, or the moments of `from`.
   */
  hold: (name: string, from: string | undefined, at: string | undefined) => Promise<Sandbox | undefined>
  sandboxes: () => Promise<AllSandboxes>
  metrics: () => Promise<Metric[]>
  /** Drops all sandboxes, or all but the default one, in all processes. Resolves to how many there were. */
  drop: (which: 'all' | 'others') => Promise<number>
}

export interface ControlContext {
  readonly sandbox: Sandbox
  readonly sandboxes: Sandboxes
  /** The contract under the sandbox's choices. */
  readonly contract: Contract
  readonly ledger: () => LedgerEntry[]
  /** The state that options describe. Missing options have the values of the mock's start. */
  start(options?: StartWish): Start
  /** Prepares such a state, in steps so that other requests are served. */
  prepareStart(options: StartWish): Promise<void>
  /** The factory for a collection's rows. Undefined means that rows must be given whole. */
  factoryOf: FactoryOf
  scenarios(): ReadonlyMap<string, Scenario>
  readonly about: { version: string; instance: () => string; contract: () => { version: string; sha256: string } }
  /** The prepared result; undefined if there is none. */
  readonly prepared?: unknown
  /** Whether rows are shown without their secrets, because anyone may have added one. */
  readonly hidesSecrets: boolean
  /** The processes that share the state; undefined: there is only this one. */
  readonly cluster?: ClusterParts | undefined
  /** What was compared with a service; null if there is none. */
  shadowReport(): ShadowReport | null
  /** Why the mock is not ready, for example because it shuts down. Undefined: it is ready. */
  problem(): string | undefined
  metrics(): Metric[]
  /** The base address that the client uses. */
  readonly server: string
}

/** The function of a control operation. It is synchronous, like the platform's rules. */
export type ControlRule<Id extends ControlId> = (
  input: Operations[Id]['input'],
  context: ControlContext
) => Operations[Id]['reply']

export type ControlRules<Ids extends ControlId> = { readonly [Id in Ids]: ControlRule<Id> }

/** One wrong field of a control request: its place, the error and its valid values. */
export function wrong(loc: InputError['loc'], msg: string, allowed?: readonly string[]): InputError {
  return { type: 'value_error', loc, msg, input: null, ...(allowed && { ctx: { allowed: [...allowed] } }) }
}

/** The refusal of a control request with one wrong field. */
export function invalid(...of: Parameters<typeof wrong>): Invalid {
  return new Invalid([wrong(...of)])
}
