import type { Contract, Operation, RefusalRow } from './contract.js'

type Common = Pick<Contract, 'access' | 'refusals'>

/** Every refusal that an operation may answer with, by its reason: its own, and those of all that it can meet. */
export function refusalsOf({ access, refusals }: Common, operation: Operation): Record<string, RefusalRow> {
  const met: Record<string, RefusalRow> = { unauthenticated: refusals.unauthenticated as RefusalRow }
  if (Object.values(operation.access).some((name) => access[name]?.roles))
    met.forbidden = refusals.forbidden as RefusalRow
  if (operation.input.body) {
    met['unreadable-body'] = refusals['unreadable-body'] as RefusalRow
    met['too-large'] = refusals['too-large'] as RefusalRow
  }
  return { ...met, ...operation.refusals }
}

/** Every status that an operation may answer with; 422 is the ValidationError of any (2.16). */
export function statusesOf(common: Common, operation: Operation): Set<number> {
  const refused = Object.values(refusalsOf(common, operation)).map(({ status }) => status)
  return new Set([...Object.keys(operation.responses).map(Number), ...refused, 422])
}
