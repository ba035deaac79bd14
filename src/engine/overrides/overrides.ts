import { isDeepStrictEqual } from 'node:util'
import type { NewOverride, OverrideTurn, WeatherProfile } from '../contract/types.gen.js'

/** An override in force: what a client sent, and its number of uses. It is never changed, only replaced. */
export interface Override extends NewOverride {
  id: string
  used: number
  /** It is turned off and answers no request. */
  off?: boolean
  /** Whether the sandbox started with it. */
  start?: boolean
  weather?: WeatherProfile
}

/** The answer for the next matching request: the current turn of the sequence. The last turn repeats. */
export function turnOf(override: Override): OverrideTurn {
  const { sequence, used } = override
  const turn = sequence?.[Math.min(used, sequence.length - 1)]
  if (!turn) return override
  const { status = 200, headers, body, example, chunks, delay, fault, first, every, cutAfter } = turn
  const isUsual = status < 300 && [body, example, chunks, fault].every((it) => it === undefined)
  return isUsual ? { ...(headers && { headers }), ...(delay && { delay }), first, every, cutAfter } : turn
}

/** The changes between two moments of a sandbox's overrides. */
export interface OverridesChange {
  /** The number of overrides that were ever added. */
  made: number
  put: Override[]
  remove: string[]
}

/** An override as it was given, without its later state. */
function asGiven({ id: _, used: __, remaining: ___, off: ____, start: _____, ...override }: NewOverride): NewOverride {
  return override
}

/** The overrides of one sandbox, the newest first. */
export class Overrides {
  constructor(
    /** Every change creates a new list. */
    public list: readonly Override[] = [],
    public made = 0
  ) {}

  /** The initial overrides of a sandbox. The first is tried first. */
  static of(list: readonly NewOverride[] = []): Overrides {
    const overrides = new Overrides()
    if (list.length > 0) overrides.startWith(list)
    return overrides
  }

  /** An override that was read before keeps its id, if that is free, and its count. */
  add({ id, used = 0, remaining: _, off, start, weather, ...override }: NewOverride, isOfStart = false): Override {
    const isKept = id !== undefined && !this.find(id)
    this.made = isKept ? Math.max(this.made, Number(id.slice(1))) : this.made + 1
    const marks = { ...((start || isOfStart) && { start: true }), ...(weather && { weather }), ...(off && { off }) }
    const added = { id: isKept ? id : `o${this.made}`, ...override, used, ...marks }
    this.list = [added, ...this.list]
    return added
  }

  /** Replaces all overrides. The first is tried first. */
  replaceAll(list: readonly NewOverride[]): void {
    this.list = []
    for (const override of [...list].reverse()) this.add(override)
  }

  /** Replaces the initial overrides if they changed. Used-up ones then return. */
  startWith(list: readonly NewOverride[]): void {
    const now = this.list.filter(({ start }) => start)
    if (isDeepStrictEqual(now.map(asGiven), list.map(asGiven))) return
    this.list = this.list.filter(({ start }) => !start)
    for (const override of [...list].reverse()) this.add(override, true)
  }

  /** Replaces the overrides of the previous weather. */
  setWeather(weather: WeatherProfile, list: readonly NewOverride[]): void {
    this.list = this.list.filter((override) => override.weather === undefined)
    for (const override of [...list].reverse()) {
      const added = this.add(override)
      this.list = [{ ...added, weather }, ...this.list.slice(1)]
    }
  }

  /** In the order in which they are tried: overrides for chosen requests come before the weather. */
  get tried(): readonly Override[] {
    if (!this.list.some(({ weather }) => weather !== undefined)) return this.list
    return [...this.list].sort((a, b) => Number(a.weather !== undefined) - Number(b.weather !== undefined))
  }

  find(id: string): Override | undefined {
    return this.list.find((override) => override.id === id)
  }

  turn({ off: _, ...override }: Override, off: boolean): Override {
    return this.put(off ? { ...override, off } : override)
  }

  remove(id: string): boolean {
    const before = this.list.length
    this.list = this.list.filter((override) => override.id !== id)
    return this.list.length < before
  }

  removeAll(): number {
    const { length } = this.list
    this.list = []
    return length
  }

  use({ id, used }: Override): void {
    this.count(id, used + 1)
  }

  /** Sets the number of uses. A used-up override is removed. */
  count(id: string, used: number): void {
    const override = this.find(id)
    if (!override || override.used >= used) return
    if (override.times !== undefined && used >= override.times) this.remove(id)
    else this.put({ ...override, used })
  }

  giveBack(override: Override): void {
    const now = this.find(override.id)
    if (now) this.put({ ...now, used: now.used - 1 })
    else if (override.used + 1 === override.times) this.put(override)
  }

  /** The changes since this list. Undefined if there are none. */
  change(from: readonly Override[]): OverridesChange | undefined {
    if (from === this.list || (from.length === 0 && this.made === 0)) return undefined
    const previous = new Set(from)
    const remove = from.filter(({ id }) => !this.find(id)).map(({ id }) => id)
    return { made: this.made, put: this.list.filter((override) => !previous.has(override)), remove }
  }

  follow({ made, put, remove }: OverridesChange): void {
    this.made = made
    for (const id of remove) this.remove(id)
    for (const override of put) this.put(override)
  }

  /** Returns a function that undoes all later changes. */
  remember(): () => void {
    const { list, made } = this
    return () => void Object.assign(this, { list, made })
  }

  fork(): Overrides {
    return new Overrides(this.list, this.made)
  }

  /** Replaces the override with the same id, or adds it. */
  private put(override: Override): Override {
    const others = this.list.filter(({ id }) => id !== override.id)
    const at = others.findIndex(({ id }) => numberOf(id) < numberOf(override.id))
    const before = at < 0 ? others : others.slice(0, at)
    this.list = [...before, override, ...others.slice(before.length)]
    return override
  }
}

/** The number in an id: 12 of o12. */
function numberOf(id: string): number {
  return Number(id.slice(1))
}
