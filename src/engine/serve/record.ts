import type { JsonObject } from '../contract/load.js'
import type { UploadedFile } from '../contract/message/body.js'
import type { JournalEntry } from '../contract/types.gen.js'
import { isUnknown } from '../journal/near-misses.js'
import { countsOf, type RawExchange } from '../journal/recorded.js'
import { redactUrl } from '../journal/redact.js'
import type { RecordedCall } from '../sandbox/calls.js'
import { timestamp } from '../sandbox/clock.js'
import { forgetAll, historyOf } from '../sandbox/sandbox.js'
import { userWith } from './admit.js'
import { assumptionsOf, type Exchange } from './exchange.js'
import { cookiesOf } from './message/cookies.js'
import type { AnswerHeaders, Reply } from './message/message.js'

/** The highest number of problems, and of violations, of one exchange in the journal. */
const most = 100

const none: readonly never[] = []

/** Adds an exchange to its sandbox's journal and counts it. */
export function record(exchange: Exchange, reply: Reply, text: string, headers: AnswerHeaders): JournalEntry {
  const happened = happenedIn(exchange, reply, text, headers)
  exchange.sandbox.journal.add(happened)
  return counted(exchange, happened)
}

/** Does the same for an answer that is still being sent. The returned function completes the entry. */
export function recordOpen(exchange: Exchange, reply: Reply, headers: AnswerHeaders): (text: string) => JournalEntry {
  const begun = happenedIn(exchange, reply, '', headers)
  const end = exchange.sandbox.journal.addOpen(begun)
  return (text) => {
    const ended = happenedIn(exchange, reply, text, headers)
    ended.entry.id = begun.entry.id
    end(ended)
    return counted(exchange, ended)
  }
}

/** Shows a request while it waits for its delayed answer. Returns a function that ends this. */
export function recordWait(exchange: Exchange, override: string, milliseconds: number): () => void {
  const { request, operation, sandbox } = exchange
  const { real } = sandbox.clock
  return sandbox.journal.addWait({
    method: request.method,
    url: shownUrl(request.target),
    operation: operation?.id ?? null,
    user: exchange.user ?? namedUser(exchange),
    override,
    real_time: timestamp(real),
    until: timestamp(real + milliseconds)
  })
}

/** A path alone has no secret. */
function shownUrl(url: string): string {
  return /^\/[^?]*$/.test(url) ? url : redactUrl(url)
}

function happenedIn(exchange: Exchange, reply: Reply, text: string, headers: AnswerHeaders): RawExchange {
  const { sandbox, request, operation, contract, body, isInputChecked, brokenByReply, transaction } = exchange
  // If the connection was closed meanwhile, the client got another status.
  const status = reply.status === 0 ? 0 : (request.answered ?? reply.status)
  const url = request.target
  return {
    entry: entryOf(exchange, { status, body: reply.body }, shownUrl(url)),
    url,
    request: { headers: request.rawHeaders, text: body?.text ?? '' },
    response: { headers, text, frames: exchange.frames },
    form: formOf(exchange),
    problems: first(exchange.problems),
    isDocumented: isDocumented(exchange, status),
    checked: { input: isInputChecked, reply: brokenByReply && first(brokenByReply) },
    reads: transaction.reads,
    missed: status < 400 ? none : transaction.missed,
    writes: transaction.written,
    timing: exchange.timing,
    choices: sandbox.choices,
    contract,
    operation
  }
}

function counted({ sandbox, operation, path }: Exchange, { entry, isDocumented }: RawExchange): JournalEntry {
  // Without an answer, nothing was covered.
  if (entry.status === 0) return entry
  const { status, violations, assumptions } = entry
  if (operation) sandbox.coverage.count(operation.id, status, violations.length, assumptions, isDocumented)
  else if (isUnknown(entry)) sandbox.coverage.countUnknown(entry.method, path, assumptions)
  return entry
}

function entryOf(exchange: Exchange, { status, body }: Pick<Reply, 'status' | 'body'>, url: string): JournalEntry {
  const { sandbox, request, operation } = exchange
  const entry: JournalEntry = {
    id: sandbox.journal.nextId(),
    time: sandbox.clock.time,
    real_time: timestamp(sandbox.clock.real),
    operation: operation?.id ?? null,
    method: request.method,
    url,
    status,
    duration_ms: exchange.lap - exchange.started,
    violations: first(exchange.violations),
    assumptions: assumptionsOf(exchange),
    user: exchange.user ?? namedUser(exchange)
  }
  if (status !== 0) entry.source = exchange.source
  const { writes } = exchange.transaction
  if (writes.length > 0) entry.changed = countsOf(writes)
  if (exchange.override !== undefined) entry.override = exchange.override
  if (exchange.forwarded) entry.forwarded = true
  if (exchange.fault !== undefined) entry.fault = exchange.fault
  if (exchange.refusal !== undefined) entry.refusal = exchange.refusal
  const isWrong = exchange.problems.length > 0
  const isAsDocumented = exchange.contract.api.document !== undefined && isWrong && status >= 400
  const isRefused = exchange.isForced ? status !== 422 && isWrong : status === 422 || isAsDocumented
  if (isRefused) entry.refused = reasonsOf(exchange, body)
  if (exchange.failure !== undefined) entry.failure = exchange.failure
  const testCase = request.headers['x-test-case'] ?? request.headers['x-schemathesis-testcaseid']
  if (testCase !== undefined) entry.test_case = String(testCase)
  return entry
}

/** Whether the contract, under the choices of this exchange, has the status, or it is a refusal or a redirect of the mock. */
function isDocumented({ contract, operation, isForced, refusal, assumed }: Exchange, status: number): boolean {
  if (!operation || contract.hasStatus(operation, status)) return true
  return !isForced && (refusal !== undefined || (status === 307 && assumed.has(contract.api.ledger.trailingSlash)))
}

/** What was wrong with a refused request: the problems found in it, or else what the answer says. */
function reasonsOf({ problems }: Exchange, body: unknown): string[] {
  if (problems.length > 0) return first(problems).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
  const { detail } = (body ?? {}) as { detail?: unknown }
  return [typeof detail === 'string' ? detail : 'It was refused with 422.']
}

/** The user of a request that was answered before its user was looked up. Any other token may be a secret. */
function namedUser({ key, sandbox, contract }: Exchange): string | null {
  return key && userWith(contract.api, sandbox.rows, key) ? key : null
}

function formOf({ body }: Exchange): 'json' | 'text' | 'malformed' {
  if (body === undefined) return 'json'
  if ('malformed' in body) return 'malformed'
  return typeof body.value === 'string' ? 'text' : 'json'
}

function first<T>(list: T[]): T[]
function first<T>(list: readonly T[]): readonly T[]
function first<T>(list: readonly T[]): readonly T[] {
  return list.length > most ? list.slice(0, most) : list
}

/** The approximate size of a call without its texts, in bytes. */
const overhead = 400

/** Files up to this size are kept with their call. For others, only name, type and size are. */
const mostOfFile = 1024 * 1024

/**
 * Records what an exchange did in its sandbox, at the moment it does so. Requests that never reached the sandbox, or that
 * another service answered, are not recorded.
 */
export function recordCall(exchange: Exchange, status: number): void {
  const { sandbox, transaction, operation, request, place, entry, refusal } = exchange
  if (exchange.call || exchange.forwarded || entry.refusal || entry.unreachable || place !== sandbox.name) return
  if (refusal === 'wrong-host' || refusal === 'not-kept') return
  const { calls } = sandbox
  const { drawnAt } = exchange
  if (drawnAt !== undefined && drawnAt !== calls.count) calls.gaps.overlapped += 1
  const isUnread = exchange.body === undefined && operation?.input.body !== undefined && isOfBody(refusal)
  if (isUnread) {
    calls.gaps.unread += 1
    return
  }
  const { text, form, fields, bytes } = keptBody(exchange)
  const call: RecordedCall = {
    number: 0,
    bytes: overhead + request.target.length + bytes,
    now: transaction.moment ?? sandbox.clock.now,
    method: request.method,
    target: request.target,
    operation: operation?.id,
    params: exchange.params,
    user: userOf(exchange),
    headers: headersOf(exchange),
    text,
    form,
    fields,
    status,
    request: undefined
  }
  const hasChanged =
    drawnAt !== undefined || transaction.used !== undefined || transaction.writes.length > 0 || !!transaction.counters
  exchange.call = call
  calls.add(call, hasChanged, sandbox)
  const { used, countersBefore: counters } = transaction
  const writes = transaction.written
  if (writes.length > 0 || counters || used) {
    exchange.change = historyOf(sandbox).add(sandbox, { now: call.now, writes, counters })
  }
}

/** A request whose client left before the answer has only drawn its override. */
export function noteLeaving({ sandbox }: Exchange): void {
  sandbox.calls.gaps.unread += 1
}

/** The changes of a request could not be saved: its sandbox is as it was before. */
export function forgetCall(exchange: Exchange): void {
  exchange.call = undefined
  exchange.change = undefined
  forgetAll(exchange.sandbox)
}

/** Refusals of a body that was not read to its end. */
function isOfBody(refusal: string | undefined): boolean {
  return ['too-large', 'unreadable-body', 'unsupported-encoding', 'corrupt-zip', 'uploads-full'].includes(refusal ?? '')
}

/** Who sent the request, by the key of an existing user. */
function userOf({ key, user, sandbox, contract }: Exchange): string | null {
  if (key === undefined) return null
  if (key === user) return key
  if (userWith(contract.api, sandbox.rows, key)) return key
  return user ?? 'unknown-user'
}

/** Headers that the answer may depend on: those for the mock, those about the body, and those that an own operation reads. */
function headersOf({ request, operation, tokenCookie }: Exchange): string[] {
  const { headers } = request
  const { header, cookie } = operation?.input ?? {}
  const pairs: string[] = []
  const keep = (name: string) => {
    const value = headers[name]
    if (typeof value === 'string' && name !== 'authorization') pairs.push(name, value)
  }
  keep('prefer')
  keep('content-type')
  if (header) for (const name of namesIn(header)) keep(name.toLowerCase())
  // A copy has no spare capacity.
  if (!cookie) return pairs.slice()
  const cookies = cookiesOf(headers.cookie)
  const read = namesIn(cookie).filter((name) => name !== tokenCookie && cookies[name] !== undefined)
  if (read.length > 0) pairs.push('cookie', read.map((name) => `${name}=${cookies[name]}`).join('; '))
  return pairs
}

function namesIn(schema: JsonObject | undefined): string[] {
  return Object.keys((schema?.properties ?? {}) as JsonObject)
}

type BodyOfCall = Pick<RecordedCall, 'text' | 'form' | 'fields' | 'bytes'>

const nothing: BodyOfCall = { text: undefined, form: 'json', fields: undefined, bytes: 0 }

function keptBody({ body, operation }: Exchange): BodyOfCall {
  if (!body) return nothing
  if (operation?.form && 'value' in body && typeof body.value === 'object' && body.value !== null) {
    return { ...nothing, ...keptFields(body.value as Record<string, unknown>) }
  }
  const { text } = body
  if (text === undefined) return nothing
  const form = 'malformed' in body ? 'malformed' : typeof body.value === 'string' ? 'text' : 'json'
  return { text, form, fields: undefined, bytes: text.length }
}

function keptFields(value: Record<string, unknown>): Pick<BodyOfCall, 'fields' | 'bytes'> {
  let bytes = 0
  const copyOf = (field: unknown): unknown => {
    if (Array.isArray(field)) return field.map(copyOf)
    if (!isFile(field)) {
      bytes += String(field).length
      return field
    }
    const { sentName, type } = field
    const { size = field.bytes.length } = field as UploadedFile & { size?: number }
    bytes += sentName.length
    if (size > mostOfFile) return { sentName, type, size }
    bytes += size
    return field
  }
  return { fields: Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copyOf(field)])), bytes }
}

function isFile(field: unknown): field is UploadedFile {
  return typeof field === 'object' && field !== null && 'bytes' in field
}
