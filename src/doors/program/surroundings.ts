import type { ForwardOptions } from '../../checks/proxy/forward.js'
import type { Edge } from '../../mock/persistence/edge.js'
import type { ModuleLoader } from '../with/modules.js'

/** What a listening mock adds. */
export interface Surroundings {
  edge?: Edge
  /** Whether other machines can reach it. */
  isExposed?: boolean
  /** Its base address. */
  url?: () => string
  /** Whether it accepts requests. */
  isReady?: () => boolean
  /** Milliseconds since 1970, for idle sandboxes and automatic resets. */
  realTime?: () => number
  /** Returns the user's modules, which were loaded before. */
  load?: ModuleLoader
  /** A real service that answers instead of the rules. */
  upstream?: ForwardOptions | undefined
}
