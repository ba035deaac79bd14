import { setTimeout } from 'node:timers/promises'
import type { RealEngine } from '../engine.js'
import { added, finalNames } from './clients.js'
import type { Process } from './processes.js'
import { json, send } from './sending.js'

export interface Scene {
  engine: RealEngine
  processes: readonly Process[]
  /** Milliseconds. */
  lease: number
  random: () => number
  fault: (text: string) => void
}

type Deed = (scene: Scene, victim: Process) => Promise<void>

/** The deeds that cause trouble, one after another. */
export const deeds: Record<string, Deed> = {
  async 'a process is killed'({ random }, victim) {
    await victim.end('SIGKILL')
    await setTimeout(random() * 500)
    await victim.start()
  },
  async 'a process hangs'({ lease, random }, victim) {
    victim.signal('SIGSTOP')
    await setTimeout(lease * (0.5 + 2 * random()))
    victim.signal('SIGCONT')
  },
  async 'a process is asked to stop'(_, victim) {
    await victim.end('SIGTERM')
    await victim.start()
  },
  async 'the engine is killed'({ engine, random }) {
    await engine.kill()
    await setTimeout(random() * 300)
    await engine.start()
  },
  async 'the engine hangs'({ engine, lease, random }) {
    await engine.kill('SIGSTOP')
    await setTimeout(lease * (0.2 + 1.3 * random()))
    await engine.kill('SIGCONT')
  },
  async 'a lease is deleted'({ engine }) {
    const names = (await engine.ask('KEYS', 'kcm:node:*')).match(/kcm:node:[\w.]+/g) ?? []
    if (names.length > 0) await engine.ask('DEL', ...names)
  },
  async 'connections to the engine are cut'(_, { relay }) {
    relay.cut()
  },
  async 'answers of the engine are lost'({ random }, { relay }) {
    relay.swallows = true
    await setTimeout(200 * random())
    relay.swallows = false
  },
  async 'the engine is far away'({ random }, { relay }) {
    relay.delay = 100 * random()
    await setTimeout(500)
    relay.delay = 0
  },
  async 'connections between processes are cut'(_, { peers }) {
    peers.cut()
  },
  async 'answers between processes are lost'({ random }, { peers }) {
    peers.swallows = true
    await setTimeout(200 * random())
    peers.swallows = false
  },
  async 'the other processes are far away'({ random }, { peers }) {
    peers.delay = 100 * random()
    await setTimeout(500)
    peers.delay = 0
  },
  async 'a clock jumps'({ lease, random }, victim) {
    victim.setClock(random() < 0.5 ? 7200 : -7200)
    // The process sees it within a second.
    await setTimeout(lease * (1 + random()))
    if (random() < 0.5) victim.setClock(0)
  },
  async 'the engine loses the end of a log'({ engine, fault }, victim) {
    count += 1
    const sandbox = `lost-${count}`
    const [first, second] = [await added(victim, sandbox, 'first'), await added(victim, sandbox, 'second')]
    if (!first || !second) return
    const log = `kcm:{${sandbox}}:log`
    const last = /\d+-\d+/.exec(await engine.ask('XREVRANGE', log, '+', '-', 'COUNT', '1'))?.[0] as string
    await engine.ask('XDEL', log, last)
    if (!(await added(victim, sandbox, 'third'))) return
    const kept = await engine.ask('XRANGE', log, '-', '+')
    for (const name of await finalNames(victim, sandbox)) {
      if (!kept.includes(`"${name}"`)) fault(`${sandbox}: memory has ${name}, and its log has not`)
    }
  },
  async 'two processes claim a sandbox at once'({ fault, processes, random }) {
    count += 1
    const sandbox = `both-${count}`
    const [one, other] = processes.toSorted(() => random() - 0.5) as [Process, Process]
    for (const { relay } of processes) relay.delay = 30
    // A read does not create it.
    const look = (it: Process) => it.url && send(it.url, sandbox, json('GET', '/__mock/state'))
    await Promise.all([look(one), look(other)])
    const isAdded = await added(one, sandbox, 'first')
    const seen = await look(other)
    if (isAdded && seen && seen.status === 200 && !seen.text.includes('"first"'))
      fault(`${sandbox}: a read does not show what was answered`)
    for (const { relay } of processes) relay.delay = 0
  },
  async 'a process with another start comes'({ engine, fault, processes }, victim) {
    const leases = async () => (await engine.ask('KEYS', 'kcm:node:*')).match(/kcm:node:/g)?.length ?? 0
    while ((await leases()) < processes.length) await setTimeout(50)
    const said = await victim.refused('--seed', '2')
    if (!said?.includes('seed is 2 here and 1 there')) fault(`a process with another start is not refused: ${said}`)
  }
}

let count = 0
