import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LedgerEntry } from '../../engine/contract/ledger.js'
import { once } from '../../engine/contract/once.js'
import { isControlPath, readTarget } from '../../engine/serve/message/caller.js'
import type { Forward } from '../../engine/serve/relay.js'
import { createFallback } from '../../tools/proxy/fallback.js'
import { createHandler, isTooLate } from '../listener/node-request.js'
import { createAgents } from '../mcp/agents.js'
import type { MockOptions } from '../options/mock-table.js'
import { createApp } from './app.js'
import { createCore } from './core.js'
import type { Host } from './host.js'
import type { OpenMock } from './open-mock.js'

export type { App, Mock, OpenMock } from './open-mock.js'

interface NodeHost extends Omit<Host, 'services'> {
  /** A real service that answers instead of the rules. */
  upstream?: ((ledger: LedgerEntry[]) => Forward) | undefined
}

/** Creates a mock without a listener. Throws an Error that names the valid values if an option is wrong. */
export function createMock(input: MockOptions = {}, { upstream, ...around }: NodeHost = {}): OpenMock {
  const core = createCore(input, {
    ...around,
    services: {
      fallback: createFallback,
      upstream,
      // Its checks are loaded on first use.
      verify: async (options) => (await import('./handle/verify.js')).verified(options),
      agents: createAgents
    }
  })
  const handle = createHandler(core.serve, core.report)
  const service = upstream ? 'upstream' : input.fallback === undefined ? undefined : 'fallback'
  const factory = once(() => createApp({ core, handle, service }))
  const app = () => factory()()
  // Express costs four times as much as everything else.
  const isDirect = ({ method = '', url = '', headers }: IncomingMessage) => {
    const { path } = readTarget({ target: url, headers })
    if (isControlPath(path)) return input.control !== 'off'
    const { contractOf, choices } = core.edition
    return contractOf(choices).match(method, path).kind === 'operation'
  }
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    if (!isDirect(request)) app()(request, response)
    else if (!isTooLate(request)) handle(request, response)
  }
  return Object.defineProperties(core, { listener: { value: listener }, app: { get: app } }) as OpenMock
}
