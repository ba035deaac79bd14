/**
 * The time of one sandbox: it starts at a moment and runs at a speed, 1 being real time and 0 standing still.
 * Lifecycles are functions of `now`, so moving the clock moves them, exactly and without timers.
 */
export class Clock {
  private real: number
  private written = { moment: Number.NaN, text: '' }

  constructor(
    private virtual: number,
    private rate: number,
    private readonly realTime: () => number = Date.now
  ) {
    this.real = realTime()
  }

  /** Whole milliseconds since 1970. */
  get now(): number {
    if (this.rate === 0) return this.virtual
    return Math.min(latest, Math.floor(this.virtual + (this.realTime() - this.real) * this.rate))
  }

  /** Now, as responses write it. */
  get time(): string {
    const { now } = this
    if (now !== this.written.moment) this.written = { moment: now, text: timestamp(now) }
    return this.written.text
  }

  /** How many seconds of the clock pass in a real one. */
  get speed(): number {
    return this.rate
  }

  /** A change of speed alone keeps the moment. */
  set(change: { now?: number; speed?: number }): void {
    this.virtual = change.now ?? this.now
    this.real = this.realTime()
    this.rate = change.speed ?? this.rate
  }

  fork(): Clock {
    return new Clock(this.now, this.rate, this.realTime)
  }
}

/** The moments that responses can write, with four digits for the year. A clock that comes to the last one stays there. */
export const [earliest, latest] = [Date.parse('0001-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** A moment as every response writes it: ISO 8601, UTC, milliseconds. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
