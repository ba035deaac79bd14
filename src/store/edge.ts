import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Low, Memory } from 'lowdb'
import { DataFile } from 'lowdb/node'
import type { LedgerEntry } from '../mock/assumptions.js'
import type { JournalLimits } from '../mock/journal.js'
import { Sandbox, type SavedSandbox } from '../mock/sandbox.js'

/** All that the mock keeps. */
export interface Database {
  sandboxes: Map<string, Sandbox>
}

/** How long a change may wait for the next write of the file. */
const pause = 50

/**
 * The store's edge: lowdb, in memory, or in a folder. A change is written soon after, together with those around it,
 * and no request waits for that. The file is replaced as a whole, so a kill leaves the last state or the one before.
 */
export class Edge {
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> = Promise.resolve()

  private constructor(
    private readonly database: Low<Database>,
    private readonly isKept: boolean
  ) {}

  static inMemory(): Edge {
    return new Edge(new Low(new Memory<Database>(), { sandboxes: new Map() }), false)
  }

  /** Opens `folder/state.json`. Throws an Error that names the file when it is not a state of the mock. */
  static async inFolder(folder: string, journal: JournalLimits, ledger: LedgerEntry[]): Promise<Edge> {
    await mkdir(folder, { recursive: true })
    const file = join(folder, 'state.json')
    const adapter = new DataFile<Database>(file, { parse: (text) => parse(text, journal, ledger), stringify })
    const database = new Low<Database>(adapter, { sandboxes: new Map() })
    try {
      await database.read()
    } catch (error) {
      throw new Error(`${file} is not a state of this mock: ${(error as Error).message}`)
    }
    return new Edge(database, true)
  }

  get sandboxes(): Map<string, Sandbox> {
    return this.database.data.sandboxes
  }

  /** Says that something changed. */
  changed(): void {
    if (!this.isKept || this.timer) return
    this.timer = setTimeout(() => void this.flush(), pause)
  }

  /** Writes what is not written yet. */
  async flush(): Promise<void> {
    if (!this.isKept) return
    clearTimeout(this.timer)
    this.timer = undefined
    this.writing = this.writing.then(() => this.database.write())
    await this.writing
  }
}

const version = 1

function stringify(database: Database): string {
  return JSON.stringify({ version, sandboxes: [...database.sandboxes.values()].map((sandbox) => sandbox.save()) })
}

function parse(text: string, journal: JournalLimits, ledger: LedgerEntry[]): Database {
  const saved = JSON.parse(text) as { version: number; sandboxes: SavedSandbox[] }
  if (saved.version !== version) throw new Error(`it has version ${saved.version}, this mock reads version ${version}`)
  return {
    sandboxes: new Map(saved.sandboxes.map((sandbox) => [sandbox.name, Sandbox.load(sandbox, journal, ledger)]))
  }
}
