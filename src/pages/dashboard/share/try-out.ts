import type { Call, JournalDetail, JournalEntry, Scenario, ScenarioStep } from '../../../contract/types.gen.js'
import { call } from '../client.js'
import { isUpload, outgoingOf, whyNoReplay } from '../outgoing/outgoing.js'
import { inThrowAway } from '../undo/throw-away.js'
import type { TriedTest } from './as-test.js'
import { differenceFrom, expectedOf } from './expected.js'

/** The state that a request met: a start, and the steps that led to it. */
interface Moment {
  scenario: Scenario
  /** The request itself, as the capsule has it. Undefined: it is left out there. */
  own: Call | undefined
}

type Met = Pick<JournalDetail, 'id' | 'time' | 'status' | 'reads' | 'writes' | 'response'>

/** An exchange has no more rows that it read. */
const mostReads = 50

/**
 * Ways to the state that an exchange met, the shortest first. All have what the control API did, because it carries rows.
 * Of the requests, the first way has those that changed a collection that the exchange touched, the next all that changed
 * rows, the last all. Which of them is enough has to be tried.
 */
export function waysTo({ start, steps }: Scenario, exchange: Met, entries: readonly JournalEntry[]): Moment[] {
  const { id, time } = exchange
  const own = steps.at(-1)?.note === id ? steps.at(-1) : undefined
  const before = own ? steps.slice(0, -1) : steps
  const changedBy = new Map(entries.map((it) => [it.id, it.changed?.map(({ collection }) => collection)]))
  const touched = touchedBy(exchange)
  const ways = [
    ({ note = '' }: ScenarioStep) => changedBy.get(note)?.some((it) => !touched || touched.has(it)) === true,
    ({ note = '' }: ScenarioStep) => changedBy.get(note) !== undefined,
    () => true
  ].map((isKept) =>
    timed([...before, own ?? { at: time }], (step) => step === own || step.call === undefined || isKept(step))
  )
  const found = ways.map((kept) => {
    const last = own ? kept.pop() : undefined
    const now = own ? last?.at : time
    const clock: ScenarioStep[] = now === undefined ? [] : [{ clock: { now, speed: 0 } }]
    return {
      scenario: { ...(start && { start }), steps: [...kept.filter(isAction).map(withoutTelling), ...clock] },
      own: own?.call
    }
  })
  // Ways of the same length are the same.
  return found.filter(({ scenario }, at) => scenario.steps.length !== found[at - 1]?.scenario.steps.length)
}

/** The collections that an exchange depends on. Undefined: any, because rows that do not exist are not among its reads. */
function touchedBy({ status, reads, writes, response }: Met): Set<string> | undefined {
  const isMissing = status >= 400 || JSON.stringify(response.body ?? null).includes('[]')
  if (isMissing || reads.length === 0 || reads.length >= mostReads) return undefined
  return new Set([...reads, ...writes].map(({ collection }) => collection))
}

/** The kept steps, each with the time that it needs where the one before is left out. */
function timed(steps: readonly ScenarioStep[], isKept: (step: ScenarioStep) => boolean): ScenarioStep[] {
  let at: string | undefined
  return steps.flatMap((step) => {
    at = step.at ?? at
    if (!isKept(step)) return []
    const kept = at === undefined ? step : { ...step, at }
    at = undefined
    return [kept]
  })
}

function isAction(step: ScenarioStep): boolean {
  return Object.keys(step).some((name) => name !== 'at')
}

/** A step that only leads on: what was answered is not expected again, apart from a refusal. */
function withoutTelling({ note: _, ...step }: ScenarioStep): ScenarioStep {
  if (!step.call) return step
  const { expect, ...call } = step.call
  const isRefused = expect?.status !== undefined && (expect.status >= 400 || expect.status === 0)
  return { ...step, call: isRefused ? { ...call, expect: { status: expect.status as number } } : call }
}

/** Runs the test of an exchange in a throw-away sandbox. Throws an error that says what did not hold. */
export async function tryExchange(exchange: JournalDetail): Promise<TriedTest> {
  const isForm = isUpload(exchange.request)
  const reason = isForm ? undefined : whyNoReplay(exchange)
  if (reason !== undefined) throw new Error(reason.replace('replayed', 'a test'))
  const [capsule, { requests }] = await Promise.all([
    call('getCapsule', { query: { uploads: 'whole', exchange: exchange.id } }),
    call('listRequests', { query: { limit: 10_000 } })
  ])
  const expected = expectedOf(exchange)
  let difference = ''
  for (const moment of waysTo(capsule, exchange, requests)) {
    const sent = callOf(exchange, moment)
    const found = await inThrowAway(async (sandbox) => {
      await call('playGiven', { body: moment.scenario }, sandbox)
      const answer = await call('callOperation', { body: sent }, sandbox)
      if (answer.status !== expected.status) return `the status is ${answer.status}, not ${expected.status}`
      if ('text' in expected) return answer.body === expected.text ? undefined : 'the text of the answer is another'
      return 'body' in expected ? differenceFrom(expected.body, answer.body) : undefined
    }).catch((error: Error) => error.message)
    const form = isForm ? (moment.own?.body as Record<string, unknown>) : undefined
    if (found === undefined) return { scenario: moment.scenario, expected, form }
    difference = found
  }
  throw new Error(difference)
}

function callOf(exchange: JournalDetail, { own }: Moment): Call {
  if (isUpload(exchange.request)) {
    if (!own?.body) throw new Error('The mock does not have the files any more.')
    const { expect: _, ...call } = own as Call & { expect?: unknown }
    return call
  }
  const { method, url, headers, user, body } = outgoingOf(exchange)
  const hasText = body !== undefined && 'text' in body && !['GET', 'HEAD'].includes(method)
  return { method, url, headers, user, ...(hasText && { text: body.text }) }
}

/** Plays all that happened in a throw-away sandbox, each answer being expected again. Resolves to the scenario. */
export async function tryJournal(): Promise<Scenario> {
  const { description: _, ...scenario } = await call('getCapsule', { query: { uploads: 'whole' } })
  await inThrowAway((sandbox) => call('playGiven', { body: scenario }, sandbox))
  return scenario
}
