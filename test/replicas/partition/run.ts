import { setTimeout } from 'node:timers/promises'
import { RealEngine } from '../engine.js'
import { finalNames, oneCall, type Tally } from './clients.js'
import { Judge } from './judge.js'
import { type Mirror, Reference } from './mirror.js'
import { deeds } from './nemesis.js'
import { Process } from './processes.js'

export interface Partition {
  /** The built command line. */
  main: string
  seed: number
  /** How long it runs. Otherwise it ends after so many calls, when each deed was done. */
  seconds?: number | undefined
  calls?: number | undefined
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
  mirrors: number
}

const lease = 1000
const most = 40
const clients = { lists: 12, mirrors: 4 }

/** Three processes and one engine, under load, with faults. */
export async function partition(given: Partition): Promise<Verdict> {
  const { main, seed, seconds = 0, calls = 0, only, isShort = false, say = () => {} } = given
  const random = randomOf(seed)
  // With `everysec`, an engine that is killed while its disk is busy loses up to two seconds of what it answered.
  const engine = new RealEngine('always')
  const options = ['--fixtures', 'empty', '--lease', `${lease}ms`, '--max-sandboxes', '1000000', '--sync', 'always']
  const processes = [1, 2, 3].map((number) => new Process(number, engine, main, options))
  const tally: Tally = { calls: 0, writes: 0, reads: 0, refused: 0, unknown: 0 }
  const done: Record<string, number> = {}
  const names = only ?? Object.keys(deeds)
  const judges: Judge[] = []
  const open: Judge[] = []
  const reference = new Reference()
  const mirrors: Mirror[] = []
  const others: string[] = []
  const faults = () => [...judges, ...mirrors].flatMap((it) => it.faults).concat(others)
  let until = 0
  const isOver = () =>
    (isShort && faults().length > 0) ||
    (Date.now() > until && tally.calls >= calls && (seconds > 0 || Object.keys(done).length === names.length))
  /** The calls are spread over the deeds. */
  const waits = () => seconds === 0 && tally.calls * names.length >= calls * (Object.keys(done).length + 1)
  const anyone = () => processes[Math.floor(random() * 3)] as Process

  const client = async () => {
    while (!isOver()) {
      const at = Math.floor(random() * 8)
      const judge = open[at] ?? new Judge(`s${judges.length}`)
      if (!open[at]) judges.push(judge)
      open[at] = judge
      const { url } = anyone()
      if (url === undefined || waits()) await setTimeout(10)
      else await oneCall(url, judge, random(), tally)
      if (judge.size >= most && open[at] === judge) delete open[at]
    }
  }
  const mirrored = async () => {
    while (!isOver()) {
      const mirror = reference.next(seed)
      mirrors.push(mirror)
      while (!mirror.isOver && !isOver()) {
        const { url } = anyone()
        if (url === undefined || waits()) {
          await setTimeout(10)
          continue
        }
        tally.calls += 1
        const outcome = await mirror.call(url)
        if (outcome !== 'done') tally[outcome] += 1
      }
    }
  }
  const nemesis = async () => {
    for (let at = 0; !isOver(); at++) {
      await setTimeout(50 + 400 * random())
      // Each once, then by chance.
      const name = names[at < names.length ? at : Math.floor(random() * names.length)] as string
      const scene = { engine, processes, lease, random, fault: (text: string) => void others.push(text) }
      say(name)
      await deeds[name]?.(scene, anyone())
      done[name] = (done[name] ?? 0) + 1
    }
  }
  const compared = async () => {
    const each = <T>(all: readonly T[], work: (it: T) => Promise<void>) => {
      const rest = all.values()
      return Promise.all(
        processes.map(async () => {
          for (const it of rest) await work(it)
        })
      )
    }
    await each(judges, async (judge) => {
      for (const process of processes) judge.reads()(await finalNames(process, judge.sandbox))
    })
    await each(mirrors, async (mirror) => {
      while (!(await mirror.compare(anyone().url as string))) await setTimeout(50)
    })
  }
  try {
    await engine.start()
    await reference.start()
    await Promise.all(processes.map((it) => it.open()))
    until = Date.now() + seconds * 1000
    await Promise.all([
      nemesis(),
      ...Array.from({ length: clients.lists }, client),
      ...Array.from({ length: clients.mirrors }, mirrored)
    ])
    // A process that hung has handled its unread requests by now.
    await setTimeout(3 * lease)
    if (!isShort || faults().length === 0) await compared()
    const bugs = processes.flatMap(({ said }) => said.match(/^.*(?:TypeError|Unhandled|at .*\.js:\d+).*$/gm) ?? [])
    const counts = { deeds: done, sandboxes: judges.length, mirrors: mirrors.length }
    return { ...tally, faults: [...faults(), ...bugs], ...counts }
  } finally {
    await Promise.all(processes.map((it) => it.close()))
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
