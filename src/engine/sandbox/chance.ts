import { mix } from './ids.js'

/** Repeatable random numbers: the same seed gives the same sequence. */
export class Chance {
  constructor(
    readonly seed: number,
    public drawn = 0
  ) {}

  /** A number from 0 up to, but not including, 1. */
  next(): number {
    this.drawn += 1
    return mix(mix(this.seed) + Math.imul(this.drawn, 0x9e3779b9)) / 2 ** 32
  }

  /**
   * Bytes that cannot begin valid HTTP, such as a chunk size or a status line. Each request has its chance. They take no
   * number from the sequence, because only some doors send them.
   */
  garbage(request: number): Buffer {
    const chance = new Chance(mix(this.seed) + request)
    const bytes = Buffer.from(Array.from({ length: 64 }, () => Math.floor(chance.next() * 256)))
    bytes[0] = 0x80 | (bytes[0] as number)
    return bytes
  }

  fork(): Chance {
    return new Chance(this.seed, this.drawn)
  }
}
