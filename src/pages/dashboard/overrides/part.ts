import type { Draft } from './draft.js'
import type { OperationInfo } from './operations.js'

/** What each part of the form gets. */
export interface Part {
  draft: Draft
  set: (change: Partial<Draft>) => void
  /** The operation that is chosen. */
  operation: OperationInfo | undefined
  /** What is wrong with a field of the override. */
  errorOf: (field: string) => string | undefined
}
