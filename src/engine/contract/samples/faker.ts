import type { Faker, Randomizer } from '@faker-js/faker'
import { packed } from '../lazy.js'

/** A separate generator, because programs seed the package's own one. */
export function createFaker(now: string, seed?: number): Faker {
  const { faker } = packed('faker') as { faker: Faker }
  // The entry of one locale loads in a fifth of the time, but exposes its class and data only through an instance.
  const Generator = faker.constructor as typeof Faker
  const generator = new Generator({
    locale: faker.rawDefinitions,
    ...(seed !== undefined && { randomizer: new Draws(seed) })
  })
  generator.setDefaultRefDate(now)
  return generator
}

/** The chance of a faker (mulberry32). Rows have seeds of their own, and for each faker's generator takes 624 steps. */
export class Draws implements Randomizer {
  state = 0

  constructor(seed: number) {
    this.seed(seed)
  }

  seed(seed: number | number[]): void {
    const [low, high = low / 2 ** 32] = [seed].flat() as [number, number?]
    this.state = low ^ Math.imul(Math.floor(high), 0x9e3779b1)
  }

  /** The next number from 0 to below 1. */
  readonly next = () => {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
