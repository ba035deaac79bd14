import { clearInterval, setInterval } from 'node:timers'
import type { Client, EngineAddress } from './engine.js'

/** How often sentinels are asked who the primary is, in milliseconds. */
const every = 1000

class ClientOfflineError extends Error {}

export interface SentinelOf {
  create: (options: object) => Client
  /** The sentinels' name for the primary. */
  name: string
  sentinels: { host: string; port: number }[]
  login: EngineAddress['login']
  /** The options of every connection. */
  options: { socket: object }
}

/**
 * The client of the primary that sentinels name. The sentinel client of @redis/client sends commands again after a connection
 * broke, which could run them twice.
 */
export class SentinelClient implements Client {
  private primary: Client | undefined
  private at = ''
  private sentinel: Client | undefined
  private timer: NodeJS.Timeout | undefined
  private looking: Promise<void> | undefined
  private readonly listeners = { error: (_: Error) => {}, ready: (_: Error) => {} }

  constructor(private readonly of: SentinelOf) {}

  on(event: 'error' | 'ready', listener: (error: Error) => void): void {
    this.listeners[event] = listener
  }

  async connect(): Promise<void> {
    await this.look()
    this.timer = setInterval(() => {
      this.look().catch((error: Error) => this.listeners.error(error))
    }, every).unref()
  }

  sendCommand(args: string[]): Promise<unknown> {
    return this.primary?.sendCommand(args) ?? Promise.reject(new ClientOfflineError('there is no primary'))
  }

  destroy(): void {
    clearInterval(this.timer)
    this.timer = undefined
    end(this.sentinel)
    end(this.primary)
  }

  private look(): Promise<void> {
    this.looking ??= this.follow().finally(() => {
      this.looking = undefined
    })
    return this.looking
  }

  /** Connects to the primary, if it has changed. */
  private async follow(): Promise<void> {
    const [host, port] = await this.ask()
    const at = `${host}:${port}`
    if (at === this.at) return
    let isThere = false
    const next = this.open({ host, port: Number(port), reconnectStrategy: () => isThere && 100 })
    next.on('ready', (error) => this.listeners.ready(error))
    try {
      await next.connect()
      const [role] = (await next.sendCommand(['ROLE'])) as [string]
      if (role !== 'master') throw new Error(`${at} is no primary yet`)
    } catch (error) {
      end(next)
      throw error
    }
    isThere = true
    next.on('error', (error) => this.listeners.error(error))
    const before = this.primary
    this.primary = next
    this.at = at
    end(before)
  }

  /** The address of the primary, from the first sentinel that knows it. */
  private async ask(): Promise<[string, string]> {
    let failed = new Error('no sentinel answers')
    for (const socket of [undefined, ...this.of.sentinels]) {
      if (!socket && !this.sentinel) continue
      try {
        if (socket) {
          end(this.sentinel)
          // User, password and database in the options are those of the primary.
          const own = { username: undefined, password: undefined, ...this.of.login, database: undefined }
          this.sentinel = this.open({ ...socket, reconnectStrategy: false }, own)
          await this.sentinel.connect()
        }
        const told = await (this.sentinel as Client).sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', this.of.name])
        if (told) return told as [string, string]
        failed = new Error(`the sentinels know no ${this.of.name}`)
      } catch (error) {
        failed = error as Error
      }
    }
    throw failed
  }

  private open(socket: object, others: object = {}): Client {
    const { create, options } = this.of
    const client = create({ ...options, ...others, socket: { ...options.socket, ...socket } })
    client.on('error', () => {})
    return client
  }
}

/** A client that was closed already says so. */
function end(client: Client | undefined): void {
  try {
    client?.destroy()
  } catch {}
}
