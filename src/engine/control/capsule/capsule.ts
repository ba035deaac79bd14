import type { Contract } from '../../contract/contract.js'
import { isObject, type Json, type JsonObject } from '../../contract/load.js'
import { createRowRedaction, withoutSecrets } from '../../contract/message/redaction.js'
import { Refusal } from '../../contract/message/refusal.js'
import type { CollectionRow } from '../../contract/model.js'
import type { Operations, Scenario, ScenarioStep } from '../../contract/types.gen.js'
import { numberOf } from '../../journal/journal.js'
import {
  type AnyCall,
  type Gaps,
  isCall,
  type Origin,
  type RecordedControlCall,
  type Stage
} from '../../sandbox/calls.js'
import { Clock, timestamp } from '../../sandbox/clock.js'
import type { Steps } from '../../store/steps.js'
import { type ControlContext, type ControlRules, ruleOf } from '../rule.js'
import { readState } from '../state/whole-state.js'
import { callStep } from './calls.js'

export const capsuleRules: ControlRules<'getCapsule'> = { getCapsule: ruleOf<'getCapsule'>(readCapsule) }

/**
 * A scenario that leads from the start of a sandbox to now, or to an exchange. Changes made meanwhile are not in it. A loaded
 * state is a start in between.
 */
export function* readCapsule(
  { query: { uploads = 'digest', exchange } }: Operations['getCapsule']['input'],
  context: ControlContext
): Steps<Scenario> {
  const { sandbox, contract } = context
  const { clock, journal } = sandbox
  const { gaps, stages: kept } = sandbox.calls
  const [now, speed] = [clock.now, clock.speed]
  const stages = exchange === undefined ? kept : [stageOf(exchange, kept, sandbox)]
  const [{ origin: first }] = stages as [Stage]
  const described = descriptionOf(sandbox.name, now, gaps)
  const steps: ScenarioStep[] = []
  /** The time on the clock when the steps are played again; undefined: unknown. */
  let shown: number | undefined
  const telling = { contract, journal, isWhole: uploads === 'whole' }
  for (const { origin, calls } of stages) {
    if (origin !== first) steps.push(...startAgain(origin, context))
    steps.push(...(yield* stepsTo(origin, context)))
    shown = origin.now
    for (const [index, call] of calls.entries()) {
      const step = isCall(call) ? callStep(call, telling) : controlStep(call, contract)
      if (index % stepsInTurn === 0) yield
      if (!step) continue
      steps.push(call.now === shown ? step : { at: timestamp(call.now), ...step })
      shown = isCall(call) || !movesClock.has(call.control) ? call.now : undefined
    }
  }
  if (exchange === undefined && (speed !== 0 || shown !== now)) steps.push({ clock: { now: timestamp(now), speed } })
  return {
    name: `capsule-${sandbox.name}`.slice(0, 64),
    description: described,
    start: startOf(first, context),
    steps
  }
}

/** The calls that led to an exchange, and that exchange if its request is kept. Throws a Refusal if they are not. */
function stageOf(id: string, stages: readonly Stage[], { journal }: ControlContext['sandbox']): Stage {
  const number = numberOf(id) as number
  const stage = stages.findLast(({ origin }) => origin.position < number)
  if (!stage || number > journal.position) {
    const first = (stages[0] as Stage).origin.position + 1
    const known =
      first > journal.position ? 'No exchange has a capsule now.' : `Give one from r${first} to r${journal.position}.`
    throw new Refusal(stage ? 'unknown-moment' : 'forgotten-moment', { id, known })
  }
  const isLater = (call: AnyCall, than: number) => isCall(call) && (numberOf(call.request ?? '') ?? 0) > than
  const at = stage.calls.findIndex((call) => isLater(call, number - 1))
  if (at < 0) return stage
  const isIts = !isLater(stage.calls[at] as AnyCall, number)
  return { ...stage, calls: stage.calls.slice(0, isIts ? at + 1 : at) }
}

const stepsInTurn = 20
const movesClock = new Set(['setClock', 'restoreSnapshot'])

/** The steps that restart a scenario in the middle, as its start does at the beginning. */
function startAgain(origin: Origin, context: ControlContext): ScenarioStep[] {
  const { profile, assume, ...body } = startOf(origin, context)
  const choices = Object.fromEntries(context.ledger().map(({ id }) => [id, profile as string]))
  return [
    { control: { operation: 'resetSandbox', query: { keep_journal: true }, body }, note: 'The state was put in here.' },
    { assume: { ...choices, ...assume } }
  ]
}

function startOf({ recipe, now, choices, chance }: Origin, { ledger }: ControlContext): NonNullable<Scenario['start']> {
  const changed = ledger().filter((entry) => choices[entry.id] !== entry.default)
  const moment = timestamp(now)
  const start = recipe
    ? { fixtures: recipe.fixtures, seed: recipe.seed, scale: recipe.scale, now: moment }
    : { fixtures: 'empty', seed: chance.seed, now: moment, counts: chance.counts }
  return {
    ...start,
    ...(recipe && recipe.dated !== now && { dated: timestamp(recipe.dated) }),
    profile: 'documented',
    assume: Object.fromEntries(changed.map(({ id }) => [id, choices[id] as string]))
  }
}

/** The steps from the start to the origin, for what a start cannot express. */
function* stepsTo({ recipe, fixtures, rows, ids, now, choices, overrides }: Origin, context: ControlContext) {
  const steps: ScenarioStep[] = []
  if (!recipe) {
    const sandbox = { fixtures, rows, ids, choices, clock: new Clock({ now, speed: 0 }) }
    const at = { ...context, contract: context.contract, sandbox, hidesSecrets: true } as ControlContext
    const body = yield* readState({ query: {} }, at)
    steps.push({ control: { operation: 'replaceState', body }, note: 'The state that what follows begins with.' })
  }
  if (overrides.length > 0)
    steps.push({
      control: { operation: 'replaceOverrides', body: { overrides: withoutSecrets(context.contract, overrides) } }
    })
  return steps
}

function descriptionOf(name: string, now: number, { cut, forgotten, unread, overlapped }: Gaps): string {
  return [
    `What happened in the sandbox ${name} until ${timestamp(now)}.`,
    cut > 0 && `It is cut: the first ${cut} changes are left out, and it begins with the state after them.`,
    forgotten > 0 && `Of the requests that changed nothing, ${forgotten} are left out.`,
    unread > 0 && `Left out are ${unread} requests that were not read to their end, or left before their answer.`,
    overlapped > 0 && `${overlapped} requests waited while others were answered: overrides may fall on others of them.`
  ]
    .filter((sentence) => sentence !== false)
    .join(' ')
}

/** A call of the control API as a step of a scenario, without secrets. */
function controlStep({ control, path, query, body: given }: RecordedControlCall, contract: Contract): ScenarioStep {
  const body = shown(contract, path.collection, given) as never
  const { trait, count } = query
  switch (control) {
    case 'addRow': {
      const { collection } = path as { collection: string }
      const part = Object.keys(body).length > 0 && { part: body }
      return {
        create: {
          collection,
          ...part,
          ...(trait !== undefined && { trait }),
          ...(count !== undefined && { count })
        } as never
      }
    }
    case 'setClock':
      return { clock: body }
    case 'addOverride':
      return { override: body }
    case 'setWeather':
      return { weather: body }
    case 'changeAssumptions':
      return { assume: body }
    case 'moveRow':
      return { lifecycle: { ...(path as { collection: string; id: string }), ...(body as { to: string }) } }
    case 'takeSnapshot':
      if (given === undefined) return { snapshot: { name: path.name as string } }
  }
  const parts = Object.entries({ path, query }).filter(([, part]) => Object.keys(part).length > 0)
  return { control: { operation: control, ...Object.fromEntries(parts), ...(given !== undefined && { body }) } }
}

/** A body without secrets: that of a row, or an override's, whose answers and conditions may have any. */
function shown(contract: Contract, collection: unknown, body: unknown): unknown {
  const row = contract.collections.get(String(collection))
  if (!row || !isObject(body as Json)) return withoutSecrets(contract, body ?? {})
  return createRowRedaction(contract.documents, row as CollectionRow)(body as JsonObject)
}
