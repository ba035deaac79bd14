import type { IncomingHttpHeaders } from 'node:http'
import type { Reply } from '../http/write.js'
import type { JournalEntry, Message } from '../mock/journal.js'
import type { Exchange } from './exchange.js'

/** Larger texts are left out of the journal. */
const longest = 256 * 1024

/** Headers that open something. */
const secretHeaders = ['authorization', 'cookie', 'proxy-authorization', 'x-mock-control-token'] as const

/** Writes an exchange into its sandbox's journal, and counts it. */
export function record(
  exchange: Exchange,
  reply: Reply,
  text: string,
  headers: Record<string, string | number>,
  assumptions: string[]
): JournalEntry {
  const { sandbox, request, response, operation, violations } = exchange
  const entry: JournalEntry = {
    id: sandbox.journal.nextId(),
    time: sandbox.clock.time,
    operation: operation?.id ?? null,
    method: request.method as string,
    url: request.url as string,
    // A connection that was broken off got another answer.
    status: response.headersSent ? response.statusCode : reply.status,
    duration_ms: exchange.lap - exchange.started,
    violations,
    assumptions
  }
  if (exchange.override !== undefined) entry.override = exchange.override
  if (exchange.fault !== undefined) entry.fault = exchange.fault
  if (exchange.failure !== undefined) entry.failure = exchange.failure
  const testCase = request.headers['x-schemathesis-testcaseid']
  if (testCase !== undefined) entry.test_case = String(testCase)
  sandbox.journal.add({
    entry,
    detail: {
      user: exchange.user,
      request: requestMessage(exchange),
      response: { headers, ...kept(text) },
      problems: keptProblems(exchange),
      checked: exchange.checked,
      touches: exchange.touches,
      timing: exchange.timing
    }
  })
  if (operation) sandbox.coverage.count(operation.id, entry.status, violations.length, assumptions)
  else sandbox.coverage.countUnknown(entry.method, exchange.path)
  return entry
}

function requestMessage({ request, body }: Exchange): Message {
  return { headers: withoutSecrets(request.headers), ...(body?.text === undefined ? {} : kept(body.text)) }
}

/** What was wrong names parts of the body: where that is left out, so are they, or all of it would be kept. */
function keptProblems({ problems, body }: Exchange): Exchange['problems'] {
  if ((body?.text?.length ?? 0) <= longest) return problems
  return problems.map((problem) => ({ ...problem, input: null }))
}

function kept(text: string): Partial<Message> {
  if (text === '') return {}
  return text.length > longest ? { omitted: `longer than ${longest} characters` } : { text }
}

function withoutSecrets(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = { ...headers } as Record<string, string>
  for (const name of secretHeaders) if (name in kept) kept[name] = '***'
  return kept
}
