/** The times of full resets. There is no timer: each request asks whether one is due. */
export class Schedule {
  /** Milliseconds since 1970. */
  next: number

  /** `every`: milliseconds. */
  constructor(
    private readonly every: number,
    private readonly realTime: () => number
  ) {
    this.next = realTime() + every
  }

  /** Whether a reset is due. Afterwards the next one is due at the end of a whole interval. */
  isDue(): boolean {
    const late = this.realTime() - this.next
    if (late < 0) return false
    this.next += (Math.floor(late / this.every) + 1) * this.every
    return true
  }
}
