import type { Contract } from '../../../engine/contract/contract.js'
import type { Scenario, ScenarioStep } from '../../../engine/contract/types.gen.js'
import { differenceOf } from '../../../engine/control/scenarios/difference.js'
import { type StepAnswer, StepFailure } from '../../../engine/control/scenarios/play.js'
import { shrinking } from '../../../engine/control/scenarios/shrinking.js'
import { isReading } from '../../../tools/verify/learn/is-reading.js'
import type { Runner } from './runner.js'

/** The answer that must stay. */
export interface ShrinkTarget {
  /** The number of a step, the id of its request, or the operation that it calls. Default: the last successful write, or else the last call. */
  request?: string
  /** A part of the body. The status is always required. */
  body?: unknown
}

export interface ShrinkResult {
  scenario: Scenario
  /** How often it was played. */
  plays: number
}

type StepAnswers = Map<ScenarioStep, StepAnswer>

/**
 * Finds the fewest steps of a scenario with which a request still gets the same answer. The expectations of the steps then
 * follow their new answers. Throws if the whole scenario does not give that answer, or lists the requests.
 */
export async function shrink(
  runner: Runner,
  { steps, ...about }: Scenario,
  wanted: ShrinkTarget
): Promise<ShrinkResult> {
  const at = wanted.request === undefined ? lastOf(steps, runner.contract) : indexOf(steps, wanted.request)
  const target = steps[at] as ScenarioStep
  let plays = 0
  const play = async (kept: readonly ScenarioStep[]): Promise<StepAnswers> => {
    plays += 1
    const heard: StepAnswers = new Map()
    const played = [...kept, target]
    await runner.run({ ...about, steps: played }, (index, answer) => heard.set(played[index] as ScenarioStep, answer))
    return heard
  }
  const before = steps.slice(0, at)
  const whole = (await play(before)).get(target) as StepAnswer
  const status = target.call?.expect?.status ?? whole.status
  const reasonOf = (answer: StepAnswer | undefined): string | undefined => {
    if (answer?.status !== status) return `the status is ${answer?.status}, not ${status}`
    return wanted.body === undefined ? undefined : differenceOf(answer.body, wanted.body, 'body')
  }
  const reason = reasonOf(whole)
  if (reason !== undefined) throw new StepFailure(at + 1, '', true, `${reason}: nothing to shrink.`)
  const holds = (kept: readonly ScenarioStep[]) =>
    play(kept).then(
      (heard) => reasonOf(heard.get(target)) === undefined,
      () => false
    )

  const search = shrinking(before)
  let next = search.next()
  while (!next.done) next = search.next(await holds(next.value))
  const kept = next.value
  const heard = await play(kept)
  const told = [...kept, target].map((step) => withExpectation(step, heard.get(step)))
  const last = told.at(-1) as ScenarioStep
  if (wanted.body !== undefined && last.call) last.call.expect = { status, body: wanted.body }
  return { scenario: { ...about, steps: told }, plays }
}

/** The last call that changed something, judged by method and status, or else the last call. */
function lastOf(steps: readonly ScenarioStep[], contract: Contract): number {
  const written = steps.findLastIndex(({ call }) => {
    const operation = contract.operations.get(call?.operation ?? '')
    const { status = 200 } = call?.expect ?? {}
    return operation && !isReading(operation) && status >= 200 && status < 300
  })
  const found = written >= 0 ? written : steps.findLastIndex(({ call }) => call !== undefined)
  return found >= 0 ? found : indexOf(steps, undefined)
}

/** The position of the wanted request. Only calls, and calls of the control API, count. */
function indexOf(steps: readonly ScenarioStep[], request: string | undefined): number {
  const found = steps.findLastIndex(({ call, control, note }, index) => {
    if (request === undefined) return control !== undefined
    const names = [String(index + 1), note, call?.operation, control?.operation]
    return (call ?? control) !== undefined && names.includes(request)
  })
  if (found >= 0) return found
  const known = steps.flatMap(({ call, control, note }, index) =>
    call || control ? [note ?? call?.operation ?? control?.operation ?? String(index + 1)] : []
  )
  const [first] = known
  if (first === undefined) throw new Error('There is nothing to shrink: the scenario has no call and no control step.')
  throw new Error(
    `expect is ${request ?? 'left out'}: give the number of a call or control step (there are ${steps.length} steps), its` +
      ` operation, or the id of a request (${[...new Set(known)].slice(0, 20).join(', ')}).`
  )
}

/** The step with the new answer, if it differs. */
function withExpectation(step: ScenarioStep, answer: StepAnswer | undefined): ScenarioStep {
  if (!answer) return step
  const { status, body } = answer
  const kind = step.call ? 'call' : 'control'
  const { expect = {}, ...rest } = step[kind] as NonNullable<ScenarioStep['call']>
  const isSame = expect.status === status && differenceOf(body, expect.body, '') === undefined
  const isUsual = expect.status === undefined && status > 0 && status < 400
  return isSame || isUsual ? { ...step } : ({ ...step, [kind]: { ...rest, expect: { status } } } as ScenarioStep)
}
