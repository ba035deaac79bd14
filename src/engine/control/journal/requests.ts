import type { Contract } from '../../contract/contract.js'
import { isJsonType } from '../../contract/json.js'
import type { JsonObject } from '../../contract/load.js'
import { forType } from '../../contract/match.js'
import { createRowRedaction } from '../../contract/message/redaction.js'
import { Refusal } from '../../contract/message/refusal.js'
import type { InputError, Operation } from '../../contract/model.js'
import type { JournalDetail, JournalEntry, Operations, RowChange, WaitingRequest } from '../../contract/types.gen.js'
import { type Journal, numberOf } from '../../journal/journal.js'
import { isUnknown, nearMisses, nearMissOf, suggestionsFor } from '../../journal/near-misses.js'
import type { Recorded } from '../../journal/recorded.js'
import type { Moment } from '../../sandbox/history.js'
import { historyOf, type Sandbox } from '../../sandbox/sandbox.js'
import type { Steps } from '../../store/steps.js'
import { adviceFor } from '../checks/check-call.js'
import { shown } from '../overrides.js'
import type { ControlContext, ControlRules } from '../rule.js'
import { nameOf } from '../state/whole-state.js'
import { deletionsOf, momentOf } from './history.js'
import { filterOf, type Test } from './request-filter.js'

export const requestRules: ControlRules<'getRequest' | 'clearRequests' | 'restoreRequests'> = {
  getRequest: ({ path: { id } }, context) => {
    const { journal } = context.sandbox
    const recorded = journal.find(id)
    if (!recorded) throw new Refusal('unknown-request', { id, reason: whyUnknown(journal, id) })
    return explanation(recorded, context)
  },

  clearRequests: (_, { sandbox: { journal } }) => {
    const { size } = journal
    journal.clear()
    return { removed: size }
  },

  restoreRequests: (_, { sandbox: { journal } }) => ({ restored: journal.uncover() })
}

function whyUnknown({ position, size }: Journal, id: string): string {
  const number = numberOf(id)
  if (number === undefined || number < 1) return 'Ids are r1, r2 and so on.'
  if (number > position) {
    return `It has had ${position} so far: the mock has restarted or the journal has begun again since, and ids with it.`
  }
  return `It has the last ${size} of ${position}. Those before were dropped.`
}

export function* readRequests(
  { query }: Operations['listRequests']['input'],
  { sandbox, contract }: ControlContext
): Steps<Operations['listRequests']['reply']> {
  const { journal } = sandbox
  const passes = filterOf(query, contract, sandbox)
  const entries: JournalEntry[] = []
  // An id ends the search, so that few new exchanges cost little, even in a long journal.
  for (const entry of journal.entries(numberOf(query.since ?? ''))) {
    if (passes(entry)) entries.push(entry)
    yield
  }
  const { offset = 0, limit = entries.length } = query
  const requests: JournalEntry[] = []
  for (const entry of entries.slice(offset, offset + limit)) {
    requests.push(line(journal, contract, entry))
    yield
  }
  const { count, violations, refused } = journal.dropped
  const waiting = waitingIn(sandbox, passes)
  return {
    requests,
    total: entries.length,
    ...(count > 0 && { dropped: count, dropped_violations: violations, dropped_refused: refused }),
    ...(waiting.length > 0 && { waiting })
  }
}

const mostWaiting = 100

/** The requests that wait for a delayed answer, and match a filter as far as they have come. Newest first. */
function waitingIn({ journal, clock }: Sandbox, passes: Test): WaitingRequest[] {
  const [id, time] = [journal.nextId(), clock.time]
  const matching = [...journal.waits].filter(({ until: _, ...wait }) => {
    const duration_ms = clock.real - Date.parse(wait.real_time)
    return passes({ ...wait, id, time, duration_ms, status: Number.NaN, violations: [], assumptions: [] })
  })
  return matching.reverse().slice(0, mostWaiting)
}

/** An exchange as lists show it. If no operation matches, it has near misses and suggestions. */
export function line(journal: Journal, contract: Contract, entry: JournalEntry): JournalEntry {
  if (!isUnknown(entry)) return entry
  const help = journal.once(entry.id, contract, () => {
    const path = /^(?:https?:\/\/[^/?]*)?([^?]*)/i.exec(entry.url)?.[1] ?? ''
    const near_misses = nearMisses(contract.operations.values(), entry.method, path)
    return { near_misses, suggestions: suggestionsFor(entry, contract.operations) }
  })
  return { ...entry, ...help }
}

function explanation(recorded: Recorded, context: ControlContext): JournalDetail {
  const { sandbox, contract, ledger } = context
  const { journal } = sandbox
  const { entry, request, response, problems, checked, choices, reads, missed, writes, changes, timing } = recorded
  const baseOperation = contract.operations.get(entry.operation ?? '')
  const operation = baseOperation && forType(baseOperation, request.headers['content-type'])
  const errors = [...wrongType(operation, request.headers, problems), ...problems]
  const touched = (list: Recorded['reads']) => pairs(list).map(([collection, id]) => ({ collection, id }))
  const forced = forcedBy(context, entry)
  // A row that the clock has ended is still stored, so it was read.
  const sought = entry.status < 400 ? [] : [...touched(missed), ...touched(reads)]
  const deletions = deletionsOf(context, sought, entry.real_time)
  return {
    ...line(journal, contract, entry),
    ...(operation && problems.length > 0 && { near_misses: [nearMissOf(operation, errors)] }),
    ...(operation && adviceFor(contract, operation, recorded, problems)),
    rule: timing.includes('rule') ? entry.operation : null,
    request,
    response,
    checks: checksOf(entry, checked, errors),
    rests_on: ledger()
      .filter(({ id }) => entry.assumptions.includes(id))
      .map(({ id, question }) => ({ id, question, choice: choices[id] as string })),
    reads: touched(reads),
    writes: touched(writes),
    changes: changes.map((change) => shownChange(context, change)),
    ...(deletions.length > 0 && { deletions }),
    ...(forced && { forced_by: forced }),
    timing: Object.fromEntries(pairs(timing).map(([step, microseconds]) => [step, Number(microseconds) / 1000]))
  }
}

/** A changed row with its name, without its secrets. */
function shownChange(
  { sandbox: { rows }, contract }: ControlContext,
  { before, after, row, ...change }: Recorded['changes'][number]
): RowChange {
  const collection = contract.collections.get(change.collection)
  const hide = collection ? createRowRedaction(contract.documents, collection) : (row: JsonObject) => row
  const name = collection && nameOf({ contract, rows }, change.collection, hide(row as JsonObject))
  return {
    ...change,
    ...(name !== undefined && { name }),
    ...(before && { before: hide(before as JsonObject) }),
    ...(after && { after: hide(after as JsonObject) })
  }
}

/** The problem of a wrong Content-Type. The body was read by that type, so all other problems follow from it. */
function wrongType(
  operation: Operation | undefined,
  headers: Recorded['request']['headers'],
  problems: readonly InputError[]
): InputError[] {
  if (!operation?.input.body || !problems.some(({ loc }) => loc[0] === 'body')) return []
  const type = headers['content-type']
  const isForm = /^multipart\/form-data\s*(;|$)/i.test(type ?? '')
  if (operation.form ? isForm : type === undefined || isJsonType(type)) return []
  const expected = operation.form ? 'multipart/form-data' : 'application/json'
  const msg = `The Content-Type is ${type ?? 'missing'}; it should be ${expected}`
  return [{ type: 'content_type', loc: ['header', 'content-type'], msg, input: type ?? null }]
}

function pairs(list: readonly (string | number)[]): [string, string | number][] {
  return list.flatMap((item, at) => (at % 2 === 0 ? [] : [[list[at - 1] as string, item]]))
}

/** A violation is in the reply, or else in a request that was let through. */
function checksOf(
  { violations }: JournalEntry,
  checked: Recorded['checked'],
  problems: readonly InputError[]
): JournalDetail['checks'] {
  const { input, reply } = checked
  const checks: JournalDetail['checks'] = []
  const letThrough = violations.filter((violation) => !reply?.includes(violation)).map((msg) => ({ msg }))
  const wrong = [...problems.map((problem) => ({ ...problem })), ...letThrough]
  if (input || wrong.length > 0) checks.push({ check: 'request', held: wrong.length === 0, problems: wrong })
  if (reply) checks.push({ check: 'response', held: reply.length === 0, problems: reply.map((msg) => ({ msg })) })
  return checks
}

/** The override that answered an exchange, and what added it. Undefined: the history does not go back so far. */
function forcedBy(
  { sandbox, contract }: ControlContext,
  { override: id, real_time }: JournalEntry
): JournalDetail['forced_by'] {
  if (id === undefined) return undefined
  const history = historyOf(sandbox)
  const entryAt = ({ overrides }: Moment) => overrides.find((it) => it.id === id)
  const changes = history.after(history.earliest).filter(({ real }) => real <= Date.parse(real_time))
  // The answer itself may have used it up. Before that, it was there without a break.
  const since = changes.slice(Math.max(0, changes.findIndex(entryAt)))
  const gap = since.findIndex((change) => !entryAt(change))
  const isOfStart = gap < 0 && entryAt(history.earliest) !== undefined
  const adder = isOfStart ? undefined : since.slice(0, gap < 0 ? undefined : gap).at(-1)
  const begin = adder ?? history.earliest
  const override = entryAt(begin)
  if (!override) return undefined
  const isCall = adder?.control !== undefined && !adder.isByProgram
  return {
    override: shown(override),
    at: `m${begin.number}`,
    ...(isCall && { added_by: momentOf(contract, adder) }),
    in_force: sandbox.overrides.find(id) !== undefined
  }
}
