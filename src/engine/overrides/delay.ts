import type { Delay } from '../contract/types.gen.js'

/** The longest delay: one hour in milliseconds. */
export const longestDelay = 3_600_000

/** The fields of each kind of delay, the optional ones last. */
export const delayFields = {
  fixed: { needed: ['milliseconds'], optional: [] },
  uniform: { needed: ['lower', 'upper'], optional: [] },
  lognormal: { needed: ['median', 'sigma'], optional: ['maxValue'] }
} as const satisfies Record<Delay['type'], { needed: (keyof Delay)[]; optional: (keyof Delay)[] }>

/** The milliseconds that an answer waits. `random` returns numbers from 0 up to 1. The required fields are present. */
export function drawDelay(delay: Delay, random: () => number): number {
  const { milliseconds = 0, lower = 0, upper = 0, median = 0, sigma = 0, maxValue = longestDelay } = delay
  switch (delay.type) {
    case 'fixed':
      return milliseconds
    case 'uniform':
      return lower + (upper - lower) * random()
    case 'lognormal': {
      // A number from the standard normal distribution (Box and Muller).
      const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
      return Math.min(median * Math.exp(sigma * normal), maxValue, longestDelay)
    }
  }
}
