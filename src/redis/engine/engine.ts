import { createHash } from 'node:crypto'
import { clearTimeout, setImmediate, setTimeout } from 'node:timers'
import { meaningOf, NotDone, OutcomeUnknown, refusalOf, TooFewCopies } from './errors.js'
import { scripts } from './scripts.js'

/** The part of @redis/client that we use. Users install it themselves, so its types may be missing. */
export interface Client {
  connect(): Promise<unknown>
  on(event: 'error' | 'ready', listener: (error: Error) => void): unknown
  sendCommand(args: string[]): Promise<unknown>
  /** The answers of all primaries, if there are several. */
  sendToAll?(args: string[]): Promise<unknown[]>
  destroy(): void
}

/** Where the engine is: a parsed `--data redis://…`. */
export interface EngineAddress {
  /** The connection options of @redis/client. */
  options: Record<string, unknown>
  /** The prefix of every key. */
  prefix: string
  /** The nodes of a cluster, or the sentinels. */
  nodes?: { host: string; port: number }[]
  /** The sentinels' name for the primary. */
  sentinel?: string
  /** The login for sentinels. That for the primary is in the options. */
  login?: { username: string | undefined; password: string | undefined }
  /** For messages, without a password. */
  name: string
}

/** An entry of a stream: its id, and a field with its value. */
export type Entry = [id: string, fields: [string, string]]

/** Sends commands to the engine. None is ever sent twice: if the outcome is unknown, the log is read again. */
export class Engine {
  private isSaid = false

  private constructor(
    private readonly client: Client,
    readonly address: EngineAddress,
    /** Milliseconds that an answer may take. */
    private readonly patience: number,
    say: (text: string) => void
  ) {
    client.on('error', ({ message }) => {
      if (!this.isSaid) say(`${address.name} cannot be reached: ${message}`)
      this.isSaid = true
    })
    client.on('ready', () => {
      this.connection += 1
      if (this.isSaid) say(`${address.name} is reached again.`)
      this.isSaid = false
    })
  }

  /** Rejects with an Error that names the engine if it cannot be reached. */
  static async connect(
    create: (options: { socket: object; [name: string]: unknown }) => Client,
    address: EngineAddress,
    patience: number,
    say: (text: string) => void
  ): Promise<Engine> {
    let isConnected = false
    const socket = {
      ...(address.options.socket as object),
      connectTimeout: 5000,
      // Before the first connection, a failure must be reported at once.
      reconnectStrategy: (tries: number) => isConnected && Math.min(20 * tries, 250)
    }
    const client = create({
      ...address.options,
      socket,
      RESP: 2,
      // Each command has its own timeout: see `ask`.
      commandOptions: { timeout: 0 },
      maintNotifications: 'disabled',
      // A command that waits, or that is sent again, could run after its sandbox has moved.
      disableOfflineQueue: true
    })
    const engine = new Engine(client, address, patience, (text) => isConnected && say(text))
    try {
      await client.connect()
    } catch (error) {
      throw new Error(`${address.name} cannot be reached: ${(error as Error).message}. Give --data another address.`)
    }
    isConnected = true
    return engine
  }

  /** How many replicas must have a change before it is answered. */
  copies = 0
  /** Counts the connections: WAIT does not cover what was written over an earlier one. */
  private connection = 0
  private waiting: Promise<number> | undefined
  private next: Promise<number> | undefined

  /**
   * Runs `write`, and resolves when enough replicas have it. Rejects with TooFewCopies if it was done but too few have it. Only
   * one WAIT runs at a time, because it blocks the connection.
   */
  async copied(name: string, write: () => Promise<unknown>): Promise<void> {
    const { connection, copies: wanted } = this
    await write()
    this.next ??= this.afterThis()
    const found = await this.next.catch(({ message }: Error) => {
      throw new OutcomeUnknown(message)
    })
    if (connection !== this.connection)
      throw new OutcomeUnknown('the connection broke before the replicas had the change')
    if (found < wanted) throw new TooFewCopies('too-few-copies', { name, found, wanted })
  }

  private async afterThis(): Promise<number> {
    await this.waiting?.catch(() => {})
    this.waiting = this.next
    this.next = undefined
    const patience = Math.max(100, Math.round(this.patience / 10))
    return (await this.ask('WAIT', String(this.copies), String(patience))) as number
  }

  /** The appends of one turn are sent in one command, except to a cluster, which may have their streams on several nodes. */
  readonly appends = new Appends(
    (keys, given) => this.run('append', keys, ...given),
    () => (this.isCluster ? 1 : 64)
  )

  private get isCluster(): boolean {
    const { nodes, sentinel } = this.address
    return nodes !== undefined && sentinel === undefined
  }

  key(...parts: string[]): string {
    const { prefix } = this.address
    // A cluster then keeps these on one node too.
    return [this.isCluster ? `{${prefix}}` : prefix, ...parts].join(':')
  }

  /** The stream of a sandbox. Keys of a sandbox have its name in braces, so a cluster keeps them on one node. */
  logOf(sandbox: string): string {
    return `${this.address.prefix}:{${sandbox}}:log`
  }

  run(script: keyof typeof scripts, keys: string | string[], ...given: (string | number)[]): Promise<unknown> {
    return this.evaluate(scripts[script], [keys].flat(), given.map(String))
  }

  /** Runs a script. Only its digest is sent, unless the engine does not know it yet, and so has done nothing. */
  async evaluate(script: string, keys: string[], given: string[]): Promise<unknown> {
    const told = [String(keys.length), ...keys, ...given]
    try {
      return await this.ask('EVALSHA', sha1Of(script), ...told)
    } catch (error) {
      if (!(error instanceof NotDone && error.message.startsWith('NOSCRIPT'))) throw error
      return this.ask('EVAL', script, ...told)
    }
  }

  /** Sends a command to all primaries. */
  async askAll(...command: string[]): Promise<unknown[]> {
    return this.client.sendToAll?.(command) ?? [await this.ask(...command)]
  }

  /** Rejects with NotDone, Fenced or Unknown. */
  ask(...command: string[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new OutcomeUnknown(`${this.address.name} did not answer within ${this.patience} ms`))
      }, this.patience)
      this.client.sendCommand(command).then(
        (answer) => {
          clearTimeout(late)
          resolve(answer)
        },
        (error: Error) => {
          clearTimeout(late)
          reject(meaningOf(error))
        }
      )
    })
  }

  close(): void {
    this.client.on('error', () => {})
    this.client.destroy()
  }
}

const digests = new Map<string, string>()

function sha1Of(script: string): string {
  const digest = digests.get(script) ?? createHash('sha1').update(script).digest('hex')
  digests.set(script, digest)
  return digest
}

/** An entry for a stream. */
export interface Append {
  key: string
  /** The id of the entry before it. */
  last: string
  id: string
  /** All except `r` are small, and are added even if the engine is full. */
  field: 'r' | 'must' | 'free'
  value: string
  /** Milliseconds that the stream is kept without use. 0: forever. */
  ttl: number
}

interface QueuedAppend extends Append {
  added: () => void
  failed: (error: Error) => void
}

/** The size above which a command takes no more entries. */
const mostBytes = 1024 * 1024

/** Adds entries to streams. Consecutive entries are sent in one command, because a command costs more than an entry. */
export class Appends {
  private waiting: QueuedAppend[] = []
  private turn: Promise<void> | undefined

  constructor(
    private readonly run: (keys: string[], given: (string | number)[]) => Promise<unknown>,
    /** How many are sent in one command. */
    private readonly most: () => number
  ) {}

  /** Resolves in the next turn of the event loop: changes until then can be sent together. */
  nextTurn(): Promise<void> {
    this.turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.turn = undefined
        resolve()
      })
    })
    return this.turn
  }

  /** Rejects with NotDone, Fenced or Unknown. */
  add(entry: Append): Promise<void> {
    return new Promise((added, failed) => {
      this.waiting.push({ ...entry, added, failed })
      // After everything that this turn has woken.
      if (this.waiting.length === 1) process.nextTick(() => this.sendAll())
    })
  }

  private sendAll(): void {
    const all = this.waiting
    this.waiting = []
    const most = this.most()
    let some: QueuedAppend[] = []
    let bytes = 0
    for (const it of all) {
      const isFull = some.length === most || bytes > mostBytes || (some[0] && some[0].ttl !== it.ttl)
      if (isFull) {
        void this.send(some)
        some = []
        bytes = 0
      }
      some.push(it)
      bytes += it.value.length
    }
    void this.send(some)
  }

  private async send(some: QueuedAppend[]): Promise<void> {
    const given: (string | number)[] = [some[0]?.ttl ?? 0]
    for (const { last, id, field, value } of some) given.push(last, id, field, value)
    try {
      const told = (await this.run(
        some.map(({ key }) => key),
        given
      )) as string[]
      for (const [at, it] of some.entries()) {
        const why = told[at] as string
        if (why === '') it.added()
        else it.failed(refusalOf(why))
      }
    } catch (error) {
      for (const { failed } of some) failed(error as Error)
    }
  }
}
