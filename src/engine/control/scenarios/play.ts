import type { Contract } from '../../contract/contract.js'
import { isObject } from '../../contract/load.js'
import { shortened } from '../../contract/message/refusal.js'
import type { Expectation, Scenario, ScenarioPlayed, ScenarioStep } from '../../contract/types.gen.js'
import { actionOf, callsByBody, checkScenario } from './check-scenario.js'
import { requestOfCall, requestOfControl, type StepRequest, whyElsewhere } from './request.js'
import { type Results, withResults } from './results.js'

/** The answer of a step. The status is 0 if the connection broke. */
export interface StepAnswer {
  status: number
  body: unknown
}

/** The requests of a scenario, one after the other. The caller sends each and passes in its answer. */
export type ScenarioRequests = Generator<StepRequest, ScenarioPlayed, StepAnswer>

/** A step that failed, or whose answer was not the expected one. */
export class StepFailure extends Error {
  constructor(
    /** Counted from 1; 0 is the start. */
    readonly step: number,
    what: string,
    /** Whether the answer differs from the expected one. Otherwise the step failed. */
    readonly isExpectation: boolean,
    difference: string
  ) {
    super(`${step === 0 ? 'The start' : `Step ${step} (${what})`}: ${difference}`)
    this.name = 'StepFailure'
  }
}

/** Characters of JSON that all results together may have. */
const mostResults = 64 * 1024 ** 2

/** Receives the answer to the call of a step; steps are counted from 0. */
export type OnAnswer = (index: number, answer: StepAnswer) => void

/**
 * Plays a scenario. Throws an Invalid if it cannot be played, and a StepFailure at the first step that fails. With `hear`, no
 * call fails: the listener judges the answers.
 */
export function* playing(
  contract: Contract,
  scenario: Scenario,
  hear?: OnAnswer,
  keepsJournal = false
): ScenarioRequests {
  checkScenario(contract, scenario)
  const { name = 'unnamed', start, steps } = scenario
  if (start) yield* starting(contract, start, keepsJournal)
  const results: Results = Object.create(null)
  let room = mostResults
  const scenes: ScenarioPlayed['scenes'] = []
  for (const [index, template] of steps.entries()) {
    const what = whatIn(template)
    const fail = (text: string, isExpectation = false) => new StepFailure(index + 1, what, isExpectation, text)
    const step = resolved(template, results, fail)
    if (step.at !== undefined) {
      const moved: StepAnswer = yield requestOfControl(contract, 'setClock', { body: { now: step.at, speed: 0 } })
      if (moved.status >= 400) throw fail(refusalIn(moved))
    }
    const { request, expect } = requestOf(contract, step)
    // References may have changed the address.
    const why = step.call && whyElsewhere(request.target)
    if (why) throw fail(`${request.target}: ${why}`)
    const { status, body } = yield request
    const difference = differenceIn(expect, status, body)
    const isCall = step.call !== undefined || step.control !== undefined
    if (hear && isCall) hear(index, { status, body })
    else if (difference !== undefined) throw fail(difference, step.call !== undefined || expect !== undefined)
    if (step.as !== undefined) {
      results[step.as] = step.create?.count === undefined ? body : (body as { rows: unknown }).rows
      room -= (JSON.stringify(results[step.as]) ?? '').length
      if (room < 0) throw fail(`the results of the steps take more than ${mostResults} characters of JSON.`)
    }
    if (step.snapshot) scenes.push(step.snapshot)
  }
  return { name, steps: steps.length, scenes, results }
}

function* starting(
  contract: Contract,
  { profile, assume, ...start }: NonNullable<Scenario['start']>,
  keepsJournal: boolean
): Generator<StepRequest, void, StepAnswer> {
  const ask = function* (id: string, body?: unknown, query = {}) {
    const answer: StepAnswer = yield requestOfControl(contract, id, { body, query })
    if (answer.status >= 400) throw new StepFailure(0, '', false, refusalIn(answer))
    return answer.body
  }
  yield* ask('resetSandbox', start, keepsJournal ? { keep_journal: true } : {})
  let choices = { ...assume }
  if (profile !== undefined) {
    const { assumptions } = (yield* ask('getAssumptions')) as { assumptions: { id: string }[] }
    choices = { ...Object.fromEntries(assumptions.map(({ id }) => [id, profile])), ...choices }
  }
  if (Object.keys(choices).length > 0) yield* ask('changeAssumptions', choices)
}

interface PlannedStep {
  request: StepRequest
  expect?: Expectation | undefined
}

function requestOf(contract: Contract, step: ScenarioStep): PlannedStep {
  const { create, call, control, lifecycle, snapshot } = step
  const ask = (id: string, input: Parameters<typeof requestOfControl>[2]): PlannedStep => ({
    request: requestOfControl(contract, id, input)
  })
  if (create) {
    const { collection, part = {}, trait, count } = create
    return ask('addRow', { path: { collection }, query: { trait: trait && [trait].flat().join(), count }, body: part })
  }
  if (control) return { ...ask(control.operation, control), expect: control.expect }
  for (const [action, id] of Object.entries(callsByBody)) {
    const body = step[action as keyof typeof callsByBody]
    if (body) return ask(id, { body })
  }
  if (lifecycle) {
    const { collection, id, to } = lifecycle
    return ask('moveRow', { path: { collection, id }, body: { to } })
  }
  if (snapshot) return ask('takeSnapshot', { path: { name: snapshot.name } })
  return { request: requestOfCall(contract, call ?? {}), expect: call?.expect }
}

function resolved(step: ScenarioStep, results: Results, fail: (text: string) => StepFailure): ScenarioStep {
  try {
    return withResults(step, results)
  } catch (error) {
    throw fail((error as Error).message)
  }
}

function differenceIn({ status: expected, body: part }: Expectation = {}, status: number, body: unknown) {
  if (expected === undefined ? status === 0 || status >= 400 : status !== expected) {
    const good = expected === undefined ? 'below 400' : String(expected)
    return `the status is ${status}, not ${good}. ${refusalIn({ status, body })}`
  }
  return part === undefined ? undefined : differenceOf(body, part, 'body')
}

function refusalIn({ status, body }: StepAnswer): string {
  if (status === 0) return 'The connection broke.'
  const { detail } = (body ?? {}) as { detail?: unknown }
  return typeof detail === 'string' ? detail : `The answer is ${brief(body)}.`
}

/** The action of a step, in one or two words. */
function whatIn(step: ScenarioStep): string {
  const { create, call, control, lifecycle, snapshot } = step
  const name = create?.collection ?? control?.operation ?? lifecycle?.collection ?? snapshot?.name
  const called = call && (call.operation ?? `${call.method ?? 'GET'} ${call.url}`)
  return [actionOf(step), name ?? called].filter((it) => it !== undefined).join(' ')
}

/**
 * The first place where a value differs from the expected one, as the end of a sentence, or undefined. Objects may have
 * more fields than expected; lists must have the same length.
 */
export function differenceOf(value: unknown, expected: unknown, place: string): string | undefined {
  if (isObject(expected)) {
    if (!isObject(value)) return `${place} is ${brief(value)}, not an object`
    const [first] = Object.entries(expected).flatMap(([name, item]) => {
      const at = `${place}.${name}`
      if (!Object.hasOwn(value, name)) return [`${at} is missing`]
      return differenceOf(value[name], item, at) ?? []
    })
    return first
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(value)) return `${place} is ${brief(value)}, not a list`
    if (value.length !== expected.length) return `${place} has ${value.length} items, not ${expected.length}`
    return expected.flatMap((item, index) => differenceOf(value[index], item, `${place}.${index}`) ?? [])[0]
  }
  return Object.is(value, expected) ? undefined : `${place} is ${brief(value)}, not ${brief(expected)}`
}

/** A short form of a value for messages. */
export function brief(value: unknown): string {
  return shortened(value === undefined ? 'nothing' : JSON.stringify(value))
}
