import { call, Refused } from '../client.js'
import { useLoad } from '../load.js'
import { momentShown } from '../route.js'

/** Why the moment in the address cannot be shown, in words of the mock. Undefined: it can, or it is now. */
export function useMomentProblem(): string | undefined {
  const at = momentShown()
  const load = async () => (at === undefined ? undefined : call('getClock', { query: { at } }))
  const { error } = useLoad(load, `moment ${at}`)
  return error instanceof Refused ? error.message : undefined
}
