/** Random numbers from one seed (mulberry32). */
export class Random {
  constructor(private state: number) {}

  /** From 0 up to, and not, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let value = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }

  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.int(0, values.length - 1)] as Value
  }

  /** Some of them in any order, maybe twice; at least so many. */
  some<Value>(values: readonly Value[], least: number): Value[] {
    return Array.from({ length: this.int(least, Math.max(least, 3)) }, () => this.pick(values))
  }
}
