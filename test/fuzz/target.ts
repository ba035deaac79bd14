import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { packageRoot } from '../../src/engine/contract/load.js'
import { ready } from '../cli.js'

/** A time in which the server's event loop did nothing else; milliseconds. */
export interface Stall {
  /** When it ended. */
  at: number
  delay: number
  /** The upper bound of the server's own work in it: the rest of the time it had no processor. */
  busy: number
  /** Of it, garbage collection. */
  collecting: number
  /** The cases that were answered meanwhile. */
  during?: string
}

/** Bytes, after garbage was collected. */
export interface Memory {
  heapUsed: number
  external: number
  rss: number
}

/** The built server in its own process, with a probe inside. */
export class Target {
  readonly stalls: Stall[] = []
  /** What it reports about its bugs. */
  stderr = ''
  onStall: (stall: Stall) => void = () => {}

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string
  ) {
    child.on('message', (message: { kind: string } & Stall) => {
      if (message.kind !== 'stall') return
      this.stalls.push(message)
      this.onStall(message)
    })
    child.stderr?.on('data', (chunk) => {
      if (this.stderr.length < 100_000) this.stderr += chunk
    })
  }

  static async start(args: string[]): Promise<Target> {
    const root = packageRoot()
    const probe = join(root, 'test/fuzz/probe.mjs')
    const environment = Object.entries(process.env).filter(
      ([name]) => !name.startsWith('KCM_') && name !== 'NODE_OPTIONS'
    )
    const child = spawn(
      process.execPath,
      ['--expose-gc', '--import', probe, join(root, 'dist/main.js'), '--port', '0', '--log', 'silent', ...args],
      { env: Object.fromEntries(environment), stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }
    )
    process.once('exit', () => child.kill('SIGKILL'))
    return new Target(child, await ready(child))
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  /** Whether it has ended, even if that is not noticed yet: connections end before their process does. */
  async hasEnded(): Promise<boolean> {
    if (this.isAlive) await Promise.race([once(this.child, 'exit'), setTimeout(2000)])
    return !this.isAlive
  }

  /** How it ended, and what it reported about its bugs. */
  get end(): string {
    return `${this.child.signalCode ?? `code ${this.child.exitCode}`}: ${this.stderr}`
  }

  async memory(): Promise<Memory> {
    this.child.send('memory')
    for (;;) {
      const [message] = (await once(this.child, 'message')) as [{ kind: string } & Memory]
      if (message.kind === 'memory') return message
    }
  }

  async stop(): Promise<void> {
    if (!this.isAlive) return
    const ended = once(this.child, 'exit')
    this.child.kill('SIGTERM')
    await ended
  }
}
