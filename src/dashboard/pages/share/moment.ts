import type { Call, JournalDetail, JournalEntry, Scenario, ScenarioStep } from '../../../engine/contract/types.gen.js'

/** The state before a request: a start, and the steps that led to it. */
export interface Moment {
  scenario: Scenario
  /** The request itself, as the capsule has it. Undefined: it is left out there. */
  own: Call | undefined
}

type Met = Pick<JournalDetail, 'id' | 'time' | 'status' | 'reads' | 'writes' | 'response'>

/** The highest number of rows that an exchange lists as read. */
const mostReads = 50

/**
 * Ways to the state before an exchange, shortest first. All include the calls of the control API, because these have rows. Of
 * the requests, the first way has those that changed a collection that the exchange touched, the next all that changed rows,
 * the last all. Which of them is enough must be tried.
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
  const moments = ways.map((way) => {
    const last = own ? way.pop() : undefined
    const now = own ? last?.at : time
    const clock: ScenarioStep[] = now === undefined ? [] : [{ clock: { now, speed: 0 } }]
    return {
      scenario: { ...(start && { start }), steps: [...way.filter(isAction).map(withoutTelling), ...clock] },
      own: own?.call
    }
  })
  // Ways of the same length are the same.
  return moments.filter(({ scenario }, at) => scenario.steps.length !== moments[at - 1]?.scenario.steps.length)
}

/** The collections that an exchange depends on. Undefined: any, because rows that do not exist are not among its reads. */
function touchedBy({ status, reads, writes, response }: Met): Set<string> | undefined {
  const isMissing = status >= 400 || JSON.stringify(response.body ?? null).includes('[]')
  if (isMissing || reads.length === 0 || reads.length >= mostReads) return undefined
  return new Set([...reads, ...writes].map(({ collection }) => collection))
}

/** The kept steps, each with the time that it needs if the one before is left out. */
function timed(steps: readonly ScenarioStep[], isKept: (step: ScenarioStep) => boolean): ScenarioStep[] {
  let at: string | undefined
  return steps.flatMap((step) => {
    at = step.at ?? at
    if (!isKept(step)) return []
    const next = at === undefined ? step : { ...step, at }
    at = undefined
    return [next]
  })
}

function isAction(step: ScenarioStep): boolean {
  return Object.keys(step).some((name) => name !== 'at')
}

/** A step that only leads further: its answer is not expected again, except for a refusal. */
function withoutTelling({ note: _, ...step }: ScenarioStep): ScenarioStep {
  if (!step.call) return step
  const { expect, ...call } = step.call
  const isRefused = expect?.status !== undefined && (expect.status >= 400 || expect.status === 0)
  return { ...step, call: isRefused ? { ...call, expect: { status: expect.status as number } } : call }
}
