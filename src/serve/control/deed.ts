import type { RawInput } from '../../contract/validation/validate.js'
import { type Clock, timestamp } from '../../mock/sandbox/clock.js'
import type { RecordedControlCall } from '../../mock/sandbox/deeds.js'
import type { ReplacedState } from '../../mock/sandbox/history.js'
import type { Sandbox } from '../../mock/sandbox/sandbox.js'
import { realNow } from '../../mock/sandbox/starts.js'
import type { Transaction } from '../../mock/sandbox/transaction.js'
import { Prepared } from '../../rules/control/state/create-many.js'

/** Calls that leave the state of their sandbox alone, and the one that has begun the deeds anew. */
const aside = new Set([
  'makeSandbox',
  'dropSandboxes',
  'dropSandbox',
  'clearRequests',
  'restoreRequests',
  'resetSandbox'
])
/** Calls that need a snapshot. */
const ofSnapshots = new Set(['restoreSnapshot', 'deleteSnapshot'])

/** What a deed of the control API takes beside its body: bytes, about. */
const overhead = 400

/** Notes what a call of the control API did in a sandbox. `moment`: what the clock showed; `prepared`: what was ready before. */
export function noteControl(
  control: string,
  input: RawInput,
  sandbox: Sandbox,
  { moment, prepared }: { moment: number; prepared: unknown }
): void {
  const { deeds, clock } = sandbox
  const { path, query } = input as Pick<RecordedControlCall, 'path' | 'query'>
  const isOfForeign = ofSnapshots.has(control) && !deeds.hasMade(String(path.name))
  // What was before does not lead to the state as it is now.
  if (control === 'replaceState' || control === 'goBack' || (control === 'restoreSnapshot' && isOfForeign)) {
    sandbox.putIn()
    return
  }
  if (aside.has(control) || isOfForeign) return
  const now = prepared instanceof Prepared && prepared.isTaken ? prepared.moment : moment
  const body = bodyOf(control, input.body, clock)
  const bytes = overhead + (JSON.stringify(body) ?? '').length
  const deed: RecordedControlCall = { number: 0, bytes, now, control, path, query, body }
  deeds.add(deed, true, sandbox)
}

/** Notes in the history of a sandbox what a call of the control API changed. `before`: what it may have replaced. */
export function noteMoment(
  control: string,
  { path }: RawInput,
  sandbox: Sandbox,
  { before, transaction }: { before: ReplacedState; transaction: Transaction }
): void {
  const { writes, countersBefore: counters } = transaction
  const isReplaced = before.rows !== sandbox.rows || before.ids !== sandbox.ids
  const replaced = isReplaced ? before : undefined
  const of = Object.values((path ?? {}) as Record<string, string>).join(' ')
  sandbox.history.add(sandbox, { control, of, writes, counters, replaced })
  if (control === 'resetSandbox' && sandbox.journal.position === 0) sandbox.history.restartJournal()
}

/** The body of a call that does the same at another time. */
function bodyOf(control: string, body: unknown, { now, speed }: Clock): unknown {
  if (control === 'takeSnapshot') return speed === 0 ? undefined : { speed }
  const isRealTime = control === 'setClock' && (body as { now?: string }).now === realNow
  return isRealTime ? { now: timestamp(now), speed } : body
}
