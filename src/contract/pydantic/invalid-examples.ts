import type { Contract, Operation } from '../contract.js'
import type { Json, JsonObject } from '../load.js'
import type { Ledger } from '../validation/assumption-lists.js'
import { coercionUnder, type RawInput } from '../validation/validate.js'
import { validationError } from './dialect.js'
import { foundMistakes } from './typical-mistake.js'

/**
 * Examples for an operation's 422, made by its own checks: the most common mistake in the body, the path and the query.
 * An operation without input rejects only unknown fields.
 */
export function invalidExamples(contract: Contract, operation: Operation, { choices }: Ledger): JsonObject {
  const check = (raw: RawInput, noted: Set<string>) =>
    contract.checkInput(operation, raw, coercionUnder(choices), noted)
  const examples: Record<string, Json> = {}
  for (const { place, problem } of foundMistakes(contract.documents, operation, check)) {
    const name = problem.type === 'extra_forbidden' ? 'unknown-parameter' : `wrong-${place}`
    const isFirst = Object.keys(examples).length === 0
    if (name in examples || (name === 'unknown-parameter' && !isFirst)) continue
    examples[name] = { value: validationError([problem], choices, operation.chat) as unknown as Json }
  }
  return examples
}
