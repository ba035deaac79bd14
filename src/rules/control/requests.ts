import { Invalid } from '../../contract/explain.js'
import { Refusal } from '../../contract/refusal.js'
import type { JournalDetail, JournalMessage, Operations } from '../../contract/types.gen.js'
import type { JournalEntry, Message, Recorded } from '../../mock/journal.js'
import { wrong } from './problems.js'
import type { ControlRules } from './rule.js'

type Filter = Operations['listRequests']['input']['query']

export const requestRules: ControlRules<'listRequests' | 'getRequest' | 'clearRequests'> = {
  listRequests: ({ query }, { sandbox }) => {
    const passes = filterOf(query)
    const entries = [...sandbox.journal.entries()].map(({ entry }) => entry).filter(passes)
    const { offset = 0, limit = entries.length } = query
    return { requests: entries.slice(offset, offset + limit), total: entries.length }
  },

  getRequest: ({ path: { id } }, { sandbox: { journal } }) => {
    const recorded = journal.find(id)
    if (!recorded) throw new Refusal('unknown-request', { id, kept: journal.size, total: journal.position })
    return explanation(recorded)
  },

  clearRequests: (_, { sandbox: { journal } }) => {
    const { size } = journal
    journal.clear()
    return { removed: size }
  }
}

/** What a filter lets through. `since` is the id of a request, or a time: what came after it. */
function filterOf(filter: Filter): (entry: JournalEntry) => boolean {
  const { operation, status, since, test_case, q, violations, unmatched } = filter
  const isSince = since === undefined ? undefined : sinceOf(since)
  return (entry) =>
    (operation === undefined || entry.operation === operation) &&
    (status === undefined || String(entry.status).startsWith(status.replace(/xx$/, ''))) &&
    (isSince === undefined || isSince(entry)) &&
    (test_case === undefined || entry.test_case === test_case) &&
    (q === undefined || `${entry.method} ${entry.url}`.toLowerCase().includes(q.toLowerCase())) &&
    (violations === undefined || entry.violations.length > 0 === violations) &&
    (unmatched === undefined || (entry.operation === null) === unmatched)
}

function sinceOf(since: string): (entry: JournalEntry) => boolean {
  if (/^r\d+$/.test(since)) return ({ id }) => Number(id.slice(1)) > Number(since.slice(1))
  const moment = Date.parse(since)
  if (Number.isNaN(moment)) {
    throw new Invalid([
      wrong(['query', 'since'], `"${since}" is neither a request's id, such as r12, nor an ISO 8601 time.`)
    ])
  }
  return ({ time }) => Date.parse(time) > moment
}

function explanation({ entry, detail }: Recorded): JournalDetail {
  const { user, request, response, problems, checked, reads, writes, timing } = detail
  const checks: JournalDetail['checks'] = []
  if (checked.input)
    checks.push({ check: 'request', held: problems.length === 0, problems: problems.map((it) => ({ ...it })) })
  if (checked.reply) checks.push({ check: 'response', held: entry.violations.length === 0 })
  const touched = (list: [string, string | number][]) => list.map(([collection, id]) => ({ collection, id }))
  return {
    ...entry,
    user,
    rule: 'rule' in timing ? entry.operation : null,
    request: shown(request),
    response: shown(response),
    checks,
    reads: touched(reads),
    writes: touched(writes),
    timing
  }
}

function shown({ headers, text, omitted }: Message): JournalMessage {
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  return {
    headers: texts,
    ...(text !== undefined && { body: parsed(text) }),
    ...(omitted !== undefined && { omitted })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
