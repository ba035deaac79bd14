import type { OperationInfo } from '../operations.js'
import type { Draft } from './draft.js'

/** The properties of each part of the form. */
export interface PartProps {
  draft: Draft
  set: (change: Partial<Draft>) => void
  /** The chosen operation. */
  operation: OperationInfo | undefined
  /** The error of a field of the override. */
  errorOf: (field: string) => string | undefined
}
