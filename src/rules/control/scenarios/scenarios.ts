import { Refusal } from '../../../contract/refusal.js'
import type { Scenario } from '../../../contract/types.gen.js'
import type { ControlContext, ControlRules } from '../rule.js'

export const scenarioRules: ControlRules<'listScenarios' | 'getScenario'> = {
  listScenarios: (_, { scenarios }) => ({
    scenarios: [...scenarios()].map(([name, { description = '' }]) => ({ name, description }))
  }),

  getScenario: ({ path: { name } }, { scenarios }) => scenarioNamed(scenarios(), name)
}

/** Throws a Refusal that lists the known scenarios. */
export function scenarioNamed(scenarios: ReturnType<ControlContext['scenarios']>, name: string): Scenario {
  const scenario = scenarios.get(name)
  if (!scenario) throw new Refusal('unknown-name', { name, known: [...scenarios.keys()].join(', ') || 'none' })
  return scenario
}
