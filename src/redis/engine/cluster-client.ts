import type { Client } from './engine.js'

/** The part of @redis/client's cluster that we use. */
export interface ClusterOf {
  connect(): Promise<unknown>
  on(event: string, listener: (error: Error) => void): unknown
  sendCommand(key: string | undefined, isReadonly: boolean, args: string[]): Promise<unknown>
  destroy(): void
  readonly masters: object[]
  nodeClient(master: object): Client | Promise<Client>
}

/** Commands about a node, not about a key. */
const keyless = new Set(['WAIT', 'CONFIG', 'INFO', 'PING'])

/** A client of the nodes of a cluster. A command is sent again only if a node has refused it because another has the key. */
export class ClusterClient implements Client {
  constructor(private readonly cluster: ClusterOf) {}

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

  /** The answers of all primaries. */
  async sendToAll(args: string[]): Promise<unknown[]> {
    const { cluster } = this
    return Promise.all(cluster.masters.map(async (it) => (await cluster.nodeClient(it)).sendCommand(args)))
  }

  destroy(): void {
    this.cluster.destroy()
  }
}
