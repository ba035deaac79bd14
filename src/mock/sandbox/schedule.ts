/** The times of full resets. There is no timer: each request asks whether one is due. */
export class Schedule {
  /** Milliseconds since 1970. */
  next: number

  /** `every`: milliseconds. `since`: when the first interval began. */
  constructor(
    private readonly every: number,
    private readonly realTime: () => number,
    since = realTime()
  ) {
    this.next = since + every
    // What was due before was done by another.
    this.isDue()
  }

  /** Whether a reset is due. Afterwards the next one is due at the end of a whole interval. */
  isDue(): boolean {
    const late = this.realTime() - this.next
    if (late < 0) return false
    this.next += (Math.floor(late / this.every) + 1) * this.every
    return true
  }
}
