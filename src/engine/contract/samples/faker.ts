import type { Faker, Randomizer } from '@faker-js/faker'
import { packed } from '../lazy.js'

/** A separate generator, because programs seed the package's own one. */
export function createFaker(now: string, randomizer?: Randomizer): Faker {
  const { faker } = packed('faker') as { faker: Faker }
  // The entry of one locale loads in a fifth of the time, but exposes its class and data only through an instance.
  const Generator = faker.constructor as typeof Faker
  const made = new Generator({ locale: faker.rawDefinitions, ...(randomizer && { randomizer }) })
  made.setDefaultRefDate(now)
  return made
}
