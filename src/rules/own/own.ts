import type { Faker } from '@faker-js/faker'
import type { Operation } from '../../contract/model.js'
import type { Contract } from '../../contract/contract.js'
import { type Json, type JsonObject, schemaOf } from '../../contract/load.js'
import { responseOf } from '../../contract/outcomes.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import type { Rows } from '../../contract/types.gen.js'
import { hash, mix } from '../../mock/sandbox/ids.js'
import type { Sandbox } from '../../mock/sandbox/sandbox.js'
import type { CreateContext } from '../control/state/create.js'
import type { Context } from '../rule.js'
import { ofCollection } from './collection.js'
import { echoed, statusOf } from './generated.js'
import { OwnReply, refuse } from './reply.js'
import { type OwnRows, ownRows, sentence } from './rows.js'

/** One grey pixel, as a PNG. Browsers show it as a picture of any type but SVG. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mOYtXQjAAPNAfGR/fw6AAAAAElFTkSuQmCC'

const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="#9aa5b1"/></svg>'

/** A picture for a response without an example. Undefined if its media type is not that of a picture. */
function pictureOf(media: string | undefined): string | Uint8Array | undefined {
  if (!media?.startsWith('image/')) return undefined
  return media.startsWith('image/svg') ? drawing : Buffer.from(pixel, 'base64')
}

/** The input of an own rule: path, query, header and cookie parameters with the document's types, and the body. */
export interface OwnInput {
  path: Record<string, unknown>
  query: Record<string, unknown>
  header?: Record<string, unknown>
  cookie?: Record<string, unknown>
  body?: unknown
}

/** The context of an own rule. */
export interface OwnContext {
  /** The user of the request. It is null if the operation needs no token and none was sent. */
  user: Rows['users'] | null
  /** The collections of the sandbox by name, the platform's and the user's own. */
  rows: Record<string, OwnRows>
  /** The sandbox's name. A sign-in can use it to keep a browser there. */
  sandbox: string
  /** The sandbox's time, as responses show it. */
  now: string
  ids: { next(collection: string): number; uuid(): string }
  /** Makes up values. The same request in the same state gets the same values. */
  readonly faker: Faker
  /** Ends the rule with an error in the platform's form, `{ "detail": … }`. */
  refuse(status: number, detail: string): never
  /** An answer with headers, or with another status than the document's first one. Bytes are sent as they are. */
  reply(status: number, body?: unknown, headers?: Record<string, string>): OwnReply
}

/**
 * A function that `rules.js` exports for an operation. It returns the body of the answer, or the result of
 * `context.reply`.
 */
export type OwnRule = (input: OwnInput, context: OwnContext) => unknown

/** What answering an own operation needs besides the contract. */
export interface OwnContextParts {
  contract: Contract
  sandbox: Sandbox
  factoryOf: CreateContext['factoryOf']
  context: Omit<Context, 'user'> & { user: Rows['users'] | null }
  /** Identifies the exchange within the sandbox. */
  exchange: string
  makeFaker: (seed: number) => Faker
  /** The rule of another operation, which shows rows as a view. */
  ruleOf: (operation: Operation) => (input: unknown) => unknown
}

/** The answer of an own operation: from its rule, its collection, its example or its schema. */
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
  const picture = pictureOf(row.media)
  if (picture !== undefined) return new OwnReply(status, picture)
  const seed = mix(context.seed ^ hash(JSON.stringify([operation.id, input.path, input.query])))
  const value = contract.sampleOf(operation, status, seed)
  return new OwnReply(
    status,
    echoed(value, input, isUnion(contract, row.schema), (it: Json) => {
      return contract.checkReply(operation, status, it, new Set()).length === 0
    })
  )
}

/** Whether a schema has no fields of its own, but is one of several. */
function isUnion({ documents }: Contract, schema: JsonObject): boolean {
  const { oneOf, anyOf, properties } = schemaOf(documents, schema)
  return (oneOf ?? anyOf) !== undefined && properties === undefined
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
          if (!contract.collections.has(collection)) throw new Error(`There is no collection ${collection}`)
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
      throw new Error(`The rule of ${operation.id} put a row that breaks its contract: ${sentence(error)}`)
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
