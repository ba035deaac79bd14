import type { OperationId } from '../../../apis/knowledge-chat/rules/rule.js'
import type { ClockState, NewOverride, OverrideEntry, State } from '../../../engine/contract/types.gen.js'

/**
 * A sandbox as a lowdb database. `data` has the format of `GET /__mock/state`; it is null before the first `read`, and may be
 * changed in place. `write` checks and replaces the whole state: if a row is wrong, it rejects with a ProblemError and nothing
 * changes. It resolves once the change is saved.
 */
export interface SandboxDatabase {
  data: State
  read(): Promise<void>
  write(): Promise<void>
  /** Reads, changes and writes. */
  update(change: (data: State) => unknown): Promise<void>
}

/** The clock of a sandbox. */
export interface SandboxClock {
  /** ISO 8601. */
  now: string
  /** Seconds of this clock per real second. 0 means that it is stopped. */
  speed: number
  /** Moves the clock forward by milliseconds, or by a text such as `2h` or `1d 12h`. */
  advance(duration: string | number): ClockState
  freeze(): ClockState
}

/** An override of an operation, or of a path: `{ method: 'GET', path: '/api/notes/{id}', body: {} }`. */
export type WantedOverride = Omit<NewOverride, 'operation' | 'method' | 'path'> &
  ({ operation: OperationId | '*' } | (Pick<NewOverride, 'method'> & { path: string }))

export interface OverrideHandle extends OverrideEntry {
  /** Removes the override if it still exists. */
  remove(): void
}
