import { randomUUID } from 'node:crypto'
import type { LedgerEntry } from '../../engine/contract/ledger.js'
import { once } from '../../engine/contract/once.js'
import type { Fallback } from '../../engine/serve/fallback.js'
import { failed } from '../../engine/serve/problem.js'
import type { Forward } from '../../engine/serve/relay.js'
import { readBase } from './base.js'

/**
 * A service that answers paths that the mock does not have. Its client is loaded with the first request, because most mocks
 * have no such service. Throws an Error if the address is invalid.
 */
export function createFallback(url: string, ledger: LedgerEntry[]): Fallback {
  readBase(url)
  const options = { url, timeout: 30_000, mocked: new Set<string>(), strict: false }
  let instance: Forward | undefined
  const make = once(async () => {
    instance = (await import('./forward.js')).createForward(options, ledger)
    return instance
  })
  const forward: Forward = {
    takes: () => true,
    ask: async (exchange) => (await make()).ask(exchange),
    failed: (exchange, error) => (instance?.failed ?? failed)(exchange, error),
    close: () => instance?.close()
  }
  return { forward, name: `kcm-${randomUUID()}` }
}
