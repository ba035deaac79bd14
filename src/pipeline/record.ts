import type { JournalEntry } from '../contract/types.gen.js'
import { redactUrl } from '../http/redact.js'
import type { Reply } from '../http/write.js'
import { timestamp } from '../mock/clock.js'
import { isUnknown } from '../mock/journal.js'
import type { Exchange } from './exchange.js'

/** So many problems, and so many violations, are told of one exchange. */
const most = 100

/** So many rows that were written are told of one exchange. */
const mostWrites = 50

/** Writes an exchange into its sandbox's journal, and counts it. */
export function record(
  exchange: Exchange,
  reply: Reply,
  text: string,
  headers: Record<string, string | number>
): JournalEntry {
  const { sandbox, request, response, operation, contract, body, checked, touches } = exchange
  // A connection that was given up meanwhile got another answer.
  const status = reply.status !== 0 && response.headersSent ? response.statusCode : reply.status
  const url = request.url as string
  const entry = entryOf(exchange, status, redactUrl(url))
  sandbox.journal.add({
    entry,
    url,
    user: exchange.user,
    request: { headers: request.rawHeaders, text: body?.text ?? '' },
    response: { headers, text },
    form: formOf(exchange),
    problems: first(exchange.problems),
    checked: { input: checked.input, reply: checked.reply && first(checked.reply) },
    reads: touches.reads,
    writes: touches.writes.slice(0, mostWrites).flatMap(({ collection, id }) => [collection, id]),
    timing: exchange.timing,
    choices: sandbox.choices,
    redaction: operation && contract.redactionOf(operation)
  })
  // Who got no answer has seen nothing.
  if (status === 0) return entry
  if (operation) sandbox.coverage.count(operation.id, status, entry.violations.length, entry.assumptions)
  else if (isUnknown(entry)) sandbox.coverage.countUnknown(entry.method, exchange.path)
  return entry
}

function entryOf(exchange: Exchange, status: number, url: string): JournalEntry {
  const { sandbox, request, operation } = exchange
  const entry: JournalEntry = {
    id: sandbox.journal.nextId(),
    time: sandbox.clock.time,
    real_time: timestamp(sandbox.clock.real),
    operation: operation?.id ?? null,
    method: request.method as string,
    url,
    status,
    duration_ms: exchange.lap - exchange.started,
    violations: first(exchange.violations),
    assumptions: [...exchange.assumed]
  }
  if (exchange.override !== undefined) entry.override = exchange.override
  if (exchange.fault !== undefined) entry.fault = exchange.fault
  if (exchange.refusal !== undefined) entry.refusal = exchange.refusal
  if (exchange.failure !== undefined) entry.failure = exchange.failure
  const testCase = request.headers['x-schemathesis-testcaseid']
  if (testCase !== undefined) entry.test_case = String(testCase)
  return entry
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
