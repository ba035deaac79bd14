import type { Choices } from '../contract/load.js'
import type { Override } from '../overrides/overrides.js'
import { forgetAll } from '../sandbox/past.js'
import type { Sandbox, Snapshot } from '../sandbox/sandbox.js'
import { Transaction } from '../sandbox/transaction.js'
import type { Store } from '../store/rows.js'
import { rowsItem, setItem, snapshotItem, stateItem } from './log-items.js'
import type { LogMedium } from './medium.js'
import { type Keeper, type LogChange, StateLog, type StateOptions } from './state-log.js'

/** The folder cannot be used, or its contents cannot be read. */
export class DataError extends Error {}

/**
 * Connects the sandboxes with their keeper. A request is answered once its changes, and the changes that it saw, are kept.
 * Without a keeper they are in memory only.
 */
export class Edge {
  private readonly kept = new WeakMap<Sandbox, KeptState>()
  /** The latest change of each sandbox that is not stored yet. */
  private readonly underWay = new WeakMap<Sandbox, Promise<boolean>>()
  /** The sandboxes in the log. */
  private readonly names: Map<string, Sandbox>

  private constructor(
    private readonly log: Keeper | undefined,
    /** All sandboxes of this process, in the order of their last use. */
    readonly sandboxes = new Map<string, Sandbox>()
  ) {
    this.names = new Map(sandboxes)
    for (const sandbox of sandboxes.values()) {
      forgetAll(sandbox)
      this.note(sandbox)
    }
  }

  static inMemory(): Edge {
    return new Edge(undefined)
  }

  /** Throws a DataError that names the medium or its log, if that is in use or is not a state of the mock. */
  static async keptIn(open: () => Promise<LogMedium>, options: StateOptions): Promise<Edge> {
    let medium: LogMedium | undefined
    try {
      medium = await open()
      const log = new StateLog(options, medium)
      return new Edge(log, await log.read())
    } catch (error) {
      await medium?.close()
      throw new DataError((error as Error).message)
    }
  }

  /** Its sandboxes are read later. */
  static over(log: Keeper): Edge {
    return new Edge(log)
  }

  /** Adds a sandbox that was read from its log. */
  takeUp(sandbox: Sandbox): void {
    this.sandboxes.set(sandbox.name, sandbox)
    sandbox.beginAnew()
    this.note(sandbox)
  }

  /** Whether its log has a sandbox. */
  isKept(sandbox: Sandbox): boolean {
    return this.kept.has(sandbox)
  }

  /** Forgets a sandbox that now lives elsewhere. */
  release(name: string): void {
    this.sandboxes.get(name)?.journal.end('closed')
    this.sandboxes.delete(name)
    this.names.delete(name)
  }

  /** Sets the initial choices of sandboxes. Only choices that differ from them are stored. */
  startWith(choices: () => Choices): void {
    if (this.log) this.log.start = choices
  }

  /**
   * Saves the rows that a request wrote, the ids that it used and the override that answered; for a new sandbox, everything.
   * Resolves once this, and everything that the request saw, would survive a kill. Resolves to false if what it saw was rolled
   * back, so that the request must be answered again. Undefined if there is nothing to wait for. If its own changes cannot be
   * saved, they are rolled back and it rejects with a Refusal.
   */
  keepRows(sandbox: Sandbox, transaction: Transaction): Promise<boolean> | undefined {
    const { log } = this
    // A sandbox may be dropped while a request in it waits for its body.
    if (!log) return undefined
    if (this.sandboxes.get(sandbox.name) !== sandbox) return log.confirm(sandbox, undefined)
    const before = this.kept.get(sandbox)
    const isKnown = before?.rows === sandbox.rows
    const { writes, counters, used } = transaction
    if (isKnown && writes.length === 0 && !counters && !used) {
      return log.confirm(sandbox, this.underWay.get(sandbox))
    }
    const answered = used && { id: used.override.id, used: used.override.used + 1 }
    const told = isKnown
      ? { items: [rowsItem(sandbox, writes, counters, answered)], bases: [] }
      : this.changesOf(log, sandbox, undefined)
    return this.append(log, [sandbox], told, () => {
      transaction.takeBack()
      this.noteAgain(sandbox, before)
    })
  }

  /**
   * Saves everything that changed: the state, clock, choices, overrides and snapshots of the sandbox, and the list of
   * sandboxes. If it cannot be written, all of it is rolled back.
   */
  keepAll(transaction: Transaction): Promise<boolean> | undefined {
    const { log } = this
    if (!log) return undefined
    const { sandbox } = transaction
    if (sandbox && log.isLost(sandbox)) return log.confirm(sandbox, undefined)
    const gone = [...this.names].filter(([name, it]) => this.sandboxes.get(name) !== it)
    const made = [...this.sandboxes.values()].filter((it) => it !== sandbox && !this.kept.has(it))
    const changed = sandbox && this.sandboxes.get(sandbox.name) === sandbox ? [sandbox, ...made] : made
    const before = changed.map((it) => this.kept.get(it))
    const told: LogChange = { items: gone.map(([name]) => ({ op: 'drop', sandbox: name })), bases: [] }
    for (const [name] of gone) this.names.delete(name)
    for (const it of changed) {
      const { items, bases } = this.changesOf(log, it, it === sandbox ? transaction : undefined)
      told.items.push(...items)
      told.bases.push(...bases)
    }
    if (told.items.length === 0) return undefined
    return this.append(log, changed, told, () => {
      transaction.takeBack()
      for (const [at, it] of changed.entries()) this.noteAgain(it, before[at])
      for (const [name, it] of gone) this.names.set(name, it)
    })
  }

  /** Stores that a sandbox was dropped. No caller waits for it: if it fails, `keepAll` tries again. */
  forget(name: string): void {
    const sandbox = this.names.get(name)
    if (!this.log || !sandbox) return
    this.names.delete(name)
    const takeBack = () => void this.names.set(name, sandbox)
    this.log.append({ items: [{ op: 'drop', sandbox: name }], bases: [] }, takeBack).catch(() => {})
  }

  /** Reserves request ids, so that they continue after a restart. No caller waits for it, because some are left. */
  countRequest(sandbox: Sandbox): void {
    const { log } = this
    if (!log || !sandbox.journal.isShort || this.sandboxes.get(sandbox.name) !== sandbox) return
    if (!this.kept.has(sandbox)) void this.keepRows(sandbox, new Transaction(sandbox))?.catch(() => {})
    else {
      const { journal, name } = sandbox
      const before = journal.reserved
      journal.reserve()
      const takeBack = () => {
        journal.reserved = before
      }
      const told: LogChange = { items: [{ op: 'requests', sandbox: name, requests: journal.reserved }], bases: [] }
      log.append(told, takeBack).catch(() => {})
    }
  }

  /** Resolves when what a request saw is stored, with false if some of it was rolled back. Without a sandbox: for all. */
  shown(sandbox?: Sandbox): Promise<boolean> | undefined {
    return this.log?.shown(sandbox, sandbox && this.underWay.get(sandbox))
  }

  async close(): Promise<void> {
    const { log } = this
    const items = [...this.names.values()].flatMap(({ name, journal: { position, reserved } }) =>
      position === reserved ? [] : [{ op: 'requests' as const, sandbox: name, requests: position }]
    )
    if (log && items.length > 0) await log.append({ items, bases: [] }, () => {}).catch(() => {})
    await log?.close()
  }

  private changesOf(log: Keeper, sandbox: Sandbox, transaction: Transaction | undefined): LogChange {
    const told = changesOf(log.start(), sandbox, this.kept.get(sandbox), transaction)
    this.note(sandbox)
    return told
  }

  private note(sandbox: Sandbox): void {
    const { rows, snapshots, overrides, journal } = sandbox
    const { reserved } = journal
    this.kept.set(sandbox, { rows, snapshots: new Map(snapshots), overrides: overrides.all(), reserved })
    this.names.set(sandbox.name, sandbox)
  }

  private noteAgain(sandbox: Sandbox, before: KeptState | undefined): void {
    sandbox.journal.reserved = before?.reserved ?? 0
    if (before) this.kept.set(sandbox, before)
    else {
      this.kept.delete(sandbox)
      this.names.delete(sandbox.name)
    }
  }

  private append(log: Keeper, sandboxes: readonly Sandbox[], told: LogChange, takeBack: () => void): Promise<boolean> {
    const end = () => {
      for (const it of sandboxes) if (this.underWay.get(it) === done) this.underWay.delete(it)
    }
    const done: Promise<boolean> = log.append(told, takeBack).then(
      () => {
        end()
        if (log.isLarge) void log.rewrite?.(this.sandboxes).catch(() => {})
        return true
      },
      (error: Error) => {
        end()
        throw log.refusalOf(error)
      }
    )
    for (const it of sandboxes) this.underWay.set(it, done)
    return done
  }
}

/** The last stored state of a sandbox. */
interface KeptState {
  rows: Store
  snapshots: Map<string, Snapshot>
  overrides: readonly Override[]
  /** See `Journal.reserved`. */
  reserved: number
}

/** What changed in a sandbox since it was last stored. `start`: the choices that are not stored. */
function changesOf(
  start: Choices,
  sandbox: Sandbox,
  before: KeptState | undefined,
  transaction: Transaction | undefined
): LogChange {
  const told: LogChange = { items: [], bases: [] }
  if (before?.rows !== sandbox.rows) {
    sandbox.journal.reserve()
    told.items.push(stateItem(sandbox, start))
    told.bases.push(sandbox.base)
  } else {
    const { writes = [], counters } = transaction ?? {}
    if (writes.length > 0 || counters) told.items.push(rowsItem(sandbox, writes, counters))
    told.items.push(setItem(sandbox, start, before.overrides))
  }
  const { name, snapshots } = sandbox
  for (const [key, snapshot] of snapshots) {
    if (before?.snapshots.get(key) === snapshot) continue
    told.items.push(snapshotItem(name, snapshot))
    told.bases.push(snapshot.base)
  }
  for (const key of before?.snapshots.keys() ?? []) {
    if (!snapshots.has(key)) told.items.push({ op: 'forget', sandbox: name, snapshot: key })
  }
  return told
}
