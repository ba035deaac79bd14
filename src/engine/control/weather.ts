import type { NewOverride, OverrideTurn, Weather, WeatherProfile } from '../contract/types.gen.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { shown } from './overrides.js'
import type { ControlRules } from './rule.js'

const unavailable = { status: 503, body: { detail: 'Service Unavailable' } }

function waiting(milliseconds: number): OverrideTurn {
  return { delay: { type: 'fixed', milliseconds } }
}

function times<T>(count: number, it: T): T[] {
  return Array.from({ length: count }, () => it)
}

/** The overrides of each weather, for all operations. The first is tried first. */
const weathers: { readonly [W in WeatherProfile]: readonly Omit<NewOverride, 'operation'>[] } = {
  fair: [],
  flaky: [{ ...unavailable, rate: 0.2 }],
  slow: [{ delay: { type: 'lognormal', median: 800, sigma: 0.4, maxValue: 3000 } }],
  'rate-limited': [{ status: 429, body: { detail: 'Too many requests. Try again later.' }, rate: 0.5 }],
  degrading: [{ sequence: [...times(5, {}), ...times(5, waiting(300)), ...times(5, waiting(1000)), unavailable] }]
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
  const made = overrides.list.filter(({ weather }) => weather !== undefined)
  return { profile: made[0]?.weather ?? 'fair', overrides: made.map(shown) }
}
