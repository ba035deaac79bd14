import type { Faker } from '@faker-js/faker'
import { packed } from '../lazy.js'

/** A generator of its own, because programs seed the package's one. `random` draws numbers from 0 to below 1. */
export function createFaker(now: string, random?: () => number): Faker {
  const { faker } = packed('faker') as { faker: Faker }
  // The entry of one locale loads in a fifth of the time, but exposes its class and data only through an instance.
  const Generator = faker.constructor as typeof Faker
  const made = new Generator({
    locale: faker.rawDefinitions,
    ...(random && { randomizer: { next: random, seed() {} } })
  })
  made.setDefaultRefDate(now)
  return made
}
