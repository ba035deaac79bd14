import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment, ended, ready } from '../../cli.js'
import { type RealEngine, token } from '../engine.js'
import { Relay } from './relay.js'

/** A process of the mock, which may be killed, stopped and started again. */
export class Process {
  url: string | undefined
  child: ChildProcess | undefined
  /** Between it and the engine. */
  readonly relay: Relay
  /** Between the other processes and it. */
  readonly peers: Relay
  starts = 0
  /** Its stderr. */
  said = ''
  private readonly clock: string

  constructor(
    number: number,
    engine: RealEngine,
    private readonly main: string,
    private readonly options: readonly string[]
  ) {
    this.relay = new Relay(join(engine.folder, `relay-${number}.sock`), engine.socket)
    this.peers = new Relay(0, () => Number(new URL(this.url ?? 'http://localhost:1').port))
    this.clock = join(engine.folder, `clock-${number}`)
    this.setClock(0)
  }

  /** Sets its clock off by so many seconds. */
  setClock(seconds: number): void {
    writeFileSync(this.clock, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  }

  async open(): Promise<void> {
    await this.relay.start()
    await this.peers.start()
    await this.start()
  }

  /** Starts it, and again if it does not come up: the engine may be away. */
  async start(): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      const child = this.spawn()
      this.child = child
      child.on('exit', () => {
        if (this.child === child) this.url = undefined
      })
      try {
        this.url = await ready(child)
        this.starts += 1
        return
      } catch {
        await exited(child)
      }
    }
    throw new Error(`a process does not start: ${this.said}`)
  }

  /** Starts one more with other options. Returns its messages before it ends, or undefined if it does not end. */
  async refused(...options: string[]): Promise<string | undefined> {
    const child = this.spawn(...options)
    const end = ended(child)
    const isUp = await ready(child).then(
      () => true,
      () => false
    )
    child.kill('SIGKILL')
    const { stderr } = await end
    return isUp ? undefined : stderr
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal)
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this
    if (!child) return
    child.kill(signal)
    await exited(child)
  }

  async close(): Promise<void> {
    await this.end('SIGKILL')
    this.relay.close()
    this.peers.close()
  }

  private spawn(...more: string[]): ChildProcess {
    const address = ['--data', `redis+unix://${this.relay.path}`, '--peer', `http://127.0.0.1:${this.peers.port}`]
    const own = ['--port', '0', '--control-token', token, '--log', 'silent']
    const child = spawn(process.execPath, [this.main, ...own, ...address, ...this.options, ...more], {
      env: { ...cleanEnvironment(), ...this.otherTime() },
      stdio: ['ignore', 'pipe', 'pipe']
    })
    child.stderr.on('data', (text) => {
      this.said += text
    })
    return child
  }

  private otherTime(): NodeJS.ProcessEnv {
    return {
      LD_PRELOAD: libfaketime(),
      FAKETIME_TIMESTAMP_FILE: this.clock,
      FAKETIME_CACHE_DURATION: '1',
      // The clock that never jumps.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1'
    }
  }
}

async function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

function libfaketime(): string {
  const folders = readdirSync('/usr/lib').map((name) => `/usr/lib/${name}/faketime/libfaketimeMT.so.1`)
  const found = folders.find((it) => existsSync(it))
  if (!found) throw new Error('This needs libfaketime: apt-get install libfaketime')
  return found
}
