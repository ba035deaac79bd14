import type { LedgerEntry } from '../../engine/contract/ledger.js'
import type { Operations, Verification } from '../../engine/contract/types.gen.js'
import type { Edge } from '../../engine/keep/edge.js'
import type { Fallback } from '../../engine/serve/fallback.js'
import type { Forward } from '../../engine/serve/relay.js'
import type { JoinedProcesses } from '../../redis/processes/cluster.js'
import type { Cookies } from '../browser/cookies.js'
import type { Agents, AgentsInside } from '../mcp/agents.js'
import type { ModuleLoader } from '../with/modules.js'

export interface Host {
  edge?: Edge
  /** Whether other machines can reach it. */
  isExposed?: boolean
  /** The path that requests of `fetch` begin with, without a trailing slash. */
  mount?: string
  cookies?: Cookies | undefined
  url?: () => string
  /** Why it is not ready. Undefined: it is. */
  problem?: () => string | undefined
  /** Milliseconds since 1970, for idle sandboxes and automatic resets. */
  realTime?: () => number
  /** Whether answers wait for a requested delay. Default: they do. */
  waits?: boolean
  /** Returns the user's modules, which were loaded before. */
  load?: ModuleLoader
  /** The other processes that share the state. Without it there is only this one. */
  joined?: JoinedProcesses
  /** The parts that need Node. */
  services?: {
    fallback: (url: string, ledger: LedgerEntry[]) => Fallback
    /** A service that answers instead of the rules. */
    upstream?: ((ledger: LedgerEntry[]) => Forward) | undefined
    verify: (options: Operations['verifyServer']['input']['body']) => Promise<Verification>
    agents: (inside: AgentsInside) => Agents
  }
}
