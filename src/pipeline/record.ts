import type { Problem } from '../contract/explain.js'
import type { Redaction } from '../contract/redaction.js'
import { redactHeaders, redactUrl } from '../http/redact.js'
import type { Reply } from '../http/write.js'
import { isUnknown, type JournalEntry, type Message } from '../mock/journal.js'
import type { Exchange } from './exchange.js'

/** Larger texts are left out of the journal. */
const longest = 256 * 1024
/** So many problems, and so many violations, are told of one exchange. */
const most = 100

/** So many rows that were written are told of one exchange. */
const mostWrites = 50

/** Writes an exchange into its sandbox's journal, without the secrets that it carries, and counts it. */
export function record(
  exchange: Exchange,
  reply: Reply,
  text: string,
  headers: Record<string, string | number>
): JournalEntry {
  const { sandbox, request, response, operation, contract, violations } = exchange
  // A connection that was given up meanwhile got another answer.
  const status = reply.status !== 0 && response.headersSent ? response.statusCode : reply.status
  const redaction = operation && contract.redactionOf(operation)
  const assumptions = [...exchange.assumed]
  const entry: JournalEntry = {
    id: sandbox.journal.nextId(),
    time: sandbox.clock.time,
    operation: operation?.id ?? null,
    method: request.method as string,
    url: redactUrl(request.url as string),
    status,
    duration_ms: exchange.lap - exchange.started,
    violations: first(violations),
    assumptions
  }
  if (exchange.override !== undefined) entry.override = exchange.override
  if (exchange.fault !== undefined) entry.fault = exchange.fault
  if (exchange.refusal !== undefined) entry.refusal = exchange.refusal
  if (exchange.failure !== undefined) entry.failure = exchange.failure
  const testCase = request.headers['x-schemathesis-testcaseid']
  if (testCase !== undefined) entry.test_case = String(testCase)
  const received = requestMessage(exchange, redaction)
  // Problems repeat the parameters of the query, and replies repeat the problems.
  const isRepeated = entry.url !== request.url && exchange.problems.length > 0
  sandbox.journal.add({
    entry,
    detail: {
      user: exchange.user,
      request: received,
      response: isRepeated
        ? { headers, length: 0, omitted: 'it may repeat a secret of the URL' }
        : replyMessage(reply, text, headers, redaction),
      problems: keptProblems(exchange, isRepeated || received.omitted !== undefined, redaction),
      checked: { input: exchange.checked.input, reply: exchange.checked.reply && first(exchange.checked.reply) },
      choices: sandbox.choices,
      reads: exchange.touches.reads,
      writes: exchange.touches.writes.slice(0, mostWrites).flatMap(({ collection, id }) => [collection, id]),
      timing: exchange.timing
    }
  })
  // Who got no answer has seen nothing.
  if (status === 0) return entry
  if (operation) sandbox.coverage.count(operation.id, status, violations.length, assumptions)
  else if (isUnknown(entry)) sandbox.coverage.countUnknown(entry.method, exchange.path)
  return entry
}

function requestMessage({ request, body }: Exchange, redaction: Redaction | undefined): Message {
  const headers = redactHeaders(request.headers)
  const text = body?.text ?? ''
  if (!redaction?.takesSecrets || text === '' || text.length > longest) return { headers, ...kept(text) }
  if (body && 'malformed' in body) return { headers, length: text.length, omitted: 'no JSON, and it may hold secrets' }
  const value = body?.value
  return {
    headers,
    length: text.length,
    value: redaction.request(typeof value === 'string' ? value : JSON.parse(text))
  }
}

function replyMessage(
  { body }: Reply,
  text: string,
  headers: Record<string, string | number>,
  redaction: Redaction | undefined
): Message {
  const { Location } = headers
  const shown = Location === undefined ? headers : { ...headers, Location: redactUrl(String(Location)) }
  if (!redaction || text === '' || text.length > longest) return { headers: shown, ...kept(text) }
  // Where uploads are secret, a reply may quote one: JSON describes it.
  const sent = redaction.takesSecrets ? JSON.parse(JSON.stringify(body)) : body
  const value = redaction.reply(sent)
  return value === sent ? { headers: shown, ...kept(text) } : { headers: shown, length: text.length, value }
}

function kept(text: string): Omit<Message, 'headers'> {
  if (text === '') return { length: 0 }
  if (text.length <= longest) return { length: text.length, text }
  return { length: text.length, omitted: `longer than ${longest} characters` }
}

/** A problem repeats what was sent, up to the whole body: where that is not kept, its part is not, and no file is. */
function keptProblems(
  { problems, operation }: Exchange,
  isOmitted: boolean,
  redaction: Redaction | undefined
): readonly Problem[] {
  if (problems.length === 0) return problems
  const told = first(problems)
  if (isOmitted) return told.map((problem) => ({ ...problem, input: null }))
  const plain: readonly Problem[] = operation?.form ? JSON.parse(JSON.stringify(told)) : told
  return redaction ? plain.map(redaction.problem) : plain
}

function first<T>(list: T[]): T[]
function first<T>(list: readonly T[]): readonly T[]
function first<T>(list: readonly T[]): readonly T[] {
  return list.length > most ? list.slice(0, most) : list
}
