import type { Contract } from '../../contract/contract.js'
import type { Sandbox } from '../../mock/sandbox/sandbox.js'
import type { Sandboxes } from '../../mock/sandbox/sandboxes.js'
import { userOf } from '../../serve/admit.js'
import { UploadBudget } from '../../serve/body/upload-budget.js'
import type { Worlds } from '../../serve/exchange.js'
import type { CallerOf } from '../../serve/message/caller.js'
import type { Request } from '../../serve/message/message.js'
import { isSecret } from '../../serve/message/secret.js'
import { isControlPath, readTarget } from '../../serve/message/target.js'
import type { SettledMock } from '../options/mock-table.js'

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
  nobody: () => Sandbox
): Worlds['findSandbox'] {
  return (name) => {
    const found = sandboxes.find(name)
    return found || name !== 'default' || owns(name) ? found : nobody()
  }
}

interface MayMake {
  options: Pick<SettledMock, 'control' | 'controlToken' | 'public'>
  callerOf: CallerOf
  /** A sandbox as it begins. */
  start: () => Sandbox
  contract: (sandbox: Sandbox) => Contract
}

/** Whether a request may make its sandbox, where each one costs the engine something. One whose token is refused may not. */
export function mayMakeIn({
  options,
  callerOf,
  start,
  contract
}: MayMake): (request: Request, name: string) => boolean {
  const { control, controlToken: token } = options
  return (request, name) => {
    if (name === 'default') return true
    const { path, search } = readTarget(request)
    const { key } = callerOf(request, path)
    const { headers, method } = request
    const sandbox = start()
    const known = contract(sandbox)
    if (isControlPath(path)) {
      if (control === 'off' || (options.public && token === undefined)) return false
      const match = known.matchControl(method, path)
      if (match.kind !== 'operation') return false
      const given = [headers['x-mock-control-token'], key]
      return match.operation.open || token === undefined || given.some((it) => isSecret(it, token))
    }
    // An answer may be forced, whoever asks.
    if (sandbox.overrides.size > 0 || headers.prefer !== undefined || /(^|&)__/.test(search)) return true
    const match = known.match(method, path)
    if (match.kind !== 'operation' || (match.operation.open && key === undefined)) return true
    return userOf(sandbox.rows, key, (id) => sandbox.choices[id])?.is_active === true
  }
}
