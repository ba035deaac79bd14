import { type ChildProcess, spawn } from 'node:child_process'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { cleanEnvironment, ended, ready } from '../../cli.js'
import { Balancer } from '../balancer.js'
import { freePort, RealEngine, token } from '../engine.js'
import { Lives } from './lives.js'

export interface Rolled {
  calls: number
  writes: number
  /** Sandboxes that were made, looked at, listed and dropped. */
  lives: number
  /** What a client got that was not a good answer, and what differs from the answers. */
  faults: string[]
}

const clients = 8
const boxes = 12
/** Writes in a sandbox. */
const most = 40
/** Seconds. */
const delay = 0.6

/** Three processes behind HAProxy are restarted one after another, under load on connections that stay open. */
export async function rolling(main: string, restarts: number, say = (_: string) => {}): Promise<Rolled> {
  const engine = new RealEngine()
  const balancer = new Balancer(engine.folder)
  const report: Rolled = { calls: 0, writes: 0, lives: 0, faults: [] }
  const all: Box[] = []
  const open: Box[] = []
  let isOver = false

  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = async (method: string, path: string, sandbox: string, body?: object): Promise<[number, string]> => {
      report.calls += 1
      return send(balancer.socket, agent, sandbox, { method, path, body })
    }
    while (!isOver) {
      if (Math.random() < 0.1) {
        const from = open[Math.floor(Math.random() * boxes)]
        await lives.one(ask, from?.kept.size ? { name: from.name, rows: [...from.kept] } : undefined)
        report.lives += 1
        continue
      }
      const at = Math.floor(Math.random() * boxes)
      let box = open[at]
      if (!box || box.asked >= most) {
        box = { name: `box-${all.length}`, asked: 0, kept: new Set() }
        open[at] = box
        all.push(box)
      }
      await once(box, agent)
    }
    agent.destroy()
  }
  const once = async (box: Box, agent: Agent) => {
    const isWrite = Math.random() < 0.5
    if (isWrite) box.asked += 1
    const name = `n${box.asked}`
    const before = [...box.kept]
    report.calls += 1
    const [status, text] = await ask(balancer.socket, agent, box.name, isWrite ? name : undefined)
    if (status !== 200) report.faults.push(`${isWrite ? 'POST' : 'GET'} ${box.name}: ${status} ${text}`)
    else if (isWrite) {
      report.writes += 1
      box.kept.add(name)
    } else {
      const seen = new Set(namesIn(text))
      const lost = before.filter((it) => !seen.has(it))
      if (lost.length > 0) report.faults.push(`${box.name}: ${lost} was not read`)
    }
  }

  const lives = new Lives((text) => report.faults.push(text), namesIn)
  const ports = [await freePort(), await freePort(), await freePort()]
  const children: ChildProcess[] = []
  const begin = async (at: number) => {
    const where = ['--port', ports[at] as string, '--data', engine.url, '--control-token', token]
    const how = ['--fixtures', 'empty', '--log', 'silent', '--shutdown-delay', String(delay)]
    const child = spawn(process.execPath, [main, ...where, ...how], {
      env: cleanEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit']
    })
    children[at] = child
    await ready(child)
  }
  try {
    await engine.start()
    await Promise.all(ports.map((_, at) => begin(at)))
    await balancer.start(
      ports.map((port) => `127.0.0.1:${port}`),
      (text) => text.replaceAll('inter 1s', 'inter 100ms')
    )
    const working = Array.from({ length: clients }, client)
    for (let count = 0; count < restarts; count++) {
      const at = count % 3
      const child = children[at] as ChildProcess
      const end = ended(child)
      child.kill('SIGTERM')
      const { code } = await end
      if (code !== 0) report.faults.push(`a process ended with ${code}`)
      await begin(at)
      await balancer.isUp(at)
      say(`${count + 1} restarts, ${report.calls} calls, ${report.faults.length} faults`)
    }
    isOver = true
    await Promise.all(working)
    const agent = new Agent({ keepAlive: true })
    for (const { name, kept } of all) {
      const [, text] = await ask(balancer.socket, agent, name)
      const found = namesIn(text)
      if (found.length !== kept.size) report.faults.push(`${name} has ${found.length} rows of ${kept.size} in answers`)
    }
    agent.destroy()
    return report
  } finally {
    isOver = true
    balancer.end()
    for (const child of children) child.kill('SIGKILL')
    await engine.end()
    await setTimeout(0)
  }
}

/** The path that lists the rows of a sandbox. */
export const sessions = '/api/chat/get-user-chat-sessions'

interface Box {
  name: string
  asked: number
  /** The names of the rows in the answers. */
  kept: Set<string>
}

/** Makes a row, or without a name reads all. */
function ask(socketPath: string, agent: Agent, sandbox: string, name?: string): Promise<[number, string]> {
  if (name === undefined) return send(socketPath, agent, sandbox, { method: 'GET', path: sessions })
  const body = { description: name }
  return send(socketPath, agent, sandbox, { method: 'POST', path: '/api/chat/create-chat-session', body })
}

/** Sends a request once. Status 0: there was no answer. */
function send(
  socketPath: string,
  agent: Agent,
  sandbox: string,
  { method, path, body: given }: { method: string; path: string; body?: object | undefined }
): Promise<[number, string]> {
  const body = given && JSON.stringify(given)
  const headers = {
    host: 'localhost',
    authorization: `Bearer admin~${sandbox}`,
    'x-mock-control-token': token,
    ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  }
  return new Promise((resolve) => {
    const sent = request({ socketPath, agent, method, path, headers }, async (response: IncomingMessage) => {
      let text = ''
      try {
        for await (const chunk of response) text += chunk
        resolve([response.statusCode ?? 0, text])
      } catch (error) {
        resolve([0, (error as Error).message])
      }
    })
    sent.on('error', ({ message }) => resolve([0, message])).end(body)
  })
}

const namesIn = (text: string): string[] => JSON.parse(text).sessions.map(({ name }: { name: string }) => name)
