import type { Faker } from '@faker-js/faker'
import { answerOf, sourceOf } from '../answers/answer.js'
import { checkedRows } from '../answers/rows.js'
import type { Call, RuleInput } from '../answers/rule.js'
import type { Context, Rule } from '../api.js'
import { bodilessStatuses } from '../contract/message/media.js'
import { RuleReply, refuse, reply, typeIn } from '../contract/message/reply.js'
import type { Operation } from '../contract/model.js'
import { responseOf, statusOf } from '../contract/outcomes.js'
import { createFaker } from '../contract/samples/faker.js'
import type { Assumptions, Deleted } from '../contract/types.gen.js'
import { hash, mix } from '../sandbox/ids.js'
import { watchRoom } from '../sandbox/sandbox.js'
import type { Extensions } from '../sandbox/starts.js'
import type { AnyRow } from '../store/collection.js'
import type { Store } from '../store/rows.js'
import { assume, type FoundExchange, lap, type Setting } from './exchange.js'
import type { Reply } from './message/message.js'
import { streamOf } from './stream.js'

export interface ActOptions {
  /** The size limit of a sandbox in bytes, without the rows that it started with. */
  sandboxBytes: number
  strict: boolean
  /** The rules of users' documents, and the factories of rows. */
  edition: () => { extensions: Pick<Extensions, 'rules'>; factoryOf: Call['factoryOf'] }
}

/** Null: no one is signed in. */
type User = AnyRow | null

/** Calls the operation's rule, or does without one what its document says. Throws the rule's refusals, and 413 for a full sandbox. */
export function act(
  exchange: Setting<'source', FoundExchange>,
  user: User,
  input: unknown,
  options: ActOptions
): Reply {
  const { operation, sandbox, transaction } = exchange
  const answer = answerer(exchange, user, options, operation)
  const { origin, id } = operation
  exchange.source = origin ? sourceOf(operation, options.edition().extensions.rules.has(id)) : 'rule'
  try {
    if (operation.method === 'GET') return succeeded(exchange, answer(input))
    const checkRoom = watchRoom(sandbox, options.sandboxBytes)
    const reply = succeeded(exchange, answer(input))
    if (transaction.writes.length > 0) checkRoom()
    return reply
  } finally {
    // A refusal took time too.
    lap(exchange, 'rule')
  }
}

/** The function that answers an operation: its rule, or without one what its document says. */
function answerer(
  exchange: FoundExchange,
  user: User,
  options: ActOptions,
  operation: Operation
): (input: unknown) => unknown {
  const { contract, sandbox, request } = exchange
  const { origin, id } = operation
  const rule = origin ? options.edition().extensions.rules.get(id) : (contract.api.rules[id] as Rule)
  const ruled = (rule: Rule) => (input: unknown) =>
    resultOf(operation, rule(input, new RuleContext(exchange, operation, user, input, () => otherwise(input))))
  if (rule && !origin) return ruled(rule)
  const view = (other: Operation) => {
    const answer = answerer(exchange, user, options, other)
    return other.origin ? answer : (input: unknown) => contract.leaveOut(other, 200, answer(input), exchange.assumed)
  }
  const { factoryOf } = options.edition()
  const accept = request.headers.accept as string | undefined
  const choiceOf = (question: string) =>
    Object.hasOwn(exchange.choices, question) ? (assume(exchange, question as keyof Assumptions) as string) : undefined
  const cookie = { name: exchange.tokenCookie, isSecure: request.peer.isEncrypted }
  const otherwise = (input: unknown) =>
    answerOf({
      operation,
      input: input as RuleInput,
      user,
      contract,
      sandbox,
      factoryOf,
      accept,
      cookie,
      mount: request.mount,
      address: `${request.peer.isEncrypted ? 'https' : 'http'}://${exchange.host ?? 'localhost'}${request.mount}`,
      assume: choiceOf,
      view
    })
  return rule ? ruled(rule) : otherwise
}

/** The result of a rule. That of a document's operation gets the status of its document. */
function resultOf(operation: Operation, result: unknown): unknown {
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

/** Checks a reply by its contract. What is wrong is a violation, or with `strict` an error. */
export function checkReply(
  exchange: Setting<'brokenByReply', FoundExchange>,
  reply: Reply,
  { strict }: Pick<ActOptions, 'strict'>
): Reply {
  // The values of a stream are checked one by one.
  if (reply.stream) return reply
  const { contract, operation, assumed } = exchange
  const body = ArrayBuffer.isView(reply.body) ? '' : reply.body
  const violations = contract.checkReply(operation, reply.status, body, assumed)
  exchange.brokenByReply = violations
  lap(exchange, 'check reply')
  if (violations.length === 0) return reply
  exchange.violations.push(...violations)
  if (!strict) return reply
  throw new Error(`The reply breaks the contract: ${violations.join('; ')}`)
}

/** What the rule of an operation knows. Getters of an object literal would keep each exchange until a full collection. */
class RuleContext implements Context {
  readonly user: AnyRow
  readonly rows: Store
  readonly sandbox: string
  readonly now: string
  readonly seed: number
  readonly valuesOf: Context['valuesOf']
  readonly refuse = refuse
  private readonly number: string | number | undefined
  private maker: Faker | undefined

  constructor(
    private readonly exchange: FoundExchange,
    private readonly operation: Operation,
    user: User,
    private readonly input: unknown,
    readonly otherwise: Context['otherwise']
  ) {
    const { contract, sandbox } = exchange
    // Without a user only where documents allow it.
    this.user = user as AnyRow
    this.rows = operation.origin
      ? (checkedRows({ contract, sandbox }, operation.id, this.inTransaction) as unknown as Store)
      : sandbox.rows
    this.sandbox = sandbox.name
    this.now = sandbox.clock.time
    this.seed = sandbox.ids.seed
    this.valuesOf = contract.valuesOf
    this.number = operation.method === 'GET' ? undefined : sandbox.journal.nextId()
  }

  readonly assume = (id: string): string => assume(this.exchange, id as keyof Assumptions)

  readonly reply = reply

  get ids(): Context['ids'] {
    const { contract, sandbox } = this.exchange
    const { ids, rows } = sandbox
    const numbered = (collection: string, give: () => number) => {
      if (!contract.collections.has(collection)) throw new Error(`There is no collection ${collection}`)
      return this.inTransaction(give)
    }
    return {
      next: (collection) => numbered(collection, () => ids.next(collection, rows)),
      nextFree: (collection) => numbered(collection, () => ids.nextFree(collection, rows)),
      uuid: () => this.inTransaction(() => ids.uuid())
    }
  }

  get faker(): Faker {
    const state = this.operation.id + (this.number ?? JSON.stringify(this.input))
    this.maker ??= createFaker(this.now, mix(this.seed ^ hash(state)))
    return this.maker
  }

  /** Runs a write. A stream has a transaction for each value. */
  private readonly inTransaction = <T>(work: () => T): T => this.exchange.transaction.resume(work)
}

function succeeded(exchange: FoundExchange, result: unknown): Reply {
  if (result instanceof RuleReply) return ruleReply(exchange, result)
  const { operation, contract, assumed } = exchange
  const status = operation.responses[200] ? 200 : 204
  if (!isDeleted(result)) return { status, body: contract.leaveOut(operation, status, result, assumed) }
  switch (assume(exchange, 'delete.body')) {
    case 'null':
      return { status, body: null }
    case 'empty-object':
      return { status, body: {} }
    case '204':
      return { status, body: undefined }
    case 'status-response':
      return { status, body: { success: true, message: 'Deleted', data: result.id } }
  }
}

function isDeleted(result: unknown): result is Deleted {
  return typeof result === 'object' && result !== null && 'deleted' in result && result.deleted === true
}

/** A reply of a rule or a document. Its headers give its media type, or the document does by status. */
function ruleReply({ operation }: FoundExchange, { status, body, headers }: RuleReply): Reply {
  const isBytes = ArrayBuffer.isView(body)
  const type = typeIn(headers) ?? responseOf(operation, status)?.media
  const media = type ?? (isBytes ? 'application/octet-stream' : undefined)
  const isText = media !== undefined && (isBytes || typeof body === 'string')
  if (bodilessStatuses.includes(status)) return { status, headers, body: undefined }
  const stream = streamOf(body, type, operation.mock?.stream)
  if (stream) return { status, headers, body: undefined, media: type ?? 'application/json', stream }
  return { status, headers, body, ...(isText && { media: media.includes('*') ? 'application/octet-stream' : media }) }
}
