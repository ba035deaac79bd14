/** Where a clock was: at the real time `real` it showed `now`, and since then it runs at `speed`. In milliseconds. */
export interface Anchor {
  now: number
  /** Seconds of this clock per real second. 0: it is stopped. */
  speed: number
  real: number
}

/** The time of one sandbox. Lifecycles are functions of `now`: moving the clock moves them, without timers. */
export class Clock {
  private going: Anchor
  /** The last moment that was read. */
  private shown = Number.NEGATIVE_INFINITY
  /** The time that it shows while it is held. */
  private held: number | undefined
  private written = { moment: Number.NaN, text: '' }

  /** Without `real` it starts to run now. */
  constructor(
    { now, speed, real }: Omit<Anchor, 'real'> & { real?: number | undefined },
    /** Milliseconds since 1970. */
    private readonly realTime: () => number = Date.now
  ) {
    this.going = { now, speed, real: real ?? realTime() }
  }

  /** Whole milliseconds since 1970. */
  get now(): number {
    return this.held ?? this.at(this.realTime())
  }

  /** What it shows at a real time, unless it is held. */
  private at(time: number): number {
    const { now, speed, real } = this.going
    if (speed === 0) return now
    const moment = Math.min(latest, Math.floor(now + Math.max(0, time - real) * speed))
    // The machine's clock may be set back. This one never goes back.
    if (moment < this.shown) this.goBy({ now: this.shown, speed, real: time })
    else this.shown = moment
    return this.shown
  }

  /** The current time, in the format of responses. */
  get time(): string {
    const { now } = this
    if (now !== this.written.moment) this.written = { moment: now, text: timestamp(now) }
    return this.written.text
  }

  /** The real time, in milliseconds since 1970. */
  get real(): number {
    return this.realTime()
  }

  get speed(): number {
    return this.going.speed
  }

  /** An anchor with the same time, valid in another process too. */
  get anchor(): Readonly<Anchor> {
    // Reading the time makes a new anchor if the machine's clock was set back.
    void this.now
    return this.going
  }

  /**
   * An anchor at this moment. A clock that continues from it never shows an earlier one, even if the machine's clock was set
   * back. A clock that is held keeps running meanwhile.
   */
  get moment(): Readonly<Anchor> {
    const real = this.realTime()
    return { now: this.at(real), speed: this.speed, real }
  }

  /** Changing only the speed keeps the moment. */
  set({ now = this.now, speed = this.speed }: { now?: number; speed?: number }): void {
    this.goBy({ now, speed, real: this.realTime() })
  }

  /** Shows one moment until it is released or set, so that a request sees one time. */
  hold(): number {
    this.held = this.now
    return this.held
  }

  release(): void {
    this.held = undefined
  }

  goBy(anchor: Readonly<Anchor>): void {
    this.going = anchor
    this.shown = anchor.now
    if (this.held !== undefined) this.held = anchor.now
  }

  fork(): Clock {
    return new Clock(this.anchor, this.realTime)
  }

  /** A new clock that starts to run now. */
  from(moment: { now: number; speed: number }): Clock {
    return new Clock(moment, this.realTime)
  }
}

/** The moments that responses can show, with four digits for the year. A clock stays at the last one. */
export const [earliest, latest] = [Date.parse('0001-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** The last formatted moment, cached because many requests share a millisecond. */
let last = { moment: Number.NaN, text: '' }

/** A moment in the format of every response: ISO 8601, UTC, milliseconds. */
export function timestamp(milliseconds: number): string {
  if (milliseconds !== last.moment) last = { moment: milliseconds, text: new Date(milliseconds).toISOString() }
  return last.text
}
