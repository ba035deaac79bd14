import type { Override, Overrides } from '../overrides/overrides.js'
import type { Notes, Touches, Write } from '../store/collection.js'
import { notesOf, undoWrites } from '../store/rows.js'
import type { Clock } from './clock.js'
import type { Counters } from './ids.js'
import type { Sandbox } from './sandbox.js'

/** An override that answers a request, as it was before this use. */
export interface OverrideUse {
  overrides: Overrides
  override: Override
}

/** All changes of one request. They are rolled back together if the request fails or they cannot be stored. */
export class Transaction implements Touches {
  readonly reads: (string | number)[] = []
  readonly missed: (string | number)[] = []
  readonly writes: Write[] = []
  private copy: readonly Write[] | undefined
  used: OverrideUse | undefined
  /** Null: not read yet. */
  private counted: ReturnType<Sandbox['ids']['takeCounted']> | null = null
  /** The time on the clock while it ran; undefined: it has not run in a sandbox. */
  moment: number | undefined
  private held: Clock | undefined
  private isRunning = false
  /** The recorder of the sandbox's rows, while the transaction runs. */
  private notes: Notes | undefined
  /** Functions that undo all other changes, in the order of the changes. */
  private undos: (() => void)[] | undefined

  /** `sandbox`: the sandbox of the request, once it has entered one. */
  constructor(public sandbox?: Sandbox) {}

  /** Enters a sandbox in which more than rows may change: clock, choices, overrides, snapshots, or all. */
  enterWhole(sandbox: Sandbox): void {
    this.sandbox = sandbox
    this.also(sandbox.remember())
    if (this.isRunning) this.begin()
  }

  also(undo: () => void): void {
    this.undos ??= []
    this.undos.push(undo)
  }

  /** Runs `work` and records what it reads and writes in the sandbox. If it throws, everything is rolled back. */
  run<T>(work: () => T): T {
    this.isRunning = true
    if (this.sandbox) this.begin()
    try {
      return work()
    } catch (error) {
      this.end()
      this.undo()
      throw error
    } finally {
      this.end()
    }
  }

  /** Runs more work that belongs to it, after it has ended: a rule that waits continues. */
  resume<T>(work: () => T): T {
    if (this.isRunning) return work()
    void this.counters
    const more = new Transaction(this.sandbox)
    const result = more.run(work)
    this.join(more)
    return result
  }

  /** Adds what a later transaction of the same request did. */
  join({ reads, missed, writes, counters, countersBefore, counted }: Transaction): void {
    this.reads.push(...reads)
    this.missed.push(...missed)
    this.writes.push(...writes)
    this.copy = undefined
    const own = this.counted
    if (!counters) return
    this.counted = {
      counters: { ...own?.counters, ...counters },
      before: { ...countersBefore, ...own?.before },
      takeBack() {
        counted?.takeBack()
        own?.takeBack()
      }
    }
  }

  private begin(): void {
    const { rows, ids, clock } = this.sandbox as Sandbox
    ids.before = undefined
    this.held = clock
    this.moment = clock.hold()
    this.notes = notesOf(rows)
    this.notes.touches = this
  }

  private end(): void {
    this.isRunning = false
    this.held?.release()
    this.held = undefined
    if (this.notes) this.notes.touches = undefined
    this.notes = undefined
  }

  /** The writes in a list without spare capacity, unlike one that grew. */
  get written(): readonly Write[] {
    this.copy ??= this.writes.slice()
    return this.copy
  }

  /** The changed id counters. Undefined if none. */
  get counters(): Counters | undefined {
    const ids = this.sandbox?.ids
    if (this.counted === null) this.counted = ids?.before && ids.takeCounted()
    return this.counted?.counters
  }

  /** The earlier values of these counters. */
  get countersBefore(): Counters | undefined {
    return this.counters && this.counted?.before
  }

  /** Undoes all changes, including the use of an override. */
  takeBack(): void {
    this.undo()
    this.used?.overrides.giveBack(this.used.override)
  }

  private undo(): void {
    // The counters must be read before the ids are restored.
    void this.counters
    for (const undo of this.undos?.reverse() ?? []) undo()
    this.undos = undefined
    if (this.sandbox) undoWrites(this.sandbox.rows, this.writes.splice(0))
    this.copy = undefined
    this.counted?.takeBack()
    this.counted = null
  }
}
