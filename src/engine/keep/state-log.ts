import { randomUUID } from 'node:crypto'
import type { Api } from '../api.js'
import type { Choices } from '../contract/load.js'
import { Refusal } from '../contract/message/refusal.js'
import type { JournalLimits } from '../journal/journal.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { bytesOf } from '../store/rows.js'
import { Log, type LogPosition, type LogStore, type SyncMode } from './log.js'
import { format, type Header, itemsOf, type LogItem, type NewItem, replay } from './log-items.js'

export interface RecoveredLog {
  header: Header | undefined
  items: LogItem[]
  /** Opens it for more. `say` reports what was cut off its end. */
  goOn: (id: string, say: (text: string) => void) => Promise<LogStore>
}

/** Where a log is kept: in a folder, or in the database of a browser. */
export interface LogMedium {
  /** For messages: the medium, and the log in it. */
  readonly name: string
  readonly log: string
  /** Throws an Error that says what to do if the log is not as it was written. */
  recover(): Promise<RecoveredLog>
  /** Begins a log that may replace the current one. */
  begin(id: string): Promise<LogStore>
  replace(): Promise<void>
  /** Drops it. */
  giveUp(): Promise<void>
  /** Records that everything up to this place is on the disk. */
  noteForced(log: LogStore, place: LogPosition): Promise<void>
  close(): Promise<void>
}

export interface StateOptions {
  api: Api
  sync: SyncMode
  journal: JournalLimits
  version: string
  /** A digest of the contracts of the rows. */
  contract: string
  /** All choices of a sandbox with these explicit choices. */
  choices: (chosen: Choices) => Choices
  /** What in a sandbox breaks the contracts. Undefined if nothing does. */
  misfit: (sandbox: Sandbox) => string | undefined
  say: (text: string) => void
  /** Only a larger log is rewritten, in bytes. */
  small?: number
}

/** The log of all sandboxes. `read` replays it, `rewrite` leaves what is still needed, and changes are appended. */
export class StateLog {
  start: () => Choices
  sandboxes = new Map<string, Sandbox>()
  private log!: Log
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
    this.small = options.small ?? 8 * 1024 * 1024
  }

  /** Reads all sandboxes. Throws an Error that names the log and the place if that is not possible. */
  async read(): Promise<void> {
    const { api, contract, choices, journal, sync, misfit, say } = this.options
    const { medium } = this
    const { header, items, goOn } = await medium.recover()
    let log: Log | undefined
    try {
      this.sandboxes = replay(items, choices, journal, { api })
      const isOther = header !== undefined && header.contract !== contract
      for (const sandbox of isOther ? this.sandboxes.values() : []) {
        const problem = misfit(sandbox)
        if (problem) throw new Error(`it was written for other contracts (by version ${header?.version}): ${problem}`)
      }
      this.id = header?.id ?? randomUUID()
      log = new Log(await goOn(this.id, say), sync, {
        forced: (at, place) => medium.noteForced(at, place),
        failed: ({ message }) => say(`${medium.name} could not be forced onto the disk: ${message}`)
      })
      this.log = log
      this.needed = neededFor(this.sandboxes)
      if (isOther) say(`${medium.log} was written for other contracts; every row is valid in these, too.`)
      if (isOther) await this.rewrite()
      // Otherwise the process might always end before the rewrite.
      else if (this.isLarge) await this.rewrite().catch(() => {})
      if (!header) await log.append([this.header(this.id, null)])
      await log.force()
    } catch (error) {
      await log?.close()
      const { code, message } = error as NodeJS.ErrnoException
      const reason = code === undefined ? 'is not a state of this mock' : 'cannot be read and written'
      throw new Error(`${medium.log} ${reason}: ${message}`)
    }
  }

  async append(items: NewItem[], takeBack: () => void): Promise<void> {
    try {
      await this.log.append(items, takeBack)
    } catch (error) {
      throw new Refusal('not-kept', { reason: reasonOf(error as Error) })
    }
    // A failure keeps the old log.
    if (this.isLarge) this.rewrite().catch(() => {})
  }

  /** Whether the log has more than twice the size that it needs. */
  private get isLarge(): boolean {
    const { length } = this.log
    return !this.rewriting && length > this.small && length > 2 * this.needed && length > this.later
  }

  /** Rewrites the log. Sandboxes are copied one after another, and their later changes go to both logs. */
  rewrite(): Promise<void> {
    this.rewriting ??= this.moveToNew().finally(() => {
      this.rewriting = undefined
    })
    return this.rewriting
  }

  private async moveToNew(): Promise<void> {
    const { medium, log } = this
    const id = randomUUID()
    try {
      const file = await medium.begin(id)
      await log.moveTo(file, this.header(id, this.id), this.contents(), () => medium.replace())
      this.id = id
      this.needed = file.place.length
    } catch (error) {
      this.later = log.length + this.small
      await medium.giveUp()
      throw error
    }
  }

  /** All sandboxes. One that is created in the meantime adds its own state. */
  private *contents(): IterableIterator<NewItem[]> {
    for (const name of [...this.sandboxes.keys()]) {
      if (this.isClosing) throw new Error('the log is closed')
      const sandbox = this.sandboxes.get(name)
      if (sandbox) yield itemsOf(sandbox, this.start())
    }
  }

  async close(): Promise<void> {
    // Otherwise a rewrite would continue in a log that another process may own by then.
    this.isClosing = true
    await this.rewriting?.catch(() => {})
    await this.log.close()
    await this.medium.close()
  }

  private header(id: string, after: string | null): Header {
    const { version, contract } = this.options
    return { op: 'header', format, version, contract, id, after }
  }
}

/** The approximate size of a log with these sandboxes. Only rows count. */
function neededFor(sandboxes: ReadonlyMap<string, Sandbox>): number {
  const bases = new Map<string, number>()
  let size = 0
  for (const sandbox of sandboxes.values()) {
    size += sandbox.held
    for (const { base } of [sandbox, ...sandbox.snapshots.values()]) if (base) bases.set(base.key, bytesOf(base.rows))
  }
  return [...bases.values()].reduce((sum, bytes) => sum + bytes, size)
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  return isFull ? `${message}. Make room on the disk; the mock then continues by itself` : message
}
