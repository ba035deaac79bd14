import type { Call, JournalDetail, JournalEntry, Scenario, ScenarioStep } from '../../../contract/types.gen.js'

/** The state that a request met: a start, and the steps that led to it. */
export interface Moment {
  scenario: Scenario
  /** The request itself, as the capsule has it. Undefined: it is left out there. */
  own: Call | undefined
}

const numberOf = (id: string) => Number(id.slice(1))

/**
 * Ways to the state that an exchange met, the shortest first: the start alone, then only the steps that changed rows,
 * then all of them. Which of them is enough has to be tried.
 */
export function waysTo(
  { start, steps }: Scenario,
  { id, time }: Pick<JournalDetail, 'id' | 'time'>,
  entries: readonly JournalEntry[]
): Moment[] {
  const changing = new Set(entries.filter(({ changed }) => changed !== undefined).map((it) => it.id))
  const isLater = ({ call, note }: ScenarioStep) => call !== undefined && numberOf(note ?? '') >= numberOf(id)
  const end = steps.findIndex(isLater)
  const before = end < 0 ? steps : steps.slice(0, end)
  const own = end >= 0 && steps[end]?.note === id ? steps[end] : undefined
  const ways = [
    () => false,
    ({ call, note = '' }: ScenarioStep) => call === undefined || changing.has(note),
    () => true
  ].map((isKept) => timed([...before, own ?? { at: time }], (step) => step === own || isKept(step)))
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
