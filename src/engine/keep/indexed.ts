import type { LogPosition, LogStore } from './log.js'
import { format, type LogItem } from './log-items.js'
import type { LogMedium, RecoveredLog } from './state-log.js'

/** The parts of the browser's API that we use. */
interface Request<T> {
  result: T
  error: Error | null
  onsuccess: () => void
  onerror: () => void
  onupgradeneeded?: () => void
}
interface Transaction {
  objectStore(name: string): { add(value: string): void; clear(): void; getAll(): Request<string[]> }
  error: Error | null
  oncomplete: () => void
  onabort: () => void
}
interface Database {
  createObjectStore(name: string, options: object): void
  transaction(name: string, mode?: string): Transaction
  close(): void
}
interface Platform {
  indexedDB: { open(name: string): Request<Database>; deleteDatabase(name: string): Request<unknown> }
  navigator: {
    locks?: { request(name: string, options: object, hold: (lock: unknown) => unknown): Promise<unknown> }
  }
}

const platform = globalThis as unknown as Platform
const storeName = 'lines'
/** How long another page or worker may keep its state, in milliseconds. */
const patience = 10_000

/** A log in the browser's IndexedDB. One page or worker has it at a time. */
export class Indexed implements LogMedium {
  readonly log: string
  private next: Lines | undefined

  private constructor(
    readonly name: string,
    private readonly database: Database,
    private readonly unlock: () => void
  ) {
    this.log = name
  }

  /** Throws an Error if the browser refuses it, or if another page or worker still has it after a while. */
  static async open(name: string): Promise<Indexed> {
    const unlock = await lock(name)
    try {
      const request = platform.indexedDB.open(name)
      request.onupgradeneeded = () => request.result.createObjectStore(storeName, { autoIncrement: true })
      return new Indexed(`IndexedDB ${name}`, await resultOf(request), unlock)
    } catch (error) {
      unlock()
      throw new Error(
        `The browser keeps no state here (${reasonOf(error as Error)}). Without the option data, the state is in memory.`
      )
    }
  }

  static async drop(name: string): Promise<void> {
    await resultOf(platform.indexedDB.deleteDatabase(name))
  }

  async recover(): Promise<RecoveredLog> {
    const batches = await resultOf(this.database.transaction(storeName).objectStore(storeName).getAll())
    const lines = batches.flatMap((batch) => batch.split('\n')).map((line) => JSON.parse(line) as LogItem | LogItem[])
    const [header] = lines as LogItem[]
    if (header && (header.op !== 'header' || header.format !== format)) throw new Error('it has another format')
    const length = batches.reduce((sum, batch) => sum + batch.length, 0)
    return {
      header,
      items: lines.flat(),
      goOn: async (id) => new Lines(id, length, (batch) => this.add(false, [batch]))
    }
  }

  /** Collects the lines in memory until they replace the others. */
  async begin(id: string): Promise<LogStore> {
    this.next = new Lines(id, 0, undefined)
    return this.next
  }

  async replace(): Promise<void> {
    const next = this.next as Lines
    await this.add(true, next.batches.splice(0))
    next.add = (batch) => this.add(false, [batch])
    this.next = undefined
  }

  async giveUp(): Promise<void> {
    this.next = undefined
  }

  async noteForced(): Promise<void> {}

  async close(): Promise<void> {
    this.database.close()
    this.unlock()
  }

  private add(isAnew: boolean, batches: readonly string[]): Promise<void> {
    const transaction = this.database.transaction(storeName, 'readwrite')
    const store = transaction.objectStore(storeName)
    if (isAnew) store.clear()
    for (const batch of batches) store.add(batch)
    return new Promise((resolve, reject) => {
      transaction.oncomplete = resolve
      transaction.onabort = () => reject(new Error(reasonOf(transaction.error ?? undefined)))
    })
  }
}

/** Lines in batches. Without `add` they are collected. */
class Lines implements LogStore {
  readonly batches: string[] = []

  constructor(
    readonly id: string,
    private length: number,
    public add: ((batch: string) => Promise<void>) | undefined
  ) {}

  get place(): LogPosition {
    return { length: this.length, checksum: 0 }
  }

  async write(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return
    const batch = lines.join('\n')
    if (this.add) await this.add(batch)
    else this.batches.push(batch)
    this.length += batch.length
  }

  async force(): Promise<LogPosition> {
    return this.place
  }

  async close(): Promise<void> {}
}

function resultOf<T>(request: Request<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(new Error(reasonOf(request.error ?? undefined)))
  })
}

/** Browsers give some errors only a name. */
function reasonOf({ name, message }: Error = new Error('it gives no reason')): string {
  return name === 'QuotaExceededError' ? 'it has no room left' : message || name
}

/** Keeps others out until the returned function is called. The browser ends the lock with its page or worker. */
function lock(name: string): Promise<() => void> {
  const { locks } = platform.navigator
  if (!locks) return Promise.resolve(() => {})
  return new Promise((resolve, reject) => {
    const hold = () => new Promise<void>((release) => resolve(release))
    locks.request(name, { signal: AbortSignal.timeout(patience) }, hold).catch((error: Error) => {
      const isTaken = error.name === 'TimeoutError'
      reject(isTaken ? new Error(`Another page or worker keeps its state in ${name}.`) : error)
    })
  })
}
