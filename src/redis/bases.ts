import { createHash } from 'node:crypto'
import { baseItems, storeOf } from '../engine/keep/log-items.js'
import type { Base } from '../engine/sandbox/bases.js'
import type { Collections, Store } from '../engine/store/rows.js'
import type { Engine } from './client/engine.js'

/** The number of unused bases that stay in memory. */
const most = 8

/** A day: a base outlives the sandboxes that begin with it, because these report their use far more often. */
const longer = 86_400_000

interface EngineBase {
  digest: string
  /** Settles when it is in the engine. */
  save: Promise<unknown>
}

/** The rows that sandboxes share, in the engine by their digest: processes only need to agree on their contents. */
export class EngineBases {
  private readonly all = new WeakMap<Store, EngineBase>()
  private readonly byDigest = new Map<string, WeakRef<Store>>()
  private latest: Base[] = []

  constructor(
    private readonly engine: Engine,
    private readonly collections: Collections
  ) {}

  /** Keeps a base in the engine, unless it is there. */
  keep(base: Base): EngineBase {
    const previous = this.all.get(base.rows)
    if (previous) return previous
    const text = JSON.stringify([...baseItems(base)].map(({ put }) => put))
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 32)
    const save = this.engine.ask('SET', this.keyOf(digest), text, 'NX')
    save.then(
      () => void this.touch(base),
      // The next change that needs it tries again.
      () => this.all.delete(base.rows)
    )
    return this.note(base, { digest, save })
  }

  /** The engine may have lost them. */
  keepAgain(): void {
    for (const base of this.latest) {
      this.all.delete(base.rows)
      this.keep(base).save.catch(() => {})
    }
  }

  /** The base with this digest. Rejects if the engine no longer has it. */
  async load(digest: string): Promise<Base> {
    const rows = this.byDigest.get(digest)?.deref()
    if (rows) return { key: digest, rows: rows }
    const text = (await this.engine.ask('GET', this.keyOf(digest))) as string | null
    if (text === null) throw new Error(`there is no base ${digest}`)
    const base = { key: digest, rows: storeOf(this.collections, JSON.parse(text)) }
    this.note(base, { digest, save: Promise.resolve() })
    return base
  }

  /** Keeps it for as long as a sandbox may need it. */
  async touch({ rows }: Base): Promise<void> {
    const { idle } = this.engine.options
    const entry = this.all.get(rows)
    if (!entry || idle === 0) return
    await this.engine.ask('PEXPIRE', this.keyOf(entry.digest), `${2 * idle + longer}`).catch(() => {})
  }

  private note(base: Base, entry: EngineBase): EngineBase {
    this.all.set(base.rows, entry)
    this.byDigest.set(entry.digest, new WeakRef(base.rows))
    if (!this.latest.some(({ rows }) => rows === base.rows)) this.latest = [...this.latest, base].slice(-most)
    return entry
  }

  private keyOf(digest: string): string {
    return this.engine.key('base', digest)
  }
}
