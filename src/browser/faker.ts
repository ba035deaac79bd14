import { names } from 'faker-names'

interface Options {
  randomizer?: { next: () => number }
}

/** All of faker in English. */
export interface Faker {
  // biome-ignore lint/suspicious/noExplicitAny: a class of another package
  constructor: any
  rawDefinitions: object
}

let whole: Faker | undefined

/** Takes all of faker from now on. */
export function takeFaker(faker: Faker): void {
  whole = faker
}

/** Of faker what the fixtures take: names of people, drawn as faker draws them. The rest of it is most of its size. */
class Names {
  readonly rawDefinitions = {}
  private readonly next: () => number

  constructor(options: Options) {
    this.next = options.randomizer?.next ?? Math.random
    // biome-ignore lint/correctness/noConstructorReturn: it stands in for the class itself
    if (whole) return new whole.constructor({ ...options, locale: whole.rawDefinitions }) as Names
  }

  readonly person = {
    firstName: (): string => {
      const { female, male, generic } = names.first
      const own = this.pick([female, male])
      const [ownWeight, weight] = [3 * Math.sqrt(own.length), Math.sqrt(generic.length)]
      return this.pick(this.next() * (ownWeight + weight) < ownWeight ? own : generic)
    },

    lastName: (): string => {
      // For women and men there are the same.
      this.next()
      const isSingle = this.next() * 100 < 95
      const name = this.pick(names.last)
      return isSingle ? name : `${name}-${this.pick(names.last)}`
    }
  }

  setDefaultRefDate(): void {}

  private pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)] as T
  }
}

export const faker = new Names({})
