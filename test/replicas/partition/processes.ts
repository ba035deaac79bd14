import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { cleanEnvironment, ready } from '../../cli.js'
import { type RealEngine, token } from '../engine.js'
import { Relay } from './relay.js'

/** A process of the mock, which may be killed, stopped and started again. */
export class Process {
  url: string | undefined
  child: ChildProcess | undefined
  readonly relay: Relay
  starts = 0
  /** What it wrote to stderr. */
  said = ''

  constructor(
    number: number,
    engine: RealEngine,
    private readonly main: string,
    private readonly options: readonly string[]
  ) {
    this.relay = new Relay(join(engine.folder, `relay-${number}.sock`), engine.socket)
  }

  /** Starts it, and again if it does not come up: the engine may be away. */
  async start(): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      const data = `redis+unix://${this.relay.path}`
      const args = ['--port', '0', '--data', data, '--control-token', token, '--log', 'silent', ...this.options]
      const child = spawn(process.execPath, [this.main, ...args], {
        env: cleanEnvironment(),
        stdio: ['ignore', 'pipe', 'pipe']
      })
      this.child = child
      child.stderr.on('data', (text) => {
        this.said += text
      })
      child.on('exit', () => {
        if (this.child === child) this.url = undefined
      })
      try {
        this.url = await ready(child)
        this.starts += 1
        return
      } catch {
        await this.exited(child)
      }
    }
    throw new Error(`a process does not start: ${this.said}`)
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal)
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this
    if (!child) return
    child.kill(signal)
    await this.exited(child)
  }

  private async exited(child: ChildProcess): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}
