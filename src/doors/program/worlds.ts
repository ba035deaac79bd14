import { Sandbox, type Start } from '../../mock/sandbox/sandbox.js'
import type { Sandboxes } from '../../mock/sandbox/sandboxes.js'
import { UploadBudget } from '../../serve/body/upload-budget.js'
import type { Worlds } from '../../serve/exchange.js'
import type { SettledMock } from '../options/table.js'

/** What requests need of the options and the sandboxes. */
export function worldsOf(
  options: SettledMock,
  sandboxes: Sandboxes
): Omit<Worlds, 'callerOf' | 'tellsTokens' | 'waits' | 'contract'> {
  return {
    tokenCookie: options.tokenCookie,
    jsonValues: options.maxJsonValues,
    maxDelay: options.maxDelay,
    uploads: new UploadBudget(options.maxUploadBytes),
    sandboxBytes: sandboxes.limits.bytes,
    findSandbox: (name) => sandboxes.find(name),
    // Visitors of a public mock never see an error about a dropped sandbox.
    useSandbox: (name) => (options.public ? sandboxes.takeIn(name) : sandboxes.use(name)),
    lookAtSandbox: (name) => sandboxes.look(name)
  }
}

/**
 * Requests that belong to no sandbox are answered as if in the default one. If that lives in another process, a copy that nobody
 * else sees stands for it.
 */
export function orNobody(
  sandboxes: Sandboxes,
  owns: (name: string) => boolean,
  startOf: () => Start
): Worlds['findSandbox'] {
  let nobody: Sandbox | undefined
  return (name) => {
    const found = sandboxes.find(name)
    if (found || name !== 'default' || owns(name)) return found
    nobody ??= Sandbox.start('default', startOf(), sandboxes.limits.journal)
    return nobody
  }
}
