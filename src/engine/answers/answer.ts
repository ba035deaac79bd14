import type { Faker } from '@faker-js/faker'
import type { Contract } from '../contract/contract.js'
import { type Json, type JsonObject, schemaOf } from '../contract/load.js'
import type { Operation } from '../contract/model.js'
import { responseOf } from '../contract/outcomes.js'
import { Invalid } from '../contract/pydantic/explain.js'
import { createFaker } from '../contract/samples/faker.js'
import type { AnswerSource } from '../contract/types.gen.js'
import { hash, mix } from '../sandbox/ids.js'
import { collectionOf } from '../store/rows.js'
import { ofCollection } from './collection.js'
import { echoed, statusOf } from './generated.js'
import { ownRows, sentence } from './rows.js'
import { type AnswerParts, type Rule, type RuleInput, RuleReply, refuse } from './rule.js'
import { ofSession } from './session.js'

/** One grey pixel, as a PNG. Browsers show it as a picture of any type except SVG. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mOYtXQjAAPNAfGR/fw6AAAAAElFTkSuQmCC'

const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="#9aa5b1"/></svg>'

/** A picture for a response without an example. Undefined if its media type is not that of a picture. */
function pictureOf(media: string | undefined): string | Uint8Array | undefined {
  if (!media?.startsWith('image/')) return undefined
  return media.startsWith('image/svg') ? drawing : Buffer.from(pixel, 'base64')
}

/** Whether a client would rather have a picture, as the `img` of a browser does. */
function prefersPicture(accept: string | undefined): boolean {
  return accept?.trimStart().startsWith('image/') === true
}

/** A picture with the initials of the user that the path names, or of the operation. */
function avatarOf(operation: Operation, { path }: RuleInput, { context, contract }: AnswerParts): string {
  const { collection, email } = contract.api.users
  const users = collectionOf(context.rows, collection)
  const named = Object.values(path).map((id) => String(users.get(String(id))?.[email] ?? id))
  const words = (named.at(-1) ?? operation.id).split(/[^A-Za-z0-9]+/).filter(Boolean)
  const initials = words.slice(0, 2).map((word) => word[0]?.toUpperCase())
  const hue = hash(words.join(' ')) % 360
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64">',
    `<rect width="64" height="64" fill="hsl(${hue} 45% 45%)"/>`,
    `<text x="32" y="41" font-family="sans-serif" font-size="26" fill="#fff" text-anchor="middle">${initials.join('')}</text>`,
    '</svg>'
  ].join('')
}

/** What answers an own operation. */
export function sourceOf(operation: Operation, hasRule: boolean): AnswerSource {
  if (hasRule) return 'rule'
  if (operation.mock?.session !== undefined) return 'rule'
  if (operation.mock?.collection !== undefined) return 'collection'
  const row = responseOf(operation, statusOf(operation))
  // Without a body, nothing is made up.
  return !row?.schema || Object.keys(row.examples ?? {}).length > 0 ? 'example' : 'invented'
}

/** The answer of an own operation: from its rule, its collection, its example or its schema. */
export function answerOf(
  operation: Operation,
  rule: Rule | undefined,
  input: RuleInput,
  parts: AnswerParts
): RuleReply {
  const { contract, context } = parts
  if (rule) return ruled(operation, rule, input, parts)
  const session = operation.mock?.session
  if (session !== undefined) return ofSession(operation, session, input, parts)
  if (operation.mock?.collection !== undefined) return ofCollection(operation, input, parts)
  const status = statusOf(operation)
  const row = responseOf(operation, status)
  const [example] = Object.values(row?.examples ?? {})
  if (!row?.schema) return new RuleReply(status, undefined)
  if (example !== undefined) return new RuleReply(status, example)
  const picture = pictureOf(row.media)
  if (picture !== undefined) return new RuleReply(status, picture)
  // FastAPI documents a file as any JSON.
  if (row.media === undefined && Object.keys(row.schema).length === 0 && prefersPicture(parts.accept)) {
    return new RuleReply(status, avatarOf(operation, input, parts), { 'Content-Type': 'image/svg+xml' })
  }
  const seed = mix(context.seed ^ hash(JSON.stringify([operation.id, input.path, input.query])))
  const value = contract.sampleOf(operation, status, seed)
  return new RuleReply(
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

function ruled(operation: Operation, rule: Rule, input: RuleInput, parts: AnswerParts): RuleReply {
  const { contract, sandbox, context, exchange } = parts
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
          return parts.inTransaction(() => context.ids.next(collection, context.rows))
        },
        uuid: () => parts.inTransaction(() => context.ids.uuid())
      },
      get faker() {
        faker ??= createFaker(context.now, mix(context.seed ^ hash(operation.id + asked)))
        return faker
      },
      refuse,
      reply: (status, body, headers) => new RuleReply(status, body, headers)
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
  const body = reply instanceof RuleReply ? reply.body : reply
  if (typeof body === 'function' || typeof body === 'symbol' || typeof body === 'bigint') {
    throw new Error(`The rule of ${operation.id} returns a ${typeof body}, which JSON does not have.`)
  }
  if (reply instanceof RuleReply) return reply
  const status = statusOf(operation, reply === undefined)
  return new RuleReply(status, reply)
}
