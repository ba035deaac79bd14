import type { Contract } from '../../../contract/contract.js'
import { statusesOf } from '../../../contract/outcomes.js'
import type { NewOverride, OverrideCheck } from '../../../contract/types.gen.js'

/** What breaks the contract in the answers of an override, and what the contract does not know. */
export function brokenBy(contract: Contract, override: NewOverride): OverrideCheck {
  const operation = contract.operations.get(override.operation ?? '')
  const check: OverrideCheck = { violations: [], notes: [] }
  if (!operation) return check
  for (const [at, { status = 200, body, example }] of (override.sequence ?? [override]).entries()) {
    const place = override.sequence ? `sequence.${at}: ` : ''
    const isGiven = body !== undefined || ('status' in (override.sequence?.[at] ?? override) && example === undefined)
    if (!isGiven) continue
    if (!statusesOf(contract, operation).has(status)) {
      check.notes.push(`${place}${operation.id} documents no status ${status}, so its answer is not checked.`)
    } else if (body !== undefined) {
      const found = contract.checkReply(operation, status, body, new Set())
      check.violations.push(...found.map((text) => place + text))
    }
  }
  return check
}
