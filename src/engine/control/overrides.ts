import type { Contract } from '../contract/contract.js'
import { Refusal } from '../contract/message/refusal.js'
import { statusesOf } from '../contract/outcomes.js'
import type {
  NewOverride,
  OverrideCheck,
  OverrideEntry,
  OverrideTurn,
  Weather,
  WeatherProfile
} from '../contract/types.gen.js'
import type { Override } from '../overrides/overrides.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { checkOverride, checkOverrides, mostOverrides } from './checks/check-override.js'
import { contextAt } from './journal/past.js'
import type { ControlRules } from './rule.js'

export const overrideRules: ControlRules<
  | 'listOverrides'
  | 'addOverride'
  | 'checkOverride'
  | 'replaceOverrides'
  | 'deleteOverrides'
  | 'getOverride'
  | 'switchOverride'
  | 'deleteOverride'
> = {
  listOverrides: ({ query: { at } }, context) => ({
    overrides: contextAt(context, at).sandbox.overrides.list.map(shown)
  }),

  addOverride: ({ body }, { sandbox, contract }) => {
    checkOverride(contract, body)
    if (sandbox.overrides.list.length >= mostOverrides)
      throw new Refusal('too-many-overrides', { limit: mostOverrides })
    return shown(sandbox.overrides.add(body))
  },

  checkOverride: ({ body }, { contract }) => {
    checkOverride(contract, body)
    return brokenBy(contract, body)
  },

  replaceOverrides: ({ body }, { sandbox, contract }) => {
    const list = checkOverrides(contract, body)
    sandbox.overrides.replaceAll(list)
    return { overrides: sandbox.overrides.list.map(shown) }
  },

  deleteOverrides: (_, { sandbox }) => ({ removed: sandbox.overrides.removeAll() }),

  getOverride: ({ path: { id } }, { sandbox }) => shown(existing(sandbox, id)),

  switchOverride: ({ path: { id }, body: { off } }, { sandbox }) => {
    return shown(sandbox.overrides.turn(existing(sandbox, id), off))
  },

  deleteOverride: ({ path: { id } }, { sandbox }) => {
    existing(sandbox, id)
    return { removed: Number(sandbox.overrides.remove(id)) }
  }
}

function existing({ overrides }: Sandbox, id: string): Override {
  const override = overrides.find(id)
  if (override) return override
  const list = overrides.list.slice(0, 5)
  throw new Refusal('unknown-name', { name: id, known: list.map((it) => it.id).join(', ') || 'none' })
}

export function shown(override: Override): OverrideEntry {
  const { times, used } = override
  return { ...override, ...(times !== undefined && { remaining: times - used }) }
}

/** Violations in the answers of an override, and parts that the contract does not know. */
function brokenBy(contract: Contract, override: NewOverride): OverrideCheck {
  const operation = contract.operations.get(override.operation ?? '')
  const check: OverrideCheck = { violations: [], notes: [] }
  if (!operation) return check
  for (const [at, { status = 200, body, example }] of (override.sequence ?? [override]).entries()) {
    const place = override.sequence ? `sequence.${at}: ` : ''
    const isGiven = body !== undefined || ('status' in (override.sequence?.[at] ?? override) && example === undefined)
    if (!isGiven) continue
    if (!statusesOf(contract, operation).has(status)) {
      check.notes.push(`${place}${operation.id} documents no status ${status}, so its answer is not checked.`)
    } else if (body !== undefined) {
      const breaches = contract.checkReply(operation, status, body, new Set())
      check.violations.push(...breaches.map((text) => place + text))
    }
  }
  return check
}

const unavailable = { status: 503, body: { detail: 'Service Unavailable' } }

function waiting(milliseconds: number): OverrideTurn {
  return { delay: { type: 'fixed', milliseconds } }
}

/** An answer five times. */
const often = (turn: OverrideTurn): OverrideTurn[] => Array(5).fill(turn)

/** The overrides of each weather, for all operations. The first is tried first. */
const weathers: { readonly [W in WeatherProfile]: readonly Omit<NewOverride, 'operation'>[] } = {
  fair: [],
  flaky: [{ ...unavailable, rate: 0.2 }],
  slow: [{ delay: { type: 'lognormal', median: 800, sigma: 0.4, maxValue: 3000 } }],
  'rate-limited': [{ status: 429, body: { detail: 'Too many requests. Try again later.' }, rate: 0.5 }],
  degrading: [{ sequence: [...often({}), ...often(waiting(300)), ...often(waiting(1000)), unavailable] }]
}

export const weatherRules: ControlRules<'getWeather' | 'setWeather'> = {
  getWeather: (_, { sandbox }) => weatherIn(sandbox),

  setWeather({ body: { profile } }, { sandbox }) {
    sandbox.overrides.setWeather(
      profile,
      weathers[profile].map((it) => ({ operation: '*', ...it }))
    )
    return weatherIn(sandbox)
  }
}

function weatherIn({ overrides }: Sandbox): Weather {
  const list = overrides.list.filter(({ weather }) => weather !== undefined)
  return { profile: list[0]?.weather ?? 'fair', overrides: list.map(shown) }
}
