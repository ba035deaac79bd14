import { setTimeout } from 'node:timers/promises'
import { RealEngine } from '../engine.js'
import { finalNames, oneCall, type Tally } from './clients.js'
import { Judge } from './judge.js'
import { deeds } from './nemesis.js'
import { Process } from './processes.js'

export interface Partition {
  /** The built command line. */
  main: string
  seconds: number
  seed: number
  /** Only these deeds. */
  only?: readonly string[] | undefined
  /** Ends at the first fault. */
  isShort?: boolean
  say?: (text: string) => void
}

export interface Verdict extends Tally {
  faults: string[]
  deeds: Record<string, number>
  sandboxes: number
}

const lease = 1000
const most = 40

/** Three processes and one engine, under load, while the world goes wrong. */
export async function partition({
  main,
  seconds,
  seed,
  only,
  isShort = false,
  say = () => {}
}: Partition): Promise<Verdict> {
  const random = randomOf(seed)
  const engine = new RealEngine()
  await engine.start()
  const options = ['--fixtures', 'empty', '--lease', `${lease}ms`]
  const processes = [1, 2, 3].map((number) => new Process(number, engine, main, options))
  const tally: Tally = { calls: 0, writes: 0, reads: 0, refused: 0, unknown: 0 }
  const done: Record<string, number> = {}
  const judges: Judge[] = []
  const open: Judge[] = []
  const next = () => {
    const judge = new Judge(`s${judges.length}`)
    judges.push(judge)
    return judge
  }
  const faults = () => judges.flatMap((it) => it.faults)
  let until = 0
  const isOver = () => Date.now() > until || (isShort && faults().length > 0)

  const client = async () => {
    while (!isOver()) {
      const at = Math.floor(random() * 8)
      open[at] ??= next()
      const process = processes[Math.floor(random() * 3)] as Process
      if (process.url === undefined) await setTimeout(10)
      else await oneCall(process.url, open[at] as Judge, random(), tally)
      if ((open[at]?.size ?? 0) >= most) open[at] = next()
    }
  }
  const nemesis = async () => {
    const names = only ?? Object.keys(deeds)
    while (!isOver()) {
      await setTimeout(200 + 800 * random())
      const name = names[Math.floor(random() * names.length)] as string
      done[name] = (done[name] ?? 0) + 1
      say(name)
      await deeds[name]?.({ engine, processes, lease, random }, processes[Math.floor(random() * 3)] as Process)
    }
  }
  try {
    for (const it of processes) await it.relay.start()
    await Promise.all(processes.map((it) => it.start()))
    until = Date.now() + seconds * 1000
    await Promise.all([nemesis(), ...Array.from({ length: 12 }, client)])
    if (!isShort || faults().length === 0) {
      for (const judge of judges) {
        for (const process of processes) {
          const judged = judge.reads()
          judged(await finalNames(process, judge.sandbox))
        }
      }
    }
    const bugs = processes.flatMap(({ said }) => said.match(/^.*(?:TypeError|Unhandled|at .*\.js:\d+).*$/gm) ?? [])
    return { ...tally, faults: [...faults(), ...bugs], deeds: done, sandboxes: judges.length }
  } finally {
    await Promise.all(processes.map((it) => it.end('SIGKILL')))
    for (const { relay } of processes) relay.close()
    await engine.end()
  }
}

/** Repeatable numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
