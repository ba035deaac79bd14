import type { Faker } from '@faker-js/faker'
import type { Contract, Operation } from '../../contract/contract.js'
import type { Json } from '../../contract/load.js'
import { responseOf } from '../../contract/outcomes.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import type { Rows } from '../../contract/types.gen.js'
import { hash, mix } from '../../mock/sandbox/ids.js'
import type { Sandbox } from '../../mock/sandbox/sandbox.js'
import type { Creating } from '../control/state/create.js'
import type { Context } from '../rule.js'
import { ofCollection } from './collection.js'
import { echoed, statusOf } from './generated.js'
import { OwnReply, refuse } from './reply.js'
import { type OwnRows, ownRows, sentence } from './rows.js'

/** What an own rule is given: path, query, header and cookie parameters as the document types them, and the body. */
export interface OwnInput {
  path: Record<string, unknown>
  query: Record<string, unknown>
  header?: Record<string, unknown>
  cookie?: Record<string, unknown>
  body?: unknown
}

/** What an own rule knows beside its input. */
export interface OwnContext {
  /** Who asks; null: nobody, where the operation needs no token. */
  user: Rows['users'] | null
  /** The collections of the sandbox by name, the platform's and the user's own. */
  rows: Record<string, OwnRows>
  /** The sandbox's name, so that a sign-in can keep a browser in it. */
  sandbox: string
  /** The sandbox's time, as responses write it. */
  now: string
  ids: { next(collection: string): number; uuid(): string }
  /** Made-up values, the same for the same request in the same state. */
  readonly faker: Faker
  /** Ends the rule with an error in the platform's form: `{ "detail": … }`. */
  refuse(status: number, detail: string): never
  /** An answer with another status than the first that the document has, or with headers. */
  reply(status: number, body?: unknown, headers?: Record<string, string>): OwnReply
}

/** What a `rules.js` exports for an operation: returns the body of the answer, or what `context.reply` makes. */
export type OwnRule = (input: OwnInput, context: OwnContext) => unknown

/** What an own operation is answered with, beside the contract. */
export interface OwnContextParts {
  contract: Contract
  sandbox: Sandbox
  factoryOf: Creating['factoryOf']
  context: Omit<Context, 'user'> & { user: Rows['users'] | null }
  /** Tells one exchange of the sandbox from the next. */
  exchange: string
  makeFaker: (seed: number) => Faker
  /** The rule of another operation, as a view of its rows. */
  ruleOf: (operation: Operation) => (input: unknown) => unknown
}

/** The answer of an own operation: by its rule, its collection, its example, or its schema. */
export function answerOwn(
  operation: Operation,
  rule: OwnRule | undefined,
  input: OwnInput,
  parts: OwnContextParts
): OwnReply {
  const { contract, context } = parts
  if (rule) return ruled(operation, rule, input, parts)
  if (operation.own?.mock.collection !== undefined) return ofCollection(operation, input, parts)
  const status = statusOf(operation)
  const row = responseOf(operation, status)
  const [example] = Object.values(row?.examples ?? {})
  if (!row?.schema) return new OwnReply(status, undefined)
  if (example !== undefined) return new OwnReply(status, example)
  const seed = mix(context.seed ^ hash(JSON.stringify([operation.id, input.path, input.query])))
  const value = contract.sampleOf(operation, status, seed)
  return new OwnReply(
    status,
    echoed(value, input, (it: Json) => contract.checkReply(operation, status, it, new Set()).length === 0)
  )
}

function ruled(operation: Operation, rule: OwnRule, input: OwnInput, parts: OwnContextParts): OwnReply {
  const { contract, sandbox, context, exchange, makeFaker } = parts
  let faker: Faker | undefined
  const asked = operation.method === 'GET' ? JSON.stringify(input) : exchange
  let reply: unknown
  try {
    reply = rule(input, {
      user: context.user,
      rows: ownRows(parts),
      sandbox: sandbox.name,
      now: context.now,
      ids: {
        next: (collection) => {
          if (!contract.collections.has(collection)) throw new Error(`there is no collection ${collection}`)
          return context.ids.next(collection as keyof Rows, context.rows)
        },
        uuid: () => context.ids.uuid()
      },
      get faker() {
        faker ??= makeFaker(mix(context.seed ^ hash(operation.id + asked)))
        return faker
      },
      refuse,
      reply: (status, body, headers) => new OwnReply(status, body, headers)
    })
  } catch (error) {
    if (error instanceof Invalid)
      throw new Error(`The rule of ${operation.id} has put a row that breaks its contract: ${sentence(error)}`)
    throw error
  }
  if (reply instanceof Promise) {
    reply.catch(() => {})
    throw new Error(
      `The rule of ${operation.id} returns a promise: rules are synchronous, so that a request is a transaction.`
    )
  }
  if (reply instanceof OwnReply) return reply
  const status = statusOf(operation, reply === undefined)
  return new OwnReply(status, reply)
}
