import { randomUUID } from 'node:crypto'
import type { Api } from '../api.js'
import type { Choices } from '../contract/load.js'
import { Refusal } from '../contract/message/refusal.js'
import type { JournalLimits } from '../journal/journal.js'
import type { Base } from '../sandbox/bases.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { bytesOf } from '../store/rows.js'
import { Log, type SyncMode } from './log.js'
import { baseItems, format, type Header, type LogItem, snapshotItem, stateItem } from './log-items.js'
import type { LogMedium, LogStore } from './medium.js'
import { replay } from './replay.js'

export interface StateOptions {
  /** The API whose rows are kept. */
  api: Api
  sync: SyncMode
  journal: JournalLimits
  /** The version that writes the log. */
  version: string
  /** A digest of the contracts of the rows. */
  contract: string
  /** All choices of a sandbox with these explicit choices. */
  choices: (own: Choices) => Choices
  /** What in a sandbox breaks the contracts. Undefined if nothing does. */
  misfit: (sandbox: Sandbox) => string | undefined
  /** Reports what happened to the data. */
  say: (text: string) => void
  /** Only a larger log is rewritten, in bytes (default: 8 MiB). */
  small?: number
}

const defaultSmall = 8 * 1024 * 1024

/** The items of a change. The bases of its states are written before them, once per log. */
export interface LogChange {
  items: LogItem[]
  bases: (Base | undefined)[]
}

/**
 * The log of all sandboxes. `read` replays it, `rewrite` leaves only what is still needed, and each change in between is
 * appended.
 */
export class StateLog implements Keeper {
  /** The initial choices of sandboxes. */
  start: () => Choices
  private log: Log | undefined
  private bases = new Set<string>()
  /** The contents of the log that is being rewritten. */
  private next: { bases: Set<string>; names: Set<string> } | undefined
  private rewriting: Promise<void> | undefined
  private isClosing = false
  private id = ''
  /** The approximate size of the log after a rewrite. */
  private needed = 0
  private readonly small: number
  /** After a failed rewrite, the log's length at which to try again. */
  private later = 0

  constructor(
    private readonly options: StateOptions,
    private readonly medium: LogMedium
  ) {
    this.start = () => options.choices({})
    this.small = options.small ?? defaultSmall
  }

  /** Throws an Error that names the log and the place if it cannot be read. */
  async read(): Promise<Map<string, Sandbox>> {
    const { api, contract, choices, journal, sync, misfit, say } = this.options
    const { medium } = this
    const recovered = await medium.recover()
    const { header, items } = recovered
    try {
      const sandboxes = replay(items, choices, journal, { api })
      const isOther = header !== undefined && header.contract !== contract
      for (const sandbox of isOther ? sandboxes.values() : []) {
        const found = misfit(sandbox)
        if (found) throw new Error(`it was written for other contracts (by version ${header?.version}): ${found}`)
      }
      await recovered.keepTorn(say)
      this.id = header?.id ?? randomUUID()
      this.log = new Log(await medium.goOn(this.id, recovered), sync, {
        forced: (at, place) => medium.mark(at, place),
        failed: ({ message }) => say(`${medium.name} could not be forced onto the disk: ${message}`)
      })
      this.needed = neededFor(sandboxes)
      if (isOther) say(`${medium.log} was written for other contracts; every row holds to these.`)
      if (isOther) await this.rewrite(sandboxes)
      // Otherwise the process might always end before the rewrite.
      else if (this.isLarge) await this.rewrite(sandboxes).catch(() => {})
      if (!header) await this.log.append({ lines: [JSON.stringify(this.header(null))] })
      await this.log.force()
      return sandboxes
    } catch (error) {
      await this.log?.close()
      const { code, message } = error as NodeJS.ErrnoException
      const reason = code === undefined ? 'is not a state of this mock' : 'cannot be read and written'
      throw new Error(`${medium.log} ${reason}: ${message}`)
    }
  }

  /** Only one process uses the folder, so a sandbox is never lost. What a request saw may be rolled back. */
  confirm(_: Sandbox, underWay: Promise<boolean> | undefined): Promise<boolean> | undefined {
    return underWay?.catch(() => false)
  }

  isLost(): boolean {
    return false
  }

  shown(): Promise<boolean> | undefined {
    return this.log?.underWay?.then(
      () => true,
      () => false
    )
  }

  refusalOf(error: Error): Refusal {
    return new Refusal('not-kept', { reason: reasonOf(error) })
  }

  /**
   * Resolves when the items would survive a kill, all or none. If they cannot be written, `takeBack` is called first,
   * for the latest change first.
   */
  append(told: LogChange, takeBack: () => void): Promise<void> {
    const { next, bases } = this
    const undone: (() => void)[] = [takeBack]
    const lines = linesOf(told, bases, undone)
    if (!next) return (this.log as Log).append({ lines, undone })
    const copied = { ...told, items: told.items.filter((it) => isCopied(it, next.names)) }
    return (this.log as Log).append({ lines, copies: linesOf(copied, next.bases, undone), undone })
  }

  /** Whether the log has more than twice the size that it needs. */
  get isLarge(): boolean {
    const { length } = this.log as Log
    return !this.rewriting && length > this.small && length > 2 * this.needed && length > this.later
  }

  /** Rewrites the log. Sandboxes are copied one after another, and their later changes go to both logs. */
  rewrite(sandboxes: ReadonlyMap<string, Sandbox>): Promise<void> {
    this.rewriting ??= this.copy(sandboxes).finally(() => {
      this.rewriting = undefined
    })
    return this.rewriting
  }

  private async copy(sandboxes: ReadonlyMap<string, Sandbox>): Promise<void> {
    const { medium } = this
    const log = this.log as Log
    const next = { bases: new Set<string>(), names: new Set<string>() }
    const id = randomUUID()
    let file: LogStore | undefined
    try {
      file = await medium.begin(id)
      log.copyTo(file)
      this.next = next
      await log.append({ lines: [], copies: [JSON.stringify({ ...this.header(this.id), id })] })
      // A sandbox that is created in the meantime adds its own state.
      for (const name of [...sandboxes.keys()]) {
        const sandbox = sandboxes.get(name)
        if (!sandbox || next.names.has(name)) continue
        next.names.add(name)
        await log.append({ lines: [], copies: linesOf(wholeOf(sandbox, this.start()), next.bases) })
        log.check()
        if (this.isClosing) throw new Error('the log is closed')
      }
      await file.force()
      await log.replace(async () => {
        await medium.replace()
        Object.assign(this, { id, bases: next.bases, next: undefined })
        await medium.settle()
      })
      this.needed = file.place.length
    } catch (error) {
      log.giveUp()
      this.next = undefined
      this.later = log.length + this.small
      await file?.close().catch(() => {})
      await medium.giveUp()
      throw error
    }
  }

  async close(): Promise<void> {
    // Otherwise a rewrite would continue in a log that another process may own by then.
    this.isClosing = true
    await this.rewriting?.catch(() => {})
    await this.log?.close()
    await this.medium.close()
  }

  private header(after: string | null): Header {
    const { version, contract } = this.options
    return { op: 'header', format, version, contract, id: this.id, after }
  }
}

/** A sandbox with its snapshots. */
export function wholeOf(sandbox: Sandbox, start: Choices): LogChange {
  const snapshots = [...sandbox.snapshots.values()]
  return {
    items: [stateItem(sandbox, start), ...snapshots.map((snapshot) => snapshotItem(sandbox.name, snapshot))],
    bases: [sandbox.base, ...snapshots.map(({ base }) => base)]
  }
}

/** The approximate size of a log with these sandboxes. Only rows count. */
function neededFor(sandboxes: ReadonlyMap<string, Sandbox>): number {
  const bases = new Map<string, number>()
  let held = 0
  for (const sandbox of sandboxes.values()) {
    held += sandbox.held
    for (const { base } of [sandbox, ...sandbox.snapshots.values()]) if (base) bases.set(base.key, bytesOf(base.rows))
  }
  return [...bases.values()].reduce((sum, bytes) => sum + bytes, held)
}

/** Lines of JSON. Adds their new bases to `bases`, and functions that undo that to `undone`. */
function linesOf({ items, bases: needed }: LogChange, bases: Set<string>, undone: (() => void)[] = []): string[] {
  if (items.length === 0) return []
  const lines: string[] = []
  for (const base of needed) {
    if (!base || bases.has(base.key)) continue
    bases.add(base.key)
    undone.push(() => bases.delete(base.key))
    for (const item of baseItems(base)) lines.push(JSON.stringify(item))
  }
  lines.push(JSON.stringify(items.length === 1 ? items[0] : items))
  return lines
}

/** Whether an item belongs in a log with these sandboxes. */
function isCopied(item: LogItem, names: Set<string>): boolean {
  const { sandbox } = item as { sandbox: string }
  if (item.op === 'state' && item.snapshot === null) names.add(sandbox)
  return names.has(sandbox)
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  return isFull ? `${message}. Make room on the disk; the mock then goes on by itself` : message
}

/** Keeps the changes of sandboxes: one log for all, or one for each. */
export interface Keeper {
  /** The initial choices of sandboxes. */
  start: () => Choices
  /** Resolves when the change would survive a kill. If it cannot be kept, `takeBack` is called first, for the latest change first. */
  append(told: LogChange, takeBack: () => void): Promise<void>
  /**
   * Resolves when what a request saw in a sandbox is kept and still so, with false if some of it was rolled back. Undefined:
   * there is nothing to wait for. `underWay`: the sandbox's latest change that is not kept yet.
   */
  confirm(sandbox: Sandbox, underWay: Promise<boolean> | undefined): Promise<boolean> | undefined
  /** The same for requests that read one sandbox, or all of them, and change nothing. */
  shown(sandbox: Sandbox | undefined, underWay: Promise<boolean> | undefined): Promise<boolean> | undefined
  /** Whether this object is out of date, because its sandbox lives elsewhere. */
  isLost(sandbox: Sandbox): boolean
  /** The error for clients when `append` has failed. */
  refusalOf(error: Error): unknown
  /** Whether the log should be rewritten. */
  readonly isLarge: boolean
  rewrite?(sandboxes: ReadonlyMap<string, Sandbox>): Promise<void>
  close(): Promise<void>
}
