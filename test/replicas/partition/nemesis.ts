import { setTimeout } from 'node:timers/promises'
import type { RealEngine } from '../engine.js'
import type { Process } from './processes.js'

interface Scene {
  engine: RealEngine
  processes: readonly Process[]
  /** Milliseconds. */
  lease: number
  random: () => number
}

type Deed = (scene: Scene, victim: Process) => Promise<void>

/** What goes wrong in the world, one thing after another. */
export const deeds: Record<string, Deed> = {
  async 'a process is killed'({ random }, victim) {
    await victim.end('SIGKILL')
    await setTimeout(random() * 500)
    await victim.start()
  },
  async 'a process stands still'({ lease, random }, victim) {
    victim.signal('SIGSTOP')
    await setTimeout(lease * (0.5 + 2 * random()))
    victim.signal('SIGCONT')
  },
  async 'a process is told to stop'(_, victim) {
    await victim.end('SIGTERM')
    await victim.start()
  },
  async 'the engine is killed'({ engine, random }) {
    await engine.kill()
    await setTimeout(random() * 300)
    await engine.start()
  },
  async 'the engine stands still'({ engine, lease, random }) {
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
  }
}
