import type { Contract, Operation } from '../contract/contract.js'
import type { RawInput } from '../contract/validate.js'
import type { Reply } from '../http/write.js'
import type { Sandbox } from '../mock/sandbox.js'
import { type ControlContext, controlRules } from '../rules/control/index.js'
import type { Edge } from '../store/edge.js'
import { undo } from '../store/records.js'
import { noteTouchesIn, type Touches } from '../store/touches.js'
import { controlProblems } from './problem.js'

/** A control operation that is called, over HTTP or by a program. */
export interface ControlCall {
  operation: Operation
  contract: Contract
  raw: RawInput
  context: ControlContext
  /** What is kept afterwards; the rule has it from `context`, which may refuse it. */
  sandbox: Sandbox
  /** The assumptions that input and reply rest on. */
  assumed: Set<string>
  touches: Touches
}

/** The input of a call. Throws an Invalid that names each wrong field and the good values. */
export function checkedInput({
  operation,
  contract,
  raw,
  assumed
}: Omit<ControlCall, 'context' | 'sandbox' | 'touches'>): RawInput {
  const { input, problems, unknown } = contract.checkInput(operation, raw, 'strict', assumed)
  if (problems.length + unknown.length > 0) throw controlProblems(contract, operation, problems, unknown)
  return input
}

/**
 * The reply of an operation's rule, on input that holds. `kept` resolves when what it changed would survive a kill; where
 * that fails it is taken back, and `kept` rejects with a Refusal.
 */
export function callControl(call: ControlCall, edge: Edge): { reply: Reply; kept: Promise<void> } {
  const { operation, sandbox, touches } = call
  if (operation.method === 'GET') return { reply: replyOf(call), kept: Promise.resolve() }
  const takeBack = edge.isKept ? sandbox.remember() : () => {}
  noteTouchesIn(touches)
  try {
    return { reply: replyOf(call), kept: keep() }
  } finally {
    noteTouchesIn(undefined)
  }

  async function keep(): Promise<void> {
    await edge.keepAll(sandbox, touches.writes, () => {
      takeBack()
      undo(sandbox.rows, touches.writes)
    })
    await edge.keepNames()
  }
}

function replyOf(call: ControlCall): Reply {
  const { operation, contract, context, assumed } = call
  const input = checkedInput(call)
  const rule = controlRules[operation.id as keyof typeof controlRules] as (
    input: unknown,
    context: ControlContext
  ) => unknown
  const body = rule(input, context)
  const status = Number(Object.keys(operation.responses)[0])
  const violations = contract.checkReply(operation, status, body, assumed)
  if (violations.length > 0) throw new Error(`The reply breaks the contract: ${violations.join('; ')}`)
  return { status, body, media: operation.responses[status]?.media }
}
