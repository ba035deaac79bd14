import type { ForwardOptions } from '../../checks/proxy/forward.js'
import type { Edge } from '../../mock/persistence/edge.js'
import type { ModuleLoader } from '../with/modules.js'

/** What is around a mock that listens. */
export interface Surroundings {
  edge?: Edge
  /** Whether others than this machine can reach it. */
  isExposed?: boolean
  /** Its base address. */
  url?: () => string
  /** Whether it takes more requests. */
  isReady?: () => boolean
  /** Milliseconds since 1970, by which sandboxes are idle and all starts anew. */
  realTime?: () => number
  /** Gives modules of the user's own that were loaded before. */
  load?: ModuleLoader
  /** A real service that answers instead of the rules. */
  upstream?: ForwardOptions | undefined
}
