import type { Choices } from '../contract/load.js'
import type { Override } from '../overrides/overrides.js'
import { forgetAll, type Sandbox, type Snapshot } from '../sandbox/sandbox.js'
import { SandboxMoved } from '../sandbox/sandboxes.js'
import { Transaction } from '../sandbox/transaction.js'
import type { Store } from '../store/rows.js'
import { type NewItem, rowsItem, setItem, snapshotItem, stateItem } from './log-items.js'
import { type LogMedium, StateLog, type StateOptions } from './state-log.js'

/** The folder cannot be used, or its contents cannot be read. */
export class DataError extends Error {}

/** Keeps the changes of sandboxes: one log for all, or one for each. */
export interface Keeper {
  start: () => Choices
  /**
   * Resolves when the changes would survive a kill, all or none. If they cannot be kept, `takeBack` is called, for the latest
   * change first, and it rejects with the error for clients.
   */
  append(items: NewItem[], takeBack: () => void): Promise<void>
  /**
   * Resolves when what a request saw in a sandbox is kept and still so, with false if some of it was rolled back. Undefined:
   * there is nothing to wait for. `underWay`: the sandbox's latest change that is not kept yet. Missing: only that counts.
   */
  confirm?(sandbox: Sandbox, underWay: Promise<boolean> | undefined): Promise<boolean> | undefined
  close(): Promise<void>
}

/**
 * Connects the sandboxes with their keeper. A request is answered once its changes, and the changes that it saw, are kept.
 * Without a keeper they are in memory only.
 */
export class Edge {
  private readonly states = new Map<string, KeptState>()
  /** The latest change of each sandbox that is not stored yet. */
  private readonly underWay = new Map<string, Promise<boolean>>()
  /** Objects that are out of date, because their sandboxes live in another process. */
  private readonly moved = new WeakSet<Sandbox>()

  /** A keeper may read its sandboxes later. */
  constructor(
    private readonly keeper?: Keeper,
    /** All sandboxes of this process, in the order of their last use. */
    readonly sandboxes = new Map<string, Sandbox>()
  ) {
    for (const sandbox of sandboxes.values()) {
      forgetAll(sandbox)
      this.note(sandbox)
    }
  }

  /** Throws a DataError that names the medium or its log, if that is in use or is not a state of the mock. */
  static async keptIn(open: () => Promise<LogMedium>, options: StateOptions): Promise<Edge> {
    let medium: LogMedium | undefined
    try {
      medium = await open()
      const log = new StateLog(options, medium)
      await log.read()
      return new Edge(log, log.sandboxes)
    } catch (error) {
      await medium?.close()
      throw new DataError((error as Error).message)
    }
  }

  /** Adds a sandbox that was read from its log. */
  takeUp(sandbox: Sandbox): void {
    this.sandboxes.set(sandbox.name, sandbox)
    sandbox.beginAnew()
    this.note(sandbox)
  }

  isKept(sandbox: Sandbox): boolean {
    return this.stateOf(sandbox) !== undefined
  }

  /** Forgets a sandbox that now lives elsewhere. */
  release(name: string): void {
    const sandbox = this.sandboxes.get(name)
    if (sandbox) this.moved.add(sandbox)
    sandbox?.journal.end('closed')
    this.sandboxes.delete(name)
    this.states.delete(name)
  }

  /** Sets the initial choices of sandboxes. Only choices that differ from them are stored. */
  startWith(choices: () => Choices): void {
    if (this.keeper) this.keeper.start = choices
  }

  /**
   * Saves the rows that a request wrote, the ids that it used and the override that answered; for a new sandbox, everything.
   * Resolves once this, and everything that the request saw, would survive a kill. Resolves to false if what it saw was rolled
   * back, so that the request must be answered again. Undefined if there is nothing to wait for. If its own changes cannot be
   * saved, they are rolled back and it rejects with a Refusal.
   */
  keepRows(sandbox: Sandbox, transaction: Transaction): Promise<boolean> | undefined {
    const { keeper } = this
    if (!keeper) return undefined
    const before = this.stateOf(sandbox)
    const isKnown = before?.rows === sandbox.rows
    const { writes, counters, used } = transaction
    const isChanged = !isKnown || writes.length > 0 || counters !== undefined || used !== undefined
    // A sandbox may be dropped while a request in it waits for its body.
    if (!isChanged || this.sandboxes.get(sandbox.name) !== sandbox) return this.confirm(keeper, sandbox)
    const answered = used && { id: used.override.id, used: used.override.used + 1 }
    const goBack = this.remember([sandbox.name])
    const items = isKnown ? [rowsItem(sandbox, writes, counters, answered)] : this.changesOf(keeper, sandbox)
    return this.append(keeper, items, transaction, goBack)
  }

  /**
   * Saves everything that changed: the state, clock, choices, overrides and snapshots of the sandbox, and the list of
   * sandboxes. If it cannot be written, all of it is rolled back.
   */
  keepAll(transaction: Transaction): Promise<boolean> | undefined {
    const { keeper } = this
    if (!keeper) return undefined
    const { sandbox } = transaction
    if (sandbox && this.moved.has(sandbox)) return this.confirm(keeper, sandbox)
    const removals = [...this.states.values()].filter((it) => this.sandboxes.get(it.sandbox.name) !== it.sandbox)
    const additions = [...this.sandboxes.values()].filter((it) => it !== sandbox && !this.isKept(it))
    const changed = sandbox && this.sandboxes.get(sandbox.name) === sandbox ? [sandbox, ...additions] : additions
    const goBack = this.remember([...changed, ...removals.map((it) => it.sandbox)].map(({ name }) => name))
    const items = removals.map(({ sandbox: { name } }): NewItem => {
      this.states.delete(name)
      return { op: 'drop', sandbox: name }
    })
    for (const it of changed) items.push(...this.changesOf(keeper, it, it === sandbox ? transaction : undefined))
    if (items.length === 0) return undefined
    return this.append(keeper, items, transaction, goBack)
  }

  /** Stores that a sandbox was dropped. No caller waits for it: if it fails, `keepAll` tries again. */
  forget(name: string): void {
    const goBack = this.remember([name])
    if (this.states.delete(name)) this.keeper?.append([{ op: 'drop', sandbox: name }], goBack).catch(() => {})
  }

  /** Reserves request ids, so that they continue after a restart. No caller waits for it, because some are left. */
  countRequest(sandbox: Sandbox): void {
    const { keeper } = this
    if (!keeper || !sandbox.journal.isShort || this.sandboxes.get(sandbox.name) !== sandbox) return
    if (!this.isKept(sandbox)) void this.keepRows(sandbox, new Transaction(sandbox))?.catch(() => {})
    else {
      const { journal, name } = sandbox
      const goBack = this.remember([name])
      journal.reserve()
      keeper.append([{ op: 'requests', sandbox: name, requests: journal.reserved }], goBack).catch(() => {})
    }
  }

  /** Resolves when what a request saw is stored, with false if some of it was rolled back. Without a sandbox: for all. */
  shown(sandbox?: Sandbox): Promise<boolean> | undefined {
    const { keeper, underWay } = this
    if (keeper && sandbox) return this.confirm(keeper, sandbox)
    // With several processes, a list of all sandboxes is not exact.
    if (underWay.size === 0 || keeper?.confirm) return undefined
    return Promise.all([...underWay.values()].map(isKept)).then((all) => all.every((it) => it))
  }

  async close(): Promise<void> {
    const items = [...this.states.values()].flatMap(({ sandbox: { name, journal } }) =>
      journal.position === journal.reserved
        ? []
        : [{ op: 'requests' as const, sandbox: name, requests: journal.position }]
    )
    if (items.length > 0) await this.keeper?.append(items, () => {}).catch(() => {})
    await this.keeper?.close()
  }

  private confirm(keeper: Keeper, sandbox: Sandbox): Promise<boolean> | undefined {
    const change = this.underWay.get(sandbox.name)
    const isMoved = this.moved.has(sandbox) && Promise.reject(new SandboxMoved(sandbox.name))
    const confirmed = isMoved || (keeper.confirm ? keeper.confirm(sandbox, change) : change && isKept(change))
    // The caller may fail for another reason first. Node ends a process with an unhandled rejection.
    confirmed?.catch(() => {})
    return confirmed
  }

  private stateOf(sandbox: Sandbox): KeptState | undefined {
    const state = this.states.get(sandbox.name)
    return state?.sandbox === sandbox ? state : undefined
  }

  /** What changed in a sandbox since it was last kept. From then on it counts as kept. */
  private changesOf(keeper: Keeper, sandbox: Sandbox, transaction?: Transaction): NewItem[] {
    const items: NewItem[] = []
    const before = this.stateOf(sandbox)
    const start = keeper.start()
    if (before?.rows !== sandbox.rows) {
      sandbox.journal.reserve()
      items.push(stateItem(sandbox, start))
    } else {
      const { writes = [], counters } = transaction ?? {}
      if (writes.length > 0 || counters) items.push(rowsItem(sandbox, writes, counters))
      items.push(setItem(sandbox, start, before.overrides))
    }
    const { name, snapshots } = sandbox
    for (const [key, snapshot] of snapshots) {
      if (before?.snapshots.get(key) !== snapshot) items.push(snapshotItem(name, snapshot))
    }
    for (const key of before?.snapshots.keys() ?? []) {
      if (!snapshots.has(key)) items.push({ op: 'forget', sandbox: name, snapshot: key })
    }
    this.note(sandbox)
    return items
  }

  private note(sandbox: Sandbox): void {
    const { name, rows, snapshots, overrides, journal } = sandbox
    const { reserved } = journal
    this.states.set(name, { sandbox, rows, snapshots: new Map(snapshots), overrides: overrides.list, reserved })
  }

  /** Returns a function that undoes later notes about these sandboxes. */
  private remember(names: readonly string[]): () => void {
    const before = names.map((name) => [name, this.states.get(name)] as const)
    return () => {
      for (const [name, state] of before) {
        const sandbox = this.sandboxes.get(name)
        if (sandbox) sandbox.journal.reserved = state?.reserved ?? 0
        if (state) this.states.set(name, state)
        else this.states.delete(name)
      }
    }
  }

  private append(keeper: Keeper, items: NewItem[], transaction: Transaction, goBack: () => void): Promise<boolean> {
    const { underWay } = this
    const names = new Set(items.map(({ sandbox }) => sandbox))
    const takeBack = () => {
      transaction.takeBack()
      goBack()
    }
    const done = keeper.append(items, takeBack).then(() => true)
    const end = () => {
      for (const name of names) if (underWay.get(name) === done) underWay.delete(name)
    }
    done.then(end, end)
    for (const name of names) underWay.set(name, done)
    return done
  }
}

function isKept(change: Promise<boolean>): Promise<boolean> {
  return change.catch(() => false)
}

interface KeptState {
  sandbox: Sandbox
  rows: Store
  snapshots: Map<string, Snapshot>
  overrides: readonly Override[]
  reserved: number
}
