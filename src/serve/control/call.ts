import type { Contract, Operation } from '../../contract/contract.js'
import type { InputError } from '../../contract/pydantic/explain.js'
import type { RawInput } from '../../contract/validation/validate.js'
import type { Edge } from '../../mock/persistence/edge.js'
import type { ReplacedState } from '../../mock/sandbox/history.js'
import { forgetAll, historyOf } from '../../mock/sandbox/past.js'
import { watchRoom } from '../../mock/sandbox/room.js'
import { Transaction } from '../../mock/sandbox/transaction.js'
import { type ControlContext, controlRules, preparations } from '../../rules/control/index.js'
import type { Reply } from '../message/message.js'
import { noteControl, noteMoment } from './deed.js'
import { controlProblems } from './problem.js'
import { refuseOther, versionOf } from './version.js'

/** The sandbox and contract of a call. They are created when the rule asks for them. */
type ControlTarget = Pick<ControlContext, 'sandbox' | 'contract'>

/** A call of a control operation, over HTTP or from a program. */
export interface ControlCall {
  operation: Operation
  contract: Contract
  raw: RawInput
  /** The input, if it has been checked already. */
  input?: RawInput
  /** The header of a request that changes a row only if nobody else has. */
  ifMatch?: string | undefined
  context: Omit<ControlContext, keyof ControlTarget>
  /** Enters the sandbox and creates it if needed. May throw a Refusal. */
  enter: () => ControlTarget
  /** The assumptions that input and reply rest on. */
  assumed: Set<string>
}

/** Checks the input of a call. Throws an Invalid that names each wrong field and the good values. */
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
  if (contract.own.length > 0) Object.assign(ctx ?? {}, { allowed: [...contract.collections.keys()] })
  return contract.collections.has(path.collection as string)
}

/** Resolves to the call with everything prepared that the rule would have to wait for. */
export async function prepared(call: ControlCall): Promise<ControlCall> {
  const prepare = preparations[call.operation.id as keyof typeof preparations] as
    | ((input: unknown, context: ControlContext) => Promise<unknown>)
    | undefined
  if (!prepare) return call
  const input = checkedInput(call)
  return { ...call, input, context: { ...call.context, prepared: await prepare(input, contextIn(call, call.enter)) } }
}

/**
 * Calls the rule with valid input and returns its reply. `kept` resolves once the changes would survive a kill, with
 * false if they were rolled back. If the changes cannot be kept, they are rolled back and `kept` rejects with a
 * Refusal. A rule that does not use the sandbox does not create one.
 */
export function callControl(call: ControlCall, edge: Edge): { reply: Reply; kept: Promise<boolean> | undefined } {
  const { operation } = call
  const { sandboxes } = call.context
  const input = call.input ?? checkedInput(call)
  let inside: ControlTarget | undefined
  // Operations that are open to probes do not read the state.
  if (isReading(operation)) {
    const entered = () => {
      inside ??= call.enter()
      return inside
    }
    return { reply: replyOf(call, input, entered), kept: operation.open ? undefined : edge.shown(inside?.sandbox) }
  }
  const transaction = new Transaction()
  let checkRoom = () => {}
  let before: ReplacedState | undefined
  const entered = () => {
    if (!inside) {
      inside = call.enter()
      transaction.enterWhole(inside.sandbox)
      const { fixtures, base, rows, ids } = inside.sandbox
      before = { fixtures, base, rows, ids }
      // It begins anew if something else has replaced the state.
      historyOf(inside.sandbox)
      checkRoom = watchRoom(inside.sandbox, sandboxes.limits.bytes)
    }
    return inside
  }
  const reply = sandboxes.noting(transaction, () =>
    transaction.run(() => {
      const made = replyOf(call, input, entered)
      checkRoom()
      return made
    })
  )
  const kept = edge.keepAll(transaction)
  // Which sandboxes there are concerns whoever looks at any of them.
  const told = inside ? [(inside as ControlTarget).sandbox] : sandboxes.list()
  const tell = () => {
    for (const { journal } of told) journal.tell({ type: 'control', operation: operation.id })
  }
  if (kept) kept.then((isKept) => isKept && tell()).catch(() => {})
  else tell()
  if (!inside) return { reply, kept }
  const { sandbox } = inside as ControlTarget
  const { prepared } = call.context
  noteControl(operation.id, input, sandbox, { moment: transaction.moment as number, prepared })
  noteMoment(operation.id, input, sandbox, { before: before as ReplacedState, transaction })
  kept?.catch(() => forgetAll(sandbox))
  return { reply, kept }
}

/** Whether an operation changes nothing. */
export function isReading({ method, looks }: Operation): boolean {
  return method === 'GET' || looks
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
