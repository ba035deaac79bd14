import { performance } from 'node:perf_hooks'
import type { Contract } from '../../../engine/contract/contract.js'
import { isObject } from '../../../engine/contract/load.js'
import { withoutEnd } from '../../../engine/contract/text.js'
import type { Scenario, ScenarioPlayed, ScenarioStep } from '../../../engine/contract/types.gen.js'
import {
  differenceOf,
  type OnAnswer,
  playing,
  type StepAnswer,
  StepFailure
} from '../../../engine/control/scenarios/play.js'
import { definitionsTable } from '../../options/mock-table.js'
import { type Options, pick } from '../../options/option.js'
import { createMock } from '../mock.js'
import { scenarioIn } from '../option-files.js'
import { type Ask, drive } from './drive.js'

export interface RunOptions extends Options<typeof definitionsTable> {
  /** The address of a running mock. Default: a new one. */
  target?: string
  /** With a target: the sandbox. */
  sandbox?: string
  controlToken?: string
}

export interface ScenarioResult {
  file: string
  name: string | undefined
  steps: number
  /** `failure`: an answer differs from the expected one. `error`: the scenario could not be played. */
  outcome: 'held' | 'failure' | 'error'
  detail: string
  milliseconds: number
}

export type Runner = Awaited<ReturnType<typeof createRunner>>

/** Plays scenarios in a new mock, each in its own sandbox, or in a running mock. Rejects if no mock runs there. */
export async function createRunner(options: RunOptions) {
  const { target, sandbox = 'default', controlToken } = options
  const mock = createMock(pick(definitionsTable, options), { waits: false })
  const contract = mock.edition.contractOf(mock.edition.choices)
  let count = 0
  const ask: Ask =
    target === undefined ? (path, init) => mock.fetch(new URL(path, 'http://mock.invalid'), init) : askAt(target)
  if (target !== undefined) await reach(target, ask)

  const read = (file: string) => scenarioIn(mock, file, file)

  /** Throws if it fails. */
  const run = (scenario: Scenario, hear?: OnAnswer): Promise<ScenarioPlayed> => {
    count += 1
    const place = target === undefined ? `scenario-${count}` : sandbox
    if (target === undefined && count > 1) mock.sandbox(`scenario-${count - 1}`).drop()
    const headers: Record<string, string> =
      target !== undefined && controlToken !== undefined ? { 'X-Mock-Control-Token': controlToken } : {}
    return drive(playing(contract, scenario, hear), ask, place, { headers })
  }

  return {
    contract,
    read,
    run,
    close: () => mock.close(),
    async play(file: string): Promise<ScenarioResult> {
      const started = performance.now()
      let name: string | undefined
      const ended = (outcome: ScenarioResult['outcome'], steps: number, detail = ''): ScenarioResult => {
        return { file, name, steps, outcome, detail, milliseconds: performance.now() - started }
      }
      try {
        const scenario = read(file)
        name = scenario.name
        return ended('held', (await run(scenario)).steps)
      } catch (error) {
        const isFailure = error instanceof StepFailure && error.isExpectation
        return ended(isFailure ? 'failure' : 'error', 0, (error as Error).message)
      }
    }
  }
}

/** Calls only the server at this address: neither a step's URL nor a redirect can lead elsewhere. */
function askAt(target: string): Ask {
  const base = URL.canParse(target) ? new URL(target) : undefined
  const prefix = withoutEnd(base?.pathname ?? '', '/')
  return async (path, init) => {
    const url = new URL(`${base?.origin}${prefix}${path}`)
    if (url.origin !== base?.origin || !url.pathname.startsWith(`${prefix}/`)) {
      throw new Error(`${path} leads away from the target ${target}.`)
    }
    return fetch(url, { ...init, redirect: 'manual' })
  }
}

async function reach(target: string, ask: Ask): Promise<void> {
  // A sign-in page may answer everything with 200.
  const isMock = await ask('/__mock/health', {})
    .then((answer) => answer.json())
    .then(
      (health: unknown) => isObject(health) && health.status === 'ok',
      () => false
    )
  if (!isMock) throw new Error(`target is ${target}, but no mock answers there.`)
}

/** The answer that must stay. */
export interface ShrinkTarget {
  /** The number of a step, the id of its request, or the operation that it calls. Default: the last successful write, or else the last call. */
  request?: string
  /** A part of the body. The status is always required. */
  body?: unknown
}

type StepAnswers = Map<ScenarioStep, StepAnswer>

/**
 * Finds the fewest steps of a scenario with which a request still gets the same answer. The expectations of the steps then
 * follow their new answers. `plays`: how often it was played. Throws if the whole scenario does not give that answer, or lists
 * the requests.
 */
export async function shrink(
  runner: Runner,
  { steps, ...about }: Scenario,
  goal: ShrinkTarget
): Promise<{ scenario: Scenario; plays: number }> {
  const at = goal.request === undefined ? lastOf(steps, runner.contract) : indexOf(steps, goal.request)
  const target = steps[at] as ScenarioStep
  let plays = 0
  const play = async (part: readonly ScenarioStep[]): Promise<StepAnswers> => {
    plays += 1
    const heard: StepAnswers = new Map()
    const played = [...part, target]
    await runner.run({ ...about, steps: played }, (index, answer) => heard.set(played[index] as ScenarioStep, answer))
    return heard
  }
  const before = steps.slice(0, at)
  const whole = (await play(before)).get(target) as StepAnswer
  const status = target.call?.expect?.status ?? whole.status
  const reasonOf = (answer: StepAnswer | undefined): string | undefined => {
    if (answer?.status !== status) return `the status is ${answer?.status}, not ${status}`
    return goal.body === undefined ? undefined : differenceOf(answer.body, goal.body, 'body')
  }
  const reason = reasonOf(whole)
  if (reason !== undefined) throw new StepFailure(at + 1, '', true, `${reason}: nothing to shrink.`)
  const isEnough = (part: readonly ScenarioStep[]) =>
    play(part).then(
      (heard) => reasonOf(heard.get(target)) === undefined,
      () => false
    )

  const search = shrinking(before)
  let next = search.next()
  while (!next.done) next = search.next(await isEnough(next.value))
  const result = next.value
  const heard = await play(result)
  const expecting = [...result, target].map((step) => withExpectation(step, heard.get(step)))
  const last = expecting.at(-1) as ScenarioStep
  if (goal.body !== undefined && last.call) last.call.expect = { status, body: goal.body }
  return { scenario: { ...about, steps: expecting }, plays }
}

/** The last call that changed something, judged by method and status, or else the last call. */
function lastOf(steps: readonly ScenarioStep[], contract: Contract): number {
  const lastWrite = steps.findLastIndex(({ call }) => {
    const operation = contract.operations.get(call?.operation ?? '')
    const { status = 200 } = call?.expect ?? {}
    return operation && !operation.isReading && status >= 200 && status < 300
  })
  const last = lastWrite >= 0 ? lastWrite : steps.findLastIndex(({ call }) => call !== undefined)
  return last >= 0 ? last : indexOf(steps, undefined)
}

/** The position of the wanted request. Only calls, and calls of the control API, count. */
function indexOf(steps: readonly ScenarioStep[], request: string | undefined): number {
  const at = steps.findLastIndex(({ call, control, note }, index) => {
    if (request === undefined) return control !== undefined
    const names = [String(index + 1), note, call?.operation, control?.operation]
    return (call ?? control) !== undefined && names.includes(request)
  })
  if (at >= 0) return at
  const all = steps.flatMap(({ call, control, note }, index) =>
    call || control ? [note ?? call?.operation ?? control?.operation ?? String(index + 1)] : []
  )
  const [first] = all
  if (first === undefined) throw new Error('There is nothing to shrink: the scenario has no call and no control step.')
  throw new Error(
    `expect is ${request ?? 'left out'}: give the number of a call or control step (there are ${steps.length} steps), its` +
      ` operation, or the id of a request (${[...new Set(all)].slice(0, 20).join(', ')}).`
  )
}

function withExpectation(step: ScenarioStep, answer: StepAnswer | undefined): ScenarioStep {
  if (!answer) return step
  const { status, body } = answer
  const kind = step.call ? 'call' : 'control'
  const { expect = {}, ...rest } = step[kind] as NonNullable<ScenarioStep['call']>
  const isSame = expect.status === status && differenceOf(body, expect.body, '') === undefined
  const isUsual = expect.status === undefined && status > 0 && status < 400
  return isSame || isUsual ? { ...step } : ({ ...step, [kind]: { ...rest, expect: { status } } } as ScenarioStep)
}

/**
 * Finds the fewest items with which a condition is still true (delta debugging). It yields lists to try, and takes whether it
 * was true. No single item of its result can be left out.
 */
export function* shrinking<T>(all: readonly T[]): Generator<readonly T[], readonly T[], boolean> {
  let list = all
  let size = Math.ceil(list.length / 2)
  while (size > 0 && list.length > 0) {
    let hasShrunk = false
    for (let from = 0; from < list.length; ) {
      const rest = [...list.slice(0, from), ...list.slice(from + size)]
      if (yield rest) {
        list = rest
        hasShrunk = true
      } else from += size
    }
    if (size > 1) size = Math.ceil(size / 2)
    else if (!hasShrunk) break
  }
  return list
}
