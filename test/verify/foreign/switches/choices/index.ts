import type { Switches } from '../switch.js'

/** Legal ways of doing what the description leaves open. */
export const choices = {} as const satisfies Switches

export type Choice = keyof typeof choices
