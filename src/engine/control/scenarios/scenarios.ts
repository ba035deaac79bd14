import { Refusal } from '../../contract/message/refusal.js'
import type { Scenario, ScenarioStep } from '../../contract/types.gen.js'
import type { ControlContext, ControlRules } from '../rule.js'

export const scenarioRules: ControlRules<'listScenarios' | 'getScenario'> = {
  listScenarios: (_, { scenarios }) => ({
    scenarios: [...scenarios()].map(([name, scenario]) => ({
      name,
      description: scenario.description ?? '',
      scenes: scenesOf(scenario).length
    }))
  }),

  getScenario: ({ path: { name } }, { scenarios }) => scenarioNamed(scenarios(), name)
}

/** Its snapshots, which are shown one after the other. */
export function scenesOf({ steps }: Scenario): NonNullable<ScenarioStep['snapshot']>[] {
  return steps.flatMap(({ snapshot }) => snapshot ?? [])
}

/** Throws a Refusal that lists the known scenarios. */
export function scenarioNamed(scenarios: ReturnType<ControlContext['scenarios']>, name: string): Scenario {
  const scenario = scenarios.get(name)
  if (!scenario) throw new Refusal('unknown-name', { name, known: [...scenarios.keys()].join(', ') || 'none' })
  return scenario
}
