import type { Faker } from '@faker-js/faker'
import type { Context } from '../api.js'
import type { Contract } from '../contract/contract.js'
import type { Operation } from '../contract/model.js'
import type { CreateContext } from '../control/state/create.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { AnyRow } from '../store/collection.js'
import type { CheckedRows, InTransaction } from './rows.js'

/** An answer with its own status, which an own rule returns from `reply` or throws with `refuse`. */
export class RuleReply {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Record<string, string> = {}
  ) {}
}

/** Ends an own rule with an error in the platform's format. */
export function refuse(status: number, detail: string): never {
  if (!Number.isInteger(status) || status < 400 || status > 599)
    throw new Error(`refuse takes a status from 400 to 599, not ${status}`)
  throw new RuleReply(status, { detail })
}

/** The input of an own rule: path, query, header and cookie parameters with the document's types, and the body. */
export interface RuleInput {
  path: Record<string, unknown>
  query: Record<string, unknown>
  header?: Record<string, unknown>
  cookie?: Record<string, unknown>
  body?: unknown
}

/** The context of an own rule. */
export interface RuleContext {
  /** The user of the request. It is null if the operation needs no token and none was sent. */
  user: AnyRow | null
  /** The collections of the sandbox by name, the platform's and the user's own. */
  rows: Record<string, CheckedRows>
  /** The sandbox's name. A sign-in can use it to keep a browser there. */
  sandbox: string
  /** The sandbox's time, as responses show it. */
  now: string
  ids: { next(collection: string): number; uuid(): string }
  /** Generates values. The same request in the same state gets the same values. */
  readonly faker: Faker
  /** Ends the rule with an error in the platform's format, `{ "detail": … }`. */
  refuse(status: number, detail: string): never
  /** An answer with headers, or with a status other than the document's first one. Bytes are sent unchanged. */
  reply(status: number, body?: unknown, headers?: Record<string, string>): RuleReply
}

/**
 * A function that `rules.js` exports for an operation. It returns the body of the answer, or the result of
 * `context.reply`.
 */
export type Rule = (input: RuleInput, context: RuleContext) => unknown

/** What answering an own operation needs in addition to the contract. */
export interface AnswerParts {
  contract: Contract
  sandbox: Sandbox
  factoryOf: CreateContext['factoryOf']
  context: Omit<Context, 'user'> & { user: AnyRow | null }
  /** Identifies the exchange within the sandbox. */
  exchange: string
  /** Runs work in the transaction of the request, also after a rule has waited. */
  inTransaction: InTransaction
  /** The Accept header. */
  accept: string | undefined
  /** The cookie with the token of a user. */
  cookie: { name: string; isSecure: boolean }
  /** The rule of another operation, which shows rows as a view. */
  ruleOf: (operation: Operation) => (input: unknown) => unknown
}
