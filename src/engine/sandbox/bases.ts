import type { Api, Seeding } from '../api.js'
import { inMap, keepLatest } from '../contract/once.js'
import type { AnyRow } from '../store/collection.js'
import { bytesOf, collectionOf, creatingStore, forkStore, type Store } from '../store/rows.js'
import { atOnce, inTurns, type Steps } from '../store/steps.js'
import { latest, timestamp } from './clock.js'

/** What the rows of a base depend on, besides the moment of their dates. */
export interface Recipe {
  fixtures: string
  seed: number
  scale: number
}

/** A base, with the moment that its dates are relative to. */
export interface DatedBase extends Base {
  moment: number
}

/** Bytes of JSON in a base. Creating more takes long. */
const large = 4 * 1024 ** 2

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** The number of bases in memory. Tests use the same ones again and again. */
const most = 8

type SharedBases = Map<string, WeakRef<DatedBase>>

/** The bases of this process, by the code of the fixtures. A base is shared while a mock uses it. */
const shared = new WeakMap<Seeding, SharedBases>()

function sharedOf(seeding: Seeding): SharedBases {
  const bases = inMap(shared, seeding, (): SharedBases => new Map())
  for (const [key, base] of bases) if (!base.deref()) bases.delete(key)
  return bases
}

/** The rows that sandboxes start from. The most recently used ones are kept. */
export class Bases {
  private readonly byKey = new Map<string, DatedBase>()
  private readonly beingMade = new Map<string, Promise<DatedBase>>()
  /** Large bases that follow the real time, by recipe. */
  private readonly followers = new Map<string, DatedBase>()

  constructor(
    private readonly api: Api,
    private readonly seeding: Seeding,
    /** A digest of the fixtures' code; empty for the code of the build. */
    private readonly code: string[],
    /** The name of the user's own set. */
    private readonly fileSet?: string
  ) {}

  /** The base with dates relative to a moment. */
  at(recipe: Recipe, moment: number): DatedBase {
    return this.take(recipe, moment) ?? atOnce(this.making(recipe, moment))
  }

  /** The same, created in steps so that other requests are served. */
  async prepare(recipe: Recipe, moment: number): Promise<void> {
    if (this.take(recipe, moment)) return
    const key = this.keyOf(recipe, moment)
    const creation =
      this.beingMade.get(key) ?? inTurns(this.making(recipe, moment)).finally(() => this.beingMade.delete(key))
    this.beingMade.set(key, creation)
    await creation
  }

  /**
   * The base for a sandbox that starts at the real time. It is renewed every hour, so that all sandboxes of an hour share it.
   * The user's own sets may have relative times and are renewed every minute. A large base takes long to create, so the old one
   * is used in the meantime: for a day, or for an hour if it is the user's own.
   */
  running(recipe: Recipe, now: number): DatedBase {
    const moment = this.momentOf(recipe, now)
    const old = this.followers.get(seriesOf(recipe))
    if (old && old.moment !== moment && !this.has(recipe, moment)) {
      this.prepare(recipe, moment).catch(() => {})
      return old
    }
    const base = this.at(recipe, moment)
    if (recipe.fixtures === 'large' || bytesOf(base.rows) > large)
      keepLatest(this.followers, seriesOf(recipe), base, most)
    return base
  }

  /** The moment that the dates of such a base are relative to. */
  momentOf(recipe: Recipe, now: number): number {
    const last = this.followers.get(seriesOf(recipe))
    const [step, age] = recipe.fixtures === this.fileSet ? [minute, hour] : [hour, day]
    return last && now - last.moment < age ? last.moment : Math.floor(now / step) * step
  }

  /**
   * A base for sandboxes that start at `now`. Rows in progress, such as a file that is being processed, get the remaining
   * time that the fixtures give. Sandboxes that start in the same second share them.
   */
  startingAt(base: DatedBase, now: number): DatedBase {
    return shiftedTo(this.api, base, base.moment, Math.floor(now / 1000) * 1000)
  }

  private has(recipe: Recipe, moment: number): boolean {
    return this.byKey.has(this.keyOf(recipe, moment))
  }

  private take(recipe: Recipe, moment: number): DatedBase | undefined {
    const key = this.keyOf(recipe, moment)
    const base = this.byKey.get(key) ?? sharedOf(this.seeding).get(key)?.deref()
    if (base) keepLatest(this.byKey, key, base, most)
    return base
  }

  private *making(recipe: Recipe, moment: number): Steps<DatedBase> {
    const { fixtures, seed, scale } = recipe
    const rows = yield* creatingStore(this.api.collections, yield* this.seeding(fixtures, { seed, scale, now: moment }))
    yield
    shifts.set(rows, { from: moment, moving: movingIn(this.api, rows, moment) })
    const base = { key: this.keyOf(recipe, moment), rows, moment }
    keepLatest(this.byKey, base.key, base, most)
    sharedOf(this.seeding).set(base.key, new WeakRef(base))
    return base
  }

  private keyOf(recipe: Recipe, moment: number): string {
    return [seriesOf(recipe), timestamp(moment), ...this.code].join()
  }
}

function seriesOf({ fixtures, seed, scale }: Recipe): string {
  return [fixtures, seed, scale].join()
}

/** Rows of a collection whose lifecycle ends soon, or that link such rows, and the names of their times. */
interface RowsInProgress {
  collection: string
  rows: AnyRow[]
  times: readonly string[]
}

function movingIn({ lifecycles }: Api, store: Store, moment: number): RowsInProgress[] {
  const [from, to] = [timestamp(moment), timestamp(moment + day)]
  return Object.entries(lifecycles).flatMap(([collection, lifecycle]) => {
    const shift = lifecycle?.shifts
    if (!shift) return []
    const rows = [...collectionOf(store, collection).all()].filter((row) => {
      const end = row[shift.end] as string | null
      return end !== null && end > from && end <= to
    })
    const ids = new Set<unknown>(rows.map(({ id }) => id))
    const links = Object.entries(shift.links ?? {}).map(([name, { by, times }]) => ({
      collection: name,
      rows: [...collectionOf(store, name).all()].filter((row) => ids.has(row[by])),
      times
    }))
    return [{ collection, rows, times: shift.times }, ...links]
  })
}

export function firstRows({ rows, moved }: Base): Store {
  return moved?.rows ?? rows
}

/** The rows of a store in progress at a moment, and their latest shift. */
const shifts = new WeakMap<Store, { from: number; moving: RowsInProgress[]; moved?: NonNullable<Base['moved']> }>()

/** A base with every lifecycle that is in progress at one moment moved to another. */
export function shiftedTo<Kind extends Base>(api: Api, base: Kind, from: number, to: number): Kind {
  if (to <= from) return base
  const { rows } = base
  const previous = shifts.get(rows)
  const shift = previous?.from === from ? previous : { from, moving: movingIn(api, rows, from) }
  if (shift.moved?.to !== to) shift.moved = { from, to, rows: shiftedBy(rows, shift.moving, to - from) }
  shifts.set(rows, shift)
  return { ...base, moved: shift.moved }
}

function shiftedBy(store: Store, moving: RowsInProgress[], shift: number): Store {
  const shifted = forkStore(store)
  for (const { collection, rows, times } of moving) {
    collectionOf(shifted, collection).replace(rows.map((row) => later(row, times, shift)))
  }
  return shifted
}

function later(row: AnyRow, times: readonly string[], shift: number): AnyRow {
  const copy = { ...row }
  for (const name of times) {
    const date = copy[name] as string | null
    if (date !== null) copy[name] = timestamp(Math.min(latest, Date.parse(date) + shift))
  }
  return copy
}

/** Rows that many sandboxes share until they write. A sandbox only costs the difference. */
export interface Base {
  /** Identifies the contents: the same key means the same rows. */
  key: string
  rows: Store
  /** The rows, of which those in progress are moved from one moment to another. */
  moved?: { from: number; to: number; rows: Store } | undefined
}
