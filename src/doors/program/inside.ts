import { Refusal } from '../../contract/message/refusal.js'
import type { ControlDoor } from '../../serve/control/control.js'
import { createServe, type ServeOptions } from '../../serve/serve.js'
import { createFetch } from '../fetch.js'
import type { Agents } from '../mcp/agents.js'
import { createActs } from './handle/acts.js'
import type { Ask } from './scenarios/drive.js'
import { createScenarios, type Scenarios, type ScenariosParts } from './scenarios/scenarios.js'
import type { Surroundings } from './surroundings.js'

interface InnerDoorParts extends Omit<ScenariosParts, 'ask'> {
  steps: Omit<ServeOptions, 'gate' | 'control'>
  control: Omit<ControlDoor, 'acts' | 'agents' | 'isBound'>
  realTime: () => number
  services: Surroundings['services']
}

/** The part of a mock that sends requests to it: the steps of scenarios, and agents. */
export interface InnerDoors {
  scenarios: Scenarios
  agents: Agents | undefined
  /** For those who are outside. */
  control: ControlDoor
  close(): void
}

/** Requests from inside pass what guards the mock from others. Those of agents stay in their sandbox. */
export function createInside({ steps, control, realTime, services, ...of }: InnerDoorParts): InnerDoors {
  const { worlds, sandboxes } = of
  const contractIn = (sandbox: string) => worlds.contract(worlds.useSandbox(sandbox))

  const open = (isBound: boolean) => {
    const ask: Ask = (target, init) => door.fetch(new URL(target, 'http://mock.invalid'), init)
    const scenarios = createScenarios({ ...of, ask })
    const acts = createActs({ ask, scenarios, contractIn, isExposed: control.isExposed, services })
    const complete: ControlDoor = { ...control, acts, agents: answer, isBound }
    const guarded = { ...complete, token: undefined, isClosed: false }
    const door = createFetch(createServe({ ...steps, gate: undefined, control: guarded }))
    return { ask, scenarios, control: complete, close: () => door.close() }
  }
  const answer: ControlDoor['agents'] = async (exchange) => {
    if (!agents) throw new Refusal('node-needed', { detail: 'This mock has no Node around it, so it takes no agents.' })
    return agents.answer(exchange)
  }
  const free = open(false)
  const bound = open(true)
  const agents = services?.agents({ ask: free.ask, askBound: bound.ask, contractIn, sandboxes, realTime })
  return {
    scenarios: free.scenarios,
    agents,
    control: free.control,
    close() {
      free.close()
      bound.close()
    }
  }
}
