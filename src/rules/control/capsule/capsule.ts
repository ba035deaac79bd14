import { withoutSecrets } from '../../../contract/message/redaction.js'
import type { Operations, Scenario, ScenarioStep } from '../../../contract/types.gen.js'
import { Clock, timestamp } from '../../../mock/sandbox/clock.js'
import { type Gaps, isCall, type Origin } from '../../../mock/sandbox/deeds.js'
import type { Steps } from '../../../store/steps.js'
import { type ControlContext, type ControlRules, ruleOf } from '../rule.js'
import { readState } from '../state/whole-state.js'
import { callStep } from './calls.js'
import { controlStep } from './controls.js'

export const capsuleRules: ControlRules<'getCapsule'> = { getCapsule: ruleOf<'getCapsule'>(readCapsule) }

/** A scenario that leads from the start of a sandbox to now. What is done meanwhile is not in it. */
export function* readCapsule(
  { query: { uploads = 'digest' } }: Operations['getCapsule']['input'],
  context: ControlContext
): Steps<Scenario> {
  const { sandbox, contract } = context
  const { deeds, clock, journal } = sandbox
  const { origin, gaps, all } = deeds
  const [now, speed] = [clock.now, clock.speed]
  const described = descriptionOf(sandbox.name, now, gaps)
  const steps: ScenarioStep[] = yield* stepsTo(origin, context)
  /** What the clock shows where the steps are done again; undefined: something else. */
  let shown: number | undefined = origin.now
  const telling = { contract, journal, isWhole: uploads === 'whole' }
  for (const [index, deed] of all.entries()) {
    const step = isCall(deed) ? callStep(deed, telling) : controlStep(deed, contract)
    if (index % stepsInTurn === 0) yield
    if (!step) continue
    steps.push(deed.now === shown ? step : { at: timestamp(deed.now), ...step })
    shown = isCall(deed) || !movesClock.has(deed.control) ? deed.now : undefined
  }
  if (speed !== 0 || shown !== now) steps.push({ clock: { now: timestamp(now), speed } })
  return {
    name: `capsule-${sandbox.name}`.slice(0, 64),
    description: described,
    start: startOf(origin, context),
    steps
  }
}

const stepsInTurn = 20
const movesClock = new Set(['setClock', 'restoreSnapshot'])

function startOf({ recipe, now, choices, chance }: Origin, { ledger }: ControlContext): Scenario['start'] {
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

/** The steps from the start to the origin: what no start can say. */
function* stepsTo({ recipe, fixtures, rows, ids, now, choices, overrides }: Origin, context: ControlContext) {
  const steps: ScenarioStep[] = []
  if (!recipe) {
    const sandbox = { fixtures, rows, ids, choices, clock: new Clock({ now, speed: 0 }) }
    const at = { ...context, contract: context.contract, sandbox, hidesSecrets: true } as ControlContext
    const body = yield* readState({ query: {} }, at)
    steps.push({ control: { operation: 'replaceState', body }, note: 'The state that all begins with.' })
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
