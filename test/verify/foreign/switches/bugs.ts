import type { Switches } from './switch.js'

/** What the description forbids. */
export const bugs = {} as const satisfies Switches

export type Bug = keyof typeof bugs
