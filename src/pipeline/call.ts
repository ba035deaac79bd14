import type { Operation } from '../contract/contract.js'
import type { RawInput } from '../contract/validate.js'
import { type ControlContext, controlRules } from '../rules/control/index.js'
import { controlProblems } from './problem.js'

/**
 * What a control operation answers: the reply of its rule, on input that holds. Throws an Invalid that names each wrong
 * field and the good values, or the rule's Refusal. `assumed` receives the assumptions that the input rests on.
 */
export function callControl(
  operation: Operation,
  raw: RawInput,
  context: ControlContext,
  assumed: Set<string> = new Set()
): unknown {
  const { contract } = context
  const { input, problems, unknown } = contract.checkInput(operation, raw, 'strict', assumed)
  if (problems.length + unknown.length > 0) throw controlProblems(contract, operation, problems, unknown)
  const rule = controlRules[operation.id as keyof typeof controlRules] as (
    input: unknown,
    context: ControlContext
  ) => unknown
  return rule(input, context)
}
