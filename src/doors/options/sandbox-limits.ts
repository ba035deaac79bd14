import type { SandboxLimits } from '../../engine/sandbox/sandboxes.js'
import type { SettledMock } from './mock-table.js'

/** The limits of sandboxes and journals under the options. */
export function sandboxLimits(options: SettledMock): SandboxLimits {
  return {
    count: options.maxSandboxes,
    idle: options.sandboxIdle * 1000,
    bytes: options.maxSandboxBytes,
    journal: { entries: Math.floor(options.journalEntries), bytes: options.journalBytes }
  }
}
