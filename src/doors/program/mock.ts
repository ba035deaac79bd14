import type { Express } from 'express'
import { createFallback } from '../../checks/proxy/fallback.js'
import { lazily } from '../../contract/lazy.js'
import type { LedgerEntry } from '../../contract/ledger.js'
import { once } from '../../contract/once.js'
import type { Forward } from '../../serve/relay.js'
import { createHandler } from '../listener/handle.js'
import { createAgents } from '../mcp/agents.js'
import type { MockOptions } from '../options/mock-table.js'
import { createCore } from './core.js'
import type { OpenMock } from './open-mock.js'
import type { Surroundings } from './surroundings.js'

export type { App, Mock, OpenMock } from './open-mock.js'

interface NodeSurroundings extends Omit<Surroundings, 'services'> {
  /** A real service that answers instead of the rules. */
  upstream?: ((ledger: LedgerEntry[]) => Forward) | undefined
}

/** Creates a mock without a listener. Throws an Error that names the good values if an option is wrong. */
export function createMock(given: MockOptions = {}, { upstream, ...around }: NodeSurroundings = {}): OpenMock {
  const core = createCore(given, {
    ...around,
    services: {
      fallback: createFallback,
      upstream,
      // Its checks are loaded on first use.
      verify: async (options) => (await import('./handle/verify.js')).verified(options),
      agents: createAgents
    }
  })
  const listener = createHandler(core.serve, core.report)
  const app = once(() => express().disable('x-powered-by').use(listener))
  return Object.defineProperties(core, { listener: { value: listener }, app: { get: app } }) as OpenMock
}

/** Loading Express takes longer than starting the mock, so it is loaded on first use. */
function express(): Express {
  return (lazily('express') as typeof import('express'))()
}
