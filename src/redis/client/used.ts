import type { Engine } from './engine.js'
import { type Eras, eraOf } from './eras.js'

const atOnce = 500

/** The names of all sandboxes in the engine with their last use, by the engine's time. The list is for people and not exact. */
export class LastUses {
  private readonly key: string

  constructor(
    private readonly engine: Engine,
    private readonly time: () => number
  ) {
    this.key = engine.key('used')
  }

  async note(entries: readonly { name: string; usedAt: number }[]): Promise<void> {
    for (let at = 0; at < entries.length; at += atOnce) {
      const pairs = entries.slice(at, at + atOnce).flatMap(({ name, usedAt }) => [String(Math.round(usedAt)), name])
      await this.engine.ask('ZADD', this.key, ...pairs).catch(() => {})
    }
  }

  async forget(...names: string[]): Promise<void> {
    if (names.length > 0) await this.engine.ask('ZREM', this.key, ...names).catch(() => {})
  }

  /** How many there are, and the most recently used. */
  async latest(most: number): Promise<{ total: number; latest: { name: string; usedAt: number }[] }> {
    const { idle } = this.engine.options
    if (idle > 0) {
      const since = String(Math.round(this.time() - idle - 120_000))
      await this.engine.ask('ZREMRANGEBYSCORE', this.key, '-inf', since)
    }
    const total = (await this.engine.ask('ZCARD', this.key)) as number
    const last = String(Math.max(0, most - 1))
    const pairs = (await this.engine.ask('ZREVRANGE', this.key, '0', last, 'WITHSCORES')) as string[]
    const latest = pairs.flatMap((name, at) => (at % 2 === 0 ? [{ name, usedAt: Number(pairs[at + 1]) }] : []))
    return { total, latest }
  }

  /** Deletes what earlier eras have left in the engine. Returns the number of sandboxes. */
  async sweep(eras: Eras): Promise<number> {
    let removed = 0
    const before = String(Math.max(eras.all, eras.others))
    const names = (await this.engine.ask('ZRANGEBYSCORE', this.key, '-inf', before)) as string[]
    for (let at = 0; at < names.length; at += atOnce) {
      const some = names.slice(at, at + atOnce)
      const counts = await Promise.all(
        some.map((name) => this.engine.run('sweep', this.engine.logOf(name), eraOf(eras, name)) as Promise<number>)
      )
      // -1: it belongs to the era, or there is none of its name.
      await this.forget(...some.filter((_, index) => (counts[index] as number) >= 0))
      removed += counts.reduce((sum, it) => sum + Math.max(0, it), 0)
    }
    return removed
  }
}
