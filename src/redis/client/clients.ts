import { clearInterval, setInterval } from 'node:timers'
import { lazily } from '../../engine/contract/lazy.js'
import type { EngineAddress } from './address.js'

/** The part of @redis/client that we use. Users install it themselves, so its types may be missing. */
export interface Client {
  connect(): Promise<unknown>
  on(event: 'error' | 'ready', listener: (error: Error) => void): unknown
  sendCommand(args: string[]): Promise<unknown>
  /** The answers of all primaries, if there are several. */
  sendToAll?(args: string[]): Promise<unknown[]>
  destroy(): void
}

/** The part of its cluster that we use. */
interface Cluster {
  connect(): Promise<unknown>
  on(event: string, listener: (error: Error) => void): unknown
  sendCommand(key: string | undefined, isReadonly: boolean, args: string[]): Promise<unknown>
  destroy(): void
  readonly masters: object[]
  nodeClient(master: object): Client | Promise<Client>
}

export interface ClientOptions {
  socket: object
  [name: string]: unknown
}

interface Package {
  createClient: (options: ClientOptions) => Client
  createCluster: (options: object) => Cluster
}

const packageName = '@redis/client'

/** Creates the client for an address. Throws an Error if the package is missing. */
export function clientFor(address: EngineAddress): (options: ClientOptions) => Client {
  const { createClient, createCluster } = loaded()
  const { nodes = [], sentinel } = address
  if (sentinel !== undefined) return (options) => new SentinelClient(createClient, address, options)
  if (nodes.length === 0) return createClient
  return ({ socket, ...options }) => {
    const rootNodes = nodes.map((node) => ({ socket: node }))
    return new ClusterClient(createCluster({ ...options, rootNodes, defaults: { ...options, socket } }))
  }
}

function loaded(): Package {
  try {
    return lazily(packageName) as Package
  } catch {
    throw new Error(
      `data (--data) is a Redis: that needs the package ${packageName} next to knowledge-chat-mock: npm install ${packageName}`
    )
  }
}

/** Commands about a node, not about a key. */
const keyless = new Set(['WAIT', 'CONFIG', 'INFO', 'PING'])

/** A client of the nodes of a cluster. A command is sent again only if a node has refused it because another has the key. */
class ClusterClient implements Client {
  constructor(private readonly cluster: Cluster) {}

  connect(): Promise<unknown> {
    return this.cluster.connect()
  }

  on(event: 'error' | 'ready', listener: (error: Error) => void): void {
    this.cluster.on(event === 'ready' ? 'node-ready' : event, listener)
    if (event === 'error') this.cluster.on('node-error', listener)
  }

  sendCommand(args: string[]): Promise<unknown> {
    const [command = '', first, , third] = args
    const key = command.startsWith('EVAL') ? third : first
    return this.cluster.sendCommand(keyless.has(command) ? undefined : key, false, args)
  }

  async sendToAll(args: string[]): Promise<unknown[]> {
    const { cluster } = this
    return Promise.all(cluster.masters.map(async (it) => (await cluster.nodeClient(it)).sendCommand(args)))
  }

  destroy(): void {
    this.cluster.destroy()
  }
}

/** How often sentinels are asked who the primary is, in milliseconds. */
const every = 1000

class ClientOfflineError extends Error {}

/**
 * The client of the primary that sentinels name. The sentinel client of @redis/client sends commands again after a connection
 * broke, which could run them twice.
 */
class SentinelClient implements Client {
  private primary: Client | undefined
  private at = ''
  private sentinel: Client | undefined
  private timer: NodeJS.Timeout | undefined
  private looking: Promise<void> | undefined
  private readonly listeners = { error: (_: Error) => {}, ready: (_: Error) => {} }

  constructor(
    private readonly create: (options: ClientOptions) => Client,
    private readonly address: EngineAddress,
    private readonly options: ClientOptions
  ) {}

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
    end(this.sentinel)
    end(this.primary)
  }

  private look(): Promise<void> {
    this.looking ??= this.follow().finally(() => {
      this.looking = undefined
    })
    return this.looking
  }

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
      if (role !== 'master') throw new Error(`${at} is not a primary yet`)
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
    const { nodes = [], sentinel: name = '', login } = this.address
    let failed = new Error('no sentinel answers')
    for (const socket of [undefined, ...nodes]) {
      if (!socket && !this.sentinel) continue
      try {
        if (socket) {
          end(this.sentinel)
          // User, password and database in the options are those of the primary.
          const own = { username: undefined, password: undefined, ...login, database: undefined }
          this.sentinel = this.open({ ...socket, reconnectStrategy: false }, own)
          await this.sentinel.connect()
        }
        const primary = await (this.sentinel as Client).sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name])
        if (primary) return primary as [string, string]
        failed = new Error(`the sentinels know no ${name}`)
      } catch (error) {
        failed = error as Error
      }
    }
    throw failed
  }

  private open(socket: object, others: object = {}): Client {
    const { create, options } = this
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
