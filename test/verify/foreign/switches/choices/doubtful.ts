import type { Switches } from '../switch.js'

/** What the description can be read to forbid, and to allow. No proof rests on it. */
export const doubtful = {
  'not-json-400': { says: 'A body that is no JSON is answered with 400.' },
  'E16-all-ignored': { says: 'All connectors still come in pages.' }
} as const satisfies Switches
