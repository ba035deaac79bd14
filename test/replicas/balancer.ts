import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parse } from 'yaml'
import { packageRoot } from '../../src/engine/contract/load.js'

// No containers run here, only HAProxy with these lines.
export const compose = parse(readFileSync(join(packageRoot(), 'compose.yaml'), 'utf8'), { merge: true })

/** A real HAProxy with the lines of compose.yaml, on a Unix socket in a folder. Its servers are called a, b, c and so on. */
export class Balancer {
  readonly socket: string
  private readonly control: string
  private child: ChildProcess | undefined

  constructor(private readonly folder: string) {
    this.socket = join(folder, 'haproxy.sock')
    this.control = join(folder, 'haproxy-control.sock')
  }

  /** `servers`: their hosts with ports. `change`: changes the lines. */
  async start(servers: readonly string[], change: (text: string) => string = (text) => text): Promise<void> {
    const text = compose.configs.haproxy.content as string
    const [line = ''] = /^ *server a .*$/m.exec(text) ?? []
    const lines = servers.map((host, at) => line.replace(/server a \S+/, `server ${nameOf(at)} ${host}`))
    const own = text
      .replace(/^ *server b .*\n/m, '')
      .replace(line, lines.join('\n'))
      .replace('bind :4010', `bind unix@${this.socket} mode 666`)
      .replace('default_backend mock', 'default_backend mock\n  http-response set-header X-Server %s')
    const file = join(this.folder, 'haproxy.cfg')
    writeFileSync(file, change(`global\n  stats socket ${this.control}\n${own}`))
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' })
    if (status !== 0 || stderr.includes('ALERT')) throw new Error(`HAProxy does not take its lines: ${stderr}`)
    this.child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
    for (const at of servers.keys()) await this.isUp(at)
  }

  /** Resolves when it sends requests to a server. */
  async isUp(at: number): Promise<void> {
    const isUp = new RegExp(`^mock,${nameOf(at)},(?:[^,]*,){15}UP,`, 'm')
    while (!isUp.test(await this.ask('show stat').catch(() => ''))) await setTimeout(20)
  }

  end(): void {
    this.child?.kill('SIGKILL')
  }

  private async ask(command: string): Promise<string> {
    const socket = connect(this.control)
    socket.end(`${command}\n`)
    let answer = ''
    for await (const chunk of socket) answer += chunk
    return answer
  }
}

const nameOf = (at: number) => String.fromCharCode('a'.charCodeAt(0) + at)
