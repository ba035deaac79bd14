import { createHash } from 'node:crypto'
import type { Contract } from '../contract/contract.js'
import { Refusal } from '../contract/message/refusal.js'
import type { InputError, Operation, RawInput } from '../contract/model.js'
import type { Operations } from '../contract/types.gen.js'
import type { Edge } from '../keep/edge.js'
import type { RecordedControlCall } from '../sandbox/calls.js'
import { type Clock, timestamp } from '../sandbox/clock.js'
import type { ReplacedState } from '../sandbox/history.js'
import { forgetAll, historyOf, type Sandbox, watchRoom } from '../sandbox/sandbox.js'
import { realNow } from '../sandbox/starts.js'
import { Transaction } from '../sandbox/transaction.js'
import type { Reply } from '../serve/message/message.js'
import { controlProblems } from '../serve/problem.js'
import { collectionOf } from '../store/rows.js'
import { type ControlContext, controlRules, preparations } from './index.js'
import { contextAt } from './journal/past.js'
import { Prepared } from './state/create.js'
import { idOf } from './state/ids.js'
import { hiding } from './state/whole-state.js'

/** Calls that do not change the state of their sandbox, and `resetSandbox`, which restarts the list of calls itself. */
const aside = new Set([
  'makeSandbox',
  'dropSandboxes',
  'dropSandbox',
  'clearRequests',
  'restoreRequests',
  'resetSandbox'
])
/** Calls that put another state into place, or another value of something that earlier calls have changed. */
const intoPlace = new Set(['replaceState', 'goBack', 'undoChange'])
const ofSnapshots = new Set(['restoreSnapshot', 'deleteSnapshot'])

/** The approximate size of a call of the control API without its body, in bytes. */
const overhead = 400

/** Records what a control call did in a sandbox. `moment`: the time on the clock; `prepared`: the prepared result. */
function noteControl(
  control: string,
  input: RawInput,
  sandbox: Sandbox,
  { moment, prepared }: { moment: number; prepared: unknown }
): void {
  const { calls, clock } = sandbox
  const { path, query } = input as Pick<RecordedControlCall, 'path' | 'query'>
  const isOfForeign = ofSnapshots.has(control) && !calls.hasMade(String(path.name))
  // The earlier calls do not lead to the current state.
  if (intoPlace.has(control) || (control === 'restoreSnapshot' && isOfForeign)) {
    sandbox.putIn()
    return
  }
  if (aside.has(control) || isOfForeign) return
  const now = prepared instanceof Prepared && prepared.isTaken ? prepared.moment : moment
  const body = bodyOf(control, input.body, clock)
  const bytes = overhead + (JSON.stringify(body) ?? '').length
  const call: RecordedControlCall = { number: 0, bytes, now, control, path, query, body }
  calls.add(call, true, sandbox)
}

/** Records in the history of a sandbox what a call of the control API changed. `before`: what it may have replaced. */
function noteMoment(
  control: string,
  { path }: RawInput,
  sandbox: Sandbox,
  { before, transaction, isByProgram }: { before: ReplacedState; transaction: Transaction; isByProgram: boolean }
): void {
  const { writes, countersBefore: counters } = transaction
  const isReplaced = before.rows !== sandbox.rows || before.ids !== sandbox.ids
  const replaced = isReplaced ? before : undefined
  const of = Object.values((path ?? {}) as Record<string, string>).join(' ')
  sandbox.history.add(sandbox, { control, isByProgram, of, writes, counters, replaced })
  if (control === 'resetSandbox' && sandbox.journal.position === 0) sandbox.history.restartJournal()
}

/** The body of a call that has the same effect at another time. */
function bodyOf(control: string, body: unknown, { now, speed }: Clock): unknown {
  if (control === 'takeSnapshot') return speed === 0 ? undefined : { speed }
  const isRealTime = control === 'setClock' && (body as { now?: string }).now === realNow
  return isRealTime ? { now: timestamp(now), speed } : body
}

const ofRow = new Set(['getRow', 'replaceRow', 'changeRow', 'removeRow'])

/** The ETag of the row that a call names. It follows from the stored row, so it does not change with the clock. */
function versionOf(operation: string, input: RawInput, context: ControlContext): string | undefined {
  if (!ofRow.has(operation)) return undefined
  const { path, query } = input as unknown as Operations['getRow']['input']
  const then = contextAt(context, query.at)
  const row = collectionOf(then.sandbox.rows, path.collection).get(idOf(then, path.collection, path.id))
  if (!row) return undefined
  const text = JSON.stringify(hiding(then, path.collection)(row))
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
}

/** Throws a Refusal if a call names versions of its row, and the row has none of them. */
function refuseOther(ifMatch: string | undefined, operation: string, input: RawInput, context: ControlContext): void {
  if (ifMatch === undefined || !ofRow.has(operation)) return
  const version = versionOf(operation, input, context)
  // A compressing proxy makes tags weak.
  const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (version !== undefined && (tags.includes('*') || tags.includes(version))) return
  const now = version === undefined ? 'It is gone.' : `Its ETag is now ${version}.`
  throw new Refusal('changed-row', { ...input.path, now })
}

/** The sandbox and contract of a call. They are created when the rule asks for them. */
type ControlTarget = Pick<ControlContext, 'sandbox' | 'contract'>

/** A call of a control operation, over HTTP or from a program. */
export interface ControlCall {
  operation: Operation
  contract: Contract
  raw: RawInput
  /** The input, if it has been checked already. */
  input?: RawInput
  /** Whether a program calls it, without a request. */
  isByProgram?: boolean
  /** The header of a request that changes a row only if no one else has. */
  ifMatch?: string | undefined
  context: Omit<ControlContext, keyof ControlTarget>
  /** Enters the sandbox and creates it if needed. May throw a Refusal. */
  enter: () => ControlTarget
  /** The assumptions that input and reply depend on. */
  assumed: Set<string>
}

/** Checks the input of a call. Throws an Invalid that names each wrong field and the valid values. */
export function checkedInput({
  operation,
  contract,
  raw,
  assumed
}: Omit<ControlCall, 'input' | 'ifMatch' | 'context' | 'enter'>): RawInput {
  const checked = contract.checkInput(operation, raw, 'strict', assumed)
  const { input, unknown } = checked
  // The contract of the control API lists the platform's collections. The user's own collections are valid too.
  const problems = checked.problems.filter((it) => !namesOwn(contract, it, raw))
  if (problems.length + unknown.length > 0) throw controlProblems(contract, operation, problems, unknown)
  return input
}

function namesOwn(contract: Contract, { loc, type, ctx }: InputError, { path }: RawInput): boolean {
  if (loc[0] !== 'path' || loc[1] !== 'collection' || type !== 'enum') return false
  if (contract.extensions.length > 0) Object.assign(ctx ?? {}, { allowed: [...contract.collections.keys()] })
  return contract.collections.has(path.collection as string)
}

/** Resolves to the call, after preparing everything that the rule would have to wait for. */
export async function prepared(call: ControlCall): Promise<ControlCall> {
  const prepare = preparations[call.operation.id as keyof typeof preparations] as
    | ((input: unknown, context: ControlContext) => Promise<unknown>)
    | undefined
  if (!prepare) return call
  const input = checkedInput(call)
  return { ...call, input, context: { ...call.context, prepared: await prepare(input, contextIn(call, call.enter)) } }
}

/**
 * Calls the rule with valid input and returns its reply. `save` resolves once the changes would survive a kill, with
 * false if they were rolled back. If the changes cannot be kept, they are rolled back and `save` rejects with a
 * Refusal. A rule that does not use the sandbox does not create one.
 */
export function callControl(call: ControlCall, edge: Edge): { reply: Reply; save: Promise<boolean> | undefined } {
  const { operation } = call
  const { sandboxes } = call.context
  const input = call.input ?? checkedInput(call)
  const transaction = operation.isReading ? undefined : new Transaction()
  let inside: ControlTarget | undefined
  let checkRoom = () => {}
  let before: ReplacedState | undefined
  const entered = () => {
    if (inside) return inside
    inside = call.enter()
    if (!transaction) return inside
    transaction.enterWhole(inside.sandbox)
    const { fixtures, base, rows, ids } = inside.sandbox
    before = { fixtures, base, rows, ids }
    // It starts again if something else has replaced the state.
    historyOf(inside.sandbox)
    checkRoom = watchRoom(inside.sandbox, sandboxes.limits.bytes)
    return inside
  }
  if (!transaction) {
    const reply = replyOf(call, input, entered)
    // Operations that are open to probes do not read the state.
    return { reply, save: operation.open ? undefined : edge.shown(inside?.sandbox) }
  }
  const reply = sandboxes.noting(transaction, () =>
    transaction.run(() => {
      const result = replyOf(call, input, entered)
      checkRoom()
      return result
    })
  )
  const save = edge.keepAll(transaction)
  // A change of the list of sandboxes concerns everyone who watches one of them.
  const targets = inside ? [(inside as ControlTarget).sandbox] : sandboxes.list()
  const tell = () => {
    for (const { journal } of targets) journal.tell({ type: 'control', operation: operation.id })
  }
  if (save) save.then((isKept) => isKept && tell()).catch(() => {})
  else tell()
  if (!inside) return { reply, save }
  const { sandbox } = inside as ControlTarget
  const { prepared } = call.context
  noteControl(operation.id, input, sandbox, { moment: transaction.moment as number, prepared })
  noteMoment(operation.id, input, sandbox, {
    before: before as ReplacedState,
    transaction,
    isByProgram: call.isByProgram ?? false
  })
  save?.catch(() => forgetAll(sandbox))
  return { reply, save }
}

function replyOf(call: ControlCall, input: RawInput, entered: () => ControlTarget): Reply {
  const { operation, contract, assumed } = call
  const rule = controlRules[operation.id as keyof typeof controlRules] as (
    input: unknown,
    context: ControlContext
  ) => unknown
  const context = contextIn(call, entered)
  const { id } = operation
  refuseOther(call.ifMatch, id, input, context)
  const body = rule(input, context)
  const status = Number(Object.keys(operation.responses)[0])
  const violations = contract.checkReply(operation, status, body, assumed)
  if (violations.length > 0) throw new Error(`The reply breaks the contract: ${violations.join('; ')}`)
  const version = versionOf(id, input, context)
  return { status, body, media: operation.responses[status]?.media, ...(version && { headers: { ETag: version } }) }
}

/** The context enters the sandbox on first use, so a rule that does not use it creates none. */
function contextIn(call: ControlCall, entered: () => ControlTarget): ControlContext {
  return {
    ...call.context,
    get sandbox() {
      return entered().sandbox
    },
    get contract() {
      return entered().contract
    }
  }
}
