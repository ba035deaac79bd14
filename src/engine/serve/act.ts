import { answerOf, sourceOf } from '../answers/answer.js'
import { type AnswerParts, type Rule, type RuleInput, RuleReply } from '../answers/rule.js'
import type { Rule as ApiRule, Context } from '../api.js'
import { bodilessStatuses } from '../contract/message/media.js'
import { fill, Refusal } from '../contract/message/refusal.js'
import type { Operation, RefusalRow } from '../contract/model.js'
import { responseOf } from '../contract/outcomes.js'
import { validationError } from '../contract/pydantic/dialect.js'
import { Invalid } from '../contract/pydantic/explain.js'
import { sentAt } from '../contract/pydantic/words.js'
import type { Assumptions, Deleted } from '../contract/types.gen.js'
import { watchRoom } from '../sandbox/room.js'
import { SandboxMoved } from '../sandbox/sandboxes.js'
import type { AnyRow } from '../store/collection.js'
import { authenticate } from './admit.js'
import { readInput } from './check.js'
import { assume, choice, type Exchange, type FoundExchange, lap, type Setting } from './exchange.js'
import type { Reply } from './message/message.js'
import { jsonOf } from './read.js'
import { streamOf } from './stream.js'

export interface ActOptions {
  /** The size limit of a sandbox in bytes, without the rows that it started with. */
  sandboxBytes: number
  /** Answers 500 if a reply breaks its contract. */
  strict: boolean
  /** The rules of the user's own operations, and the factories of rows. */
  own: () => { rules: ReadonlyMap<string, Rule>; factoryOf: AnswerParts['factoryOf'] }
}

/** Null: no one is signed in. */
type User = AnyRow | null

/** Calls the operation's rule. Nothing waits here, so no other request can change the state in between. */
export function act(exchange: FoundExchange, options: ActOptions): Reply {
  try {
    return exchange.transaction.run(() => {
      const value = jsonOf(exchange)
      lap(exchange, 'parse')
      const user = identified(exchange)
      const input = readInput(exchange, value)
      lap(exchange, 'check')
      if (input instanceof Invalid) return failed(exchange, input)
      const reply = ruled(exchange, user, input, options)
      lap(exchange, 'rule')
      return checkedReply(exchange, reply, options)
    })
  } catch (error) {
    return failed(exchange, error)
  }
}

function identified(exchange: FoundExchange): User {
  try {
    return authenticate(exchange)
  } finally {
    lap(exchange, 'user')
  }
}

function ruled(exchange: Setting<'source', FoundExchange>, user: User, input: unknown, options: ActOptions): Reply {
  const { operation, sandbox, transaction } = exchange
  const rule = ruleOf(exchange, contextOf(exchange, user), options, operation)
  exchange.source = operation.origin ? sourceOf(operation, options.own().rules.has(operation.id)) : 'rule'
  if (operation.method === 'GET') return succeeded(exchange, rule(input))
  const checkRoom = watchRoom(sandbox, options.sandboxBytes)
  const reply = succeeded(exchange, rule(input))
  if (transaction.writes.length > 0) checkRoom()
  return reply
}

/** The function that answers an operation: its rule, or the user's rule for one of their own operations. */
function ruleOf(
  exchange: FoundExchange,
  context: Context,
  options: ActOptions,
  operation: Operation
): (input: unknown) => unknown {
  if (!operation.origin) {
    const rule = exchange.contract.api.rules[operation.id] as ApiRule
    return (input) => rule(input, context)
  }
  const { contract, sandbox } = exchange
  const parts = {
    contract,
    sandbox,
    factoryOf: options.own().factoryOf,
    context,
    exchange: sandbox.journal.nextId(),
    accept: exchange.request.headers.accept as string | undefined,
    cookie: { name: exchange.tokenCookie, isSecure: exchange.request.peer.isEncrypted },
    inTransaction: <T>(work: () => T) => exchange.transaction.resume(work),
    ruleOf(view: Operation) {
      const rule = ruleOf(exchange, context, options, view)
      return view.origin ? rule : (input: unknown) => contract.leaveOut(view, 200, rule(input), exchange.assumed)
    }
  }
  return (input) => answerOf(operation, options.own().rules.get(operation.id), input as RuleInput, parts)
}

function checkedReply(exchange: Setting<'brokenByReply', FoundExchange>, reply: Reply, { strict }: ActOptions): Reply {
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

function contextOf(exchange: Exchange, user: User): Context {
  const { sandbox } = exchange
  return {
    // Only the user's own operations allow requests without a user, and their rules know that.
    user: user as AnyRow,
    rows: sandbox.rows,
    ids: sandbox.ids,
    seed: sandbox.ids.seed,
    now: sandbox.clock.time,
    valuesOf: exchange.contract.valuesOf,
    assume: (id) => assume(exchange, id as keyof Assumptions)
  }
}

/** The result of a rule, as a reply. */
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

/** The reply of a user's own operation. Its headers give its media type, or the document does by status. */
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

/** The media type in the headers of a reply. */
export function typeIn(headers: Record<string, string> = {}): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
}

/** Two kinds of errors are expected. All others are bugs in the mock. */
export function failed(exchange: Setting<'problems' | 'refusal' | 'failure'>, error: unknown): Reply {
  if (error instanceof Invalid) {
    const chat = exchange.operation?.chat ?? false
    exchange.problems = error.problems
    const body = validationError(error.problems, exchange.choices, chat)
    for (const id of ['errors.validation-body', 'errors.validation-dialect']) exchange.assumed.add(id)
    if ('detail' in body) exchange.assumed.add('errors.input-and-ctx')
    return { status: 422, body }
  }
  if (error instanceof RuleReply) {
    exchange.refusal = 'own'
    return { status: error.status, headers: error.headers, body: error.body }
  }
  if (error instanceof Refusal) {
    exchange.refusal = error.reason
    const row = refusalRow(exchange, error)
    if (row) {
      for (const id of row.assumed) exchange.assumed.add(id)
      const body = fill(row.body, error.values)
      if (row.status === 422) return failed(exchange, invalidAt(exchange, row, error, Object.values(body)[0]))
      return { status: row.status, headers: fill(row.headers, error.values), body }
    }
  }
  if (error instanceof SandboxMoved) throw error
  exchange.failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const { status, body } = exchange.contract.refusals.bug as RefusalRow
  return { status, body }
}

/** A refusal with status 422 has the format of every 422 (2.16). Neither its input nor its text shows a secret. */
function invalidAt(exchange: Exchange, row: RefusalRow, { values }: Refusal, text: unknown): Invalid {
  const { body: sent, contract, operation } = exchange
  const { loc: steps = ['body'] } = row
  const loc = steps.map((step) => (step === '{index}' ? Number(values.index) : step))
  const body = sent && 'value' in sent ? sent.value : null
  const input = sentAt({ path: {}, query: {}, body }, loc) ?? null
  const problem = { type: 'value_error', loc, msg: `Value error, ${text}`, input, ctx: { error: {} } }
  const redaction = operation && contract.redactionOf(operation)
  return new Invalid([redaction?.problem(problem) ?? problem])
}

function refusalRow(exchange: Exchange, { reason }: Refusal): RefusalRow | undefined {
  const { operation, contract } = exchange
  const own = operation?.refusals ?? {}
  if (reason !== 'foreign') return own[reason] ?? contract.refusals[reason]
  return choice(exchange, 'errors.missing') === '403-foreign' ? contract.refusals.foreign : own.missing
}
