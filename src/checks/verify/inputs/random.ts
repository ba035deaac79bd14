/** Pseudo-random numbers from a seed (mulberry32). */
export class Random {
  private readonly turns = new Map<string, number>()

  constructor(private state: number) {}

  /** A whole number from 0 and below `below`. */
  next(below: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }

  pick<T>(items: readonly T[]): T {
    return items[this.next(items.length)] as T
  }

  /** The items in turn, from a random start, so that every item is used. */
  turn<T>(items: readonly T[]): T {
    const key = JSON.stringify(items)
    const turn = this.turns.get(key) ?? this.next(items.length)
    this.turns.set(key, (turn + 1) % items.length)
    return items[turn] as T
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.next(times) === 0
  }
}
