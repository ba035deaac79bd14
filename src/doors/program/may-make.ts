import type { Contract } from '../../engine/contract/contract.js'
import type { Sandbox } from '../../engine/sandbox/sandbox.js'
import { isActive } from '../../engine/sandbox/users.js'
import { counted, userOf } from '../../engine/serve/admit.js'
import type { CallerOf } from '../../engine/serve/message/caller.js'
import { isSecret } from '../../engine/serve/message/caller.js'
import type { Request } from '../../engine/serve/message/message.js'
import { isControlPath, readTarget } from '../../engine/serve/message/target.js'
import type { SettledMock } from '../options/mock-table.js'

/** Whether the control API is closed to all clients. */
export function isControlClosed(options: Pick<SettledMock, 'public' | 'controlToken'>): boolean {
  return options.public && options.controlToken === undefined
}

interface MayMakeParts {
  options: Pick<SettledMock, 'control' | 'controlToken' | 'public'>
  callerOf: CallerOf
  /** A sandbox as it starts. */
  start: () => Sandbox
  contract: (sandbox: Sandbox) => Contract
}

/** Whether a request may create its sandbox, since each one costs the engine memory. One whose token is refused may not. */
export function mayMakeIn({
  options,
  callerOf,
  start,
  contract
}: MayMakeParts): (request: Request, name: string) => boolean {
  const { control, controlToken: token } = options
  return (request, name) => {
    if (name === 'default') return true
    const { path, search } = readTarget(request)
    const { headers, method } = request
    const sandbox = start()
    const { key } = counted(callerOf(request, path), (id) => sandbox.choices[id])
    const known = contract(sandbox)
    if (isControlPath(path)) {
      if (control === 'off' || isControlClosed(options)) return false
      const match = known.matchControl(method, path)
      if (match.kind !== 'operation') return false
      const given = [headers['x-mock-control-token'], key]
      return match.operation.open || token === undefined || given.some((it) => isSecret(it, token))
    }
    // An answer may be forced for any client.
    if (sandbox.overrides.size > 0 || headers.prefer !== undefined || /(^|&)__/.test(search)) return true
    const match = known.match(method, path)
    if (match.kind !== 'operation' || (match.operation.open && key === undefined)) return true
    return isActive(
      known.api,
      userOf(known.api, sandbox.rows, key, (id) => sandbox.choices[id])
    )
  }
}
