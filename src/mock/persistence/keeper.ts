import type { Choices } from '../../contract/load.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { LogChange } from './state-log.js'

/** Keeps the changes of sandboxes: one log for all, or one for each. */
export interface Keeper {
  /** The initial choices of sandboxes. */
  start: () => Choices
  /** Resolves when the change would survive a kill. If it cannot be kept, `takeBack` is called first, for the latest change first. */
  append(told: LogChange, takeBack: () => void): Promise<void>
  /**
   * Resolves when what a request saw in a sandbox is kept and still so, with false if some of it was rolled back. Undefined:
   * there is nothing to wait for. `underWay`: the sandbox's latest change that is not kept yet.
   */
  confirm(sandbox: Sandbox, underWay: Promise<boolean> | undefined): Promise<boolean> | undefined
  /** The same for who looks at one sandbox, or at all of them, and changes nothing. */
  shown(sandbox: Sandbox | undefined, underWay: Promise<boolean> | undefined): Promise<boolean> | undefined
  /** Whether this object is no more what its sandbox is, because that lives elsewhere. */
  isLost(sandbox: Sandbox): boolean
  /** What clients are told when `append` has failed. */
  refusalOf(error: Error): unknown
  /** Whether the log is to be rewritten. */
  readonly isLarge: boolean
  rewrite?(sandboxes: ReadonlyMap<string, Sandbox>): Promise<void>
  close(): Promise<void>
}
