import { hasStatus } from '../contract/outcomes.js'
import type { JournalEntry } from '../contract/types.gen.js'
import { countsOf } from '../mock/journal/changes.js'
import { isUnknown } from '../mock/journal/near-misses.js'
import type { RawExchange } from '../mock/journal/recorded.js'
import { redactUrl } from '../mock/journal/redact.js'
import { timestamp } from '../mock/sandbox/clock.js'
import type { Exchange } from './exchange.js'
import type { Reply } from './message/message.js'

/** The highest number of problems, and of violations, of one exchange in the journal. */
const most = 100

type Headers = Record<string, string | number>

/** Adds an exchange to its sandbox's journal and counts it. */
export function record(exchange: Exchange, reply: Reply, text: string, headers: Headers): JournalEntry {
  const happened = happenedIn(exchange, reply, text, headers)
  exchange.sandbox.journal.add(happened)
  return counted(exchange, happened)
}

/** Does the same for an answer that is still being sent. The returned function completes the entry. */
export function recordOpen(exchange: Exchange, reply: Reply, headers: Headers): (text: string) => JournalEntry {
  const begun = happenedIn(exchange, reply, '', headers)
  const end = exchange.sandbox.journal.addOpen(begun)
  return (text) => {
    const ended = happenedIn(exchange, reply, text, headers)
    ended.entry.id = begun.entry.id
    end(ended)
    return counted(exchange, ended)
  }
}

function happenedIn(exchange: Exchange, reply: Reply, text: string, headers: Headers): RawExchange {
  const { sandbox, request, operation, contract, body, isInputChecked, brokenByReply, transaction } = exchange
  // If the connection was given up meanwhile, the client got another status.
  const status = reply.status === 0 ? 0 : (request.answered ?? reply.status)
  const url = request.target
  return {
    entry: entryOf(exchange, { status, body: reply.body }, redactUrl(url)),
    url,
    request: { headers: request.rawHeaders, text: body?.text ?? '' },
    response: { headers, text },
    form: formOf(exchange),
    problems: first(exchange.problems),
    isDocumented: isDocumented(exchange, status),
    checked: { input: isInputChecked, reply: brokenByReply && first(brokenByReply) },
    reads: transaction.reads,
    writes: transaction.written,
    timing: exchange.timing,
    choices: sandbox.choices,
    redaction: operation && contract.redactionOf(operation)
  }
}

function counted({ sandbox, operation, path }: Exchange, { entry, isDocumented }: RawExchange): JournalEntry {
  // Without an answer, nothing was covered.
  if (entry.status === 0) return entry
  const { status, violations, assumptions } = entry
  if (operation) sandbox.coverage.count(operation.id, status, violations.length, assumptions, isDocumented)
  else if (isUnknown(entry)) sandbox.coverage.countUnknown(entry.method, path)
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
    assumptions: [...exchange.assumed],
    user: exchange.user ?? namedUser(exchange)
  }
  const { writes } = exchange.transaction
  if (writes.length > 0) entry.changed = countsOf(writes)
  if (exchange.override !== undefined) entry.override = exchange.override
  if (exchange.forwarded) entry.forwarded = true
  if (exchange.fault !== undefined) entry.fault = exchange.fault
  if (exchange.refusal !== undefined) entry.refusal = exchange.refusal
  if (status === 422 && exchange.override === undefined) entry.refused = reasonsOf(exchange, body)
  if (exchange.failure !== undefined) entry.failure = exchange.failure
  const testCase = request.headers['x-schemathesis-testcaseid']
  if (testCase !== undefined) entry.test_case = String(testCase)
  return entry
}

/** Whether the contract, under the choices of this exchange, has the status, or it is a refusal or a redirect of the mock. */
function isDocumented({ contract, operation, override, refusal, assumed }: Exchange, status: number): boolean {
  if (!operation || hasStatus(contract, operation, status)) return true
  return override === undefined && (refusal !== undefined || (status === 307 && assumed.has('projects.trailing-slash')))
}

/** What was wrong with a request that was refused: what was found in it, or else what the answer says. */
function reasonsOf({ problems }: Exchange, body: unknown): string[] {
  if (problems.length > 0) return first(problems).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
  const { detail } = (body ?? {}) as { detail?: unknown }
  return [typeof detail === 'string' ? detail : 'It was refused with 422.']
}

/** The user of a request that was answered before its user was looked for. Any other token may be a secret. */
function namedUser({ key, sandbox }: Exchange): string | null {
  return (key !== undefined && sandbox.rows.users.first('byKey', key)?.key) || null
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
