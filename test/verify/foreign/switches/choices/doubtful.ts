import type { Switches } from '../switch.js'

/** What the description can be read to forbid, and to allow. No proof rests on it. */
export const doubtful = {
  'E16-all-ignored': { says: 'All connectors still come in pages.' }
} as const satisfies Switches
