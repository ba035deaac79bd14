import type { Contract } from '../../contract/contract.js'
import { Invalid } from '../../contract/explain.js'
import type { NewOverride } from '../../contract/types.gen.js'
import { wrong } from './problems.js'

/** Refuses an override that could never answer, and names what it may say. */
export function checkOverride(contract: Contract, { operation }: NewOverride): void {
  if (!contract.operations.has(operation)) {
    const known = [...contract.operations.keys()]
    throw new Invalid([wrong(['body', 'operation'], `There is no operation "${operation}".`, known)])
  }
}
