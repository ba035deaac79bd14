import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** A redis-server on a Unix socket in a folder that is gone after the tests. */
export class RealEngine {
  readonly folder = mkdtempSync(join(tmpdir(), 'kcm-redis-'))
  readonly socket = join(this.folder, 'redis.sock')
  readonly url = `redis+unix://${this.socket}`
  child: ChildProcess | undefined

  constructor(readonly sync: 'everysec' | 'always' = 'everysec') {}

  async start(...given: string[]): Promise<void> {
    const keeps = ['--appendonly', 'yes', '--appendfsync', this.sync, '--save', '']
    const where = ['--port', '0', '--unixsocket', this.socket, '--dir', this.folder]
    this.child = spawn('redis-server', [...where, ...keeps, ...given], { stdio: 'ignore' })
    this.child.on('error', (error) => {
      throw new Error(`These tests need redis-server: apt-get install redis-server (${error.message})`)
    })
    while ((await this.ask('PING').catch(() => '')) !== '+PONG\r\n') await setTimeout(5)
  }

  /** Sends one command and gives the bytes of the answer. */
  ask(...command: string[]): Promise<string> {
    return this.askAt(this.socket, ...command)
  }

  askAt(path: string | number, ...command: string[]): Promise<string> {
    return this.askAllAt(path, command)
  }

  async askAllAt(path: string | number, ...commands: string[][]): Promise<string> {
    const socket = connect(path as string)
    for (const command of commands) {
      const text = command.map((it) => `$${Buffer.byteLength(it)}\r\n${it}\r\n`).join('')
      socket.write(`*${command.length}\r\n${text}`)
    }
    socket.end()
    let answer = ''
    for await (const chunk of socket) answer += chunk
    return answer
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { child } = this
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    if (signal === 'SIGKILL') await once(child, 'exit')
  }

  async end(): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export const token = 'control-token'

/** A free port: engines find each other by ports alone. */
export async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}
