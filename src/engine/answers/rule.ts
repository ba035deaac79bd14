import type { Contract } from '../contract/contract.js'
import type { Operation } from '../contract/model.js'
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
  /** The path of the app that the mock is mounted in. */
  mount: string
  /** The address of the mock for the caller, with that path. */
  address: string
  /** The choice in force of a question of the ledger, which the response names. Undefined: the ledger has no such question. */
  assume(id: string): string | undefined
  /** The answer of another operation, which shows rows as a view. */
  view: (operation: Operation) => (input: unknown) => unknown
}
