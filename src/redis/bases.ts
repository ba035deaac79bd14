import { createHash } from 'node:crypto'
import { baseItems, type LogItem, type RowsByCollection } from '../engine/keep/log-items.js'
import type { Base } from '../engine/sandbox/bases.js'
import { type Collections, createStore, type Store } from '../engine/store/rows.js'
import type { Engine } from './engine/engine.js'

/** The number of unused bases that stay in memory. */
const most = 8

/** A day: a base outlives the sandboxes that begin with it, because these report their use far more often. */
const longer = 86_400_000

/** The rows that sandboxes share, in the engine by their digest: processes only need to agree on their contents. */
export class EngineBases {
  private readonly digests = new WeakMap<Store, { digest: string; kept: Promise<unknown> }>()
  private readonly byDigest = new Map<string, WeakRef<Store>>()
  /** Digests by the keys of bases. */
  private readonly byKey = new Map<string, string>()
  private readonly latest: Base[] = []

  constructor(
    private readonly engine: Engine,
    private readonly collections: Collections,
    /** Milliseconds that a sandbox is kept without use. 0: forever. */
    private readonly idle: number
  ) {}

  /** The digest of a base, and when it is in the engine. */
  keep(base: Base): { digest: string; kept: Promise<unknown> } {
    const known = this.digests.get(base.rows)
    if (known) return known
    const text = JSON.stringify([...baseItems(base)].map((item) => ('put' in item ? item.put : {})))
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 32)
    const kept = this.engine.ask('SET', this.keyOf(digest), text, 'NX')
    kept.then(
      () => void this.touch(digest),
      // The next change that needs it tries again.
      () => this.digests.delete(base.rows)
    )
    this.remember(base, digest, kept)
    return { digest, kept }
  }

  /** The engine may have lost them. */
  keepAgain(): void {
    for (const base of [...this.latest]) {
      this.digests.delete(base.rows)
      this.keep(base).kept.catch(() => {})
    }
  }

  /** The base with this digest. Rejects if the engine no longer has it. */
  async load(digest: string): Promise<Base> {
    const known = this.byDigest.get(digest)?.deref()
    if (known) return { key: digest, rows: known }
    const text = (await this.engine.ask('GET', this.keyOf(digest))) as string | null
    if (text === null) throw new Error(`there is no base ${digest}`)
    const puts = JSON.parse(text) as Extract<LogItem, { op: 'base' }>['put'][]
    const all: RowsByCollection = {}
    for (const put of puts) for (const [name, rows] of Object.entries(put)) all[name] = [...(all[name] ?? []), ...rows]
    const base = { key: digest, rows: createStore(this.collections, all) }
    this.remember(base, digest, Promise.resolve())
    return base
  }

  /** Keeps it for as long as a sandbox may need it. */
  async touch(digest: string): Promise<void> {
    if (this.idle > 0)
      await this.engine.ask('PEXPIRE', this.keyOf(digest), String(2 * this.idle + longer)).catch(() => {})
  }

  /** The digest of a base, by its key here. A base that was read has its digest as the key. */
  digestOfKey(key: string): string {
    return this.byKey.get(key) ?? key
  }

  private remember(base: Base, digest: string, kept: Promise<unknown>): void {
    this.digests.set(base.rows, { digest, kept })
    this.byDigest.set(digest, new WeakRef(base.rows))
    this.byKey.set(base.key, digest)
    if (!this.latest.some(({ rows }) => rows === base.rows)) this.latest.push(base)
    if (this.latest.length > most) this.latest.shift()
  }

  private keyOf(digest: string): string {
    return this.engine.key('base', digest)
  }
}
