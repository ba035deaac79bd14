/** When all is to start anew, and whether that time has come. There is no timer: a request that comes later asks. */
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

  /** Whether it is due; from then on it is due again after the next whole interval. */
  isDue(): boolean {
    const late = this.realTime() - this.next
    if (late < 0) return false
    this.next += (Math.floor(late / this.every) + 1) * this.every
    return true
  }
}
