import { createHash } from 'node:crypto'
import { clearTimeout, setImmediate, setTimeout } from 'node:timers'
import { inMap } from '../../engine/contract/once.js'
import type { EngineAddress } from './address.js'
import type { Client, ClientOptions } from './clients.js'
import { meaningOf, NotDone, OutcomeUnknown, refusalOf, TooFewCopies } from './errors.js'
import { scripts } from './scripts.js'

/** An entry of a stream: its id, and a field with its value. */
export type Entry = [id: string, fields: [string, string]]

export interface EngineOptions {
  /** Milliseconds that an answer may take. */
  patience: number
  /** How many replicas must have a change before it is answered. */
  copies: number
  /** Milliseconds after which the engine deletes an unused sandbox. 0: never. */
  idle: number
  /** Reports when it cannot be reached, and when it can again. */
  say: (text: string) => void
}

export interface Append {
  name: string
  /** The id of the entry before it. */
  last: string
  id: string
  /** All except `r` are small, and are added even if the engine is full. */
  field: 'r' | 'must' | 'free'
  value: string
}

interface QueuedAppend extends Append {
  added: () => void
  failed: (error: Error) => void
}

/** A command adds at most so many entries. */
const mostEntries = 64
/** The size above which a command takes no more entries. */
const mostBytes = 1024 * 1024

/** Sends commands to the engine. None is ever sent twice: if the outcome is unknown, the log is read again. */
export class Engine {
  private isConnected = false
  private isOutageReported = false
  /** Counts the connections: WAIT does not cover what was written over an earlier one. */
  private connection = 0
  private copying: Promise<number> | undefined
  private nextCopying: Promise<number> | undefined
  private appends: QueuedAppend[] = []
  private turn: Promise<void> | undefined
  private readonly client: Client

  private constructor(
    create: (options: ClientOptions) => Client,
    readonly address: EngineAddress,
    readonly options: EngineOptions
  ) {
    this.client = create({
      ...address.options,
      socket: {
        ...address.options.socket,
        connectTimeout: 5000,
        // Before the first connection, a failure must be reported at once.
        reconnectStrategy: (tries: number) => this.isConnected && Math.min(20 * tries, 250)
      },
      RESP: 2,
      // Each command has its own timeout: see `ask`.
      commandOptions: { timeout: 0 },
      maintNotifications: 'disabled',
      // A command that waits, or that is sent again, could run after its sandbox has moved.
      disableOfflineQueue: true
    })
    this.client.on('error', ({ message }) => {
      if (!this.isOutageReported && this.isConnected) options.say(`${address.name} cannot be reached: ${message}`)
      this.isOutageReported = true
    })
    this.client.on('ready', () => {
      this.connection += 1
      if (this.isOutageReported && this.isConnected) options.say(`${address.name} is reached again.`)
      this.isOutageReported = false
    })
  }

  /** Rejects with an Error that names the engine if it cannot be reached. */
  static async connect(
    create: (options: ClientOptions) => Client,
    address: EngineAddress,
    options: EngineOptions
  ): Promise<Engine> {
    const engine = new Engine(create, address, options)
    try {
      await engine.client.connect()
    } catch (error) {
      throw new Error(`${address.name} cannot be reached: ${(error as Error).message}. Give --data another address.`)
    }
    engine.isConnected = true
    return engine
  }

  /**
   * Runs `write`, and resolves when enough replicas have it. Rejects with TooFewCopies if it was done but too few have it. Only
   * one WAIT runs at a time, because it blocks the connection.
   */
  async copied(name: string, write: () => Promise<unknown>): Promise<void> {
    const { connection } = this
    const { copies: least } = this.options
    await write()
    this.nextCopying ??= this.waitForCopies()
    const count = await this.nextCopying.catch(({ message }: Error) => {
      throw new OutcomeUnknown(message)
    })
    if (connection !== this.connection)
      throw new OutcomeUnknown('the connection broke before the replicas had the change')
    if (count < least) throw new TooFewCopies('too-few-copies', { name, found: count, wanted: least })
  }

  private async waitForCopies(): Promise<number> {
    await this.copying?.catch(() => {})
    this.copying = this.nextCopying
    this.nextCopying = undefined
    const { copies, patience } = this.options
    return (await this.ask('WAIT', `${copies}`, `${Math.max(100, Math.round(patience / 10))}`)) as number
  }

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

  run(script: keyof typeof scripts, keys: string | string[], ...values: (string | number)[]): Promise<unknown> {
    return this.evaluate(scripts[script], [keys].flat(), values.map(String))
  }

  /** Runs a script. Only its digest is sent, unless the engine does not know it yet, and so has done nothing. */
  async evaluate(script: string, keys: string[], values: string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...values]
    try {
      return await this.ask('EVALSHA', sha1Of(script), ...rest)
    } catch (error) {
      if (!(error instanceof NotDone && error.message.startsWith('NOSCRIPT'))) throw error
      return this.ask('EVAL', script, ...rest)
    }
  }

  async askAll(...command: string[]): Promise<unknown[]> {
    return this.client.sendToAll?.(command) ?? [await this.ask(...command)]
  }

  /** Rejects with NotDone, Fenced or OutcomeUnknown. */
  ask(...command: string[]): Promise<unknown> {
    const { patience } = this.options
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new OutcomeUnknown(`${this.address.name} did not answer within ${patience} ms`))
      }, patience)
      const done = () => clearTimeout(late)
      this.client
        .sendCommand(command)
        .then(resolve, (error) => reject(meaningOf(error)))
        .then(done)
    })
  }

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

  /**
   * Adds an entry to a stream. Those of one turn are sent in one command, because a command costs more than an entry; but not to
   * a cluster, which may have their streams on several nodes. Rejects with NotDone, Fenced or OutcomeUnknown.
   */
  append(entry: Append): Promise<void> {
    return new Promise((added, failed) => {
      this.appends.push({ ...entry, added, failed })
      // After everything that this turn has woken.
      if (this.appends.length === 1) process.nextTick(() => this.sendAppends())
    })
  }

  private sendAppends(): void {
    const all = this.appends
    this.appends = []
    const most = this.isCluster ? 1 : mostEntries
    for (let begin = 0, end = 0; begin < all.length; begin = end) {
      for (let bytes = 0; end < all.length && end - begin < most && bytes <= mostBytes; end++)
        bytes += (all[end] as QueuedAppend).value.length
      void this.send(all.slice(begin, end))
    }
  }

  private async send(some: QueuedAppend[]): Promise<void> {
    const keys = some.map(({ name }) => this.logOf(name))
    const entries = some.flatMap(({ last, id, field, value }) => [last, id, field, value])
    try {
      const refusals = (await this.run('append', keys, this.options.idle, ...entries)) as string[]
      for (const [at, { added, failed }] of some.entries()) {
        const why = refusals[at] as string
        if (why === '') added()
        else failed(refusalOf(why))
      }
    } catch (error) {
      for (const { failed } of some) failed(error as Error)
    }
  }

  close(): void {
    this.client.on('error', () => {})
    this.client.destroy()
  }
}

const digests = new Map<string, string>()

function sha1Of(script: string): string {
  return inMap(digests, script, () => createHash('sha1').update(script).digest('hex'))
}
