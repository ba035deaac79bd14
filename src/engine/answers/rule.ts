import type { Contract } from '../contract/contract.js'
import { RuleReply } from '../contract/message/reply.js'
import type { Operation } from '../contract/model.js'
import { statusOf } from '../contract/outcomes.js'
import type { CreateContext } from '../control/state/create.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { AnyRow } from '../store/collection.js'

/** The input of a document's operation: its parameters with the document's types, and the body. */
export interface RuleInput {
  path: Record<string, unknown>
  query: Record<string, unknown>
  header?: Record<string, unknown>
  cookie?: Record<string, unknown>
  body?: unknown
}

/** A request to an operation without a rule. */
export interface Call {
  operation: Operation
  input: RuleInput
  /** Null: no one is signed in. */
  user: AnyRow | null
  contract: Contract
  sandbox: Sandbox
  factoryOf: CreateContext['factoryOf']
  /** The Accept header. */
  accept: string | undefined
  /** The cookie with the token of a user. */
  cookie: { name: string; isSecure: boolean }
  /** The choice in force of a question of the ledger, which the response names. Undefined: the ledger has no such question. */
  assume(id: string): string | undefined
  /** The answer of another operation, which shows rows as a view. */
  view: (operation: Operation) => (input: unknown) => unknown
}

/** The result of a rule. That of a document's operation gets the status of its document. */
export function resultOf(operation: Operation, result: unknown): unknown {
  if (result instanceof Promise) {
    result.catch(() => {})
    throw new Error(
      `The rule of ${operation.id} returns a promise: rules are synchronous, so that a request is a transaction.`
    )
  }
  const body = result instanceof RuleReply ? result.body : result
  if (typeof body === 'function' || typeof body === 'symbol' || typeof body === 'bigint') {
    throw new Error(`The rule of ${operation.id} returns a ${typeof body}, which JSON does not have.`)
  }
  if (result instanceof RuleReply || !operation.origin) return result
  return new RuleReply(statusOf(operation, result === undefined), result)
}
