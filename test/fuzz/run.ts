import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { play } from './bare.js'
import { type Case, caseOf } from './case.js'
import { Lane } from './lane.js'
import { json, message } from './message.js'
import { type Memory, type Stall, Target } from './target.js'

export interface Options {
  seed: number
  requests: number
  /** Cases of this kind only. */
  only?: string | undefined
  /** Called from time to time with the report so far. */
  onProgress?: (report: Report) => void
}

export interface Failure {
  /** What must not happen. */
  of: '5xx' | 'crash' | 'change' | 'connection'
  seed: number
  number: number
  kind: string
  what: string
}

export interface Report {
  requests: number
  seconds: number
  /** How many answers there were, by kind and status. */
  answers: Record<string, Record<string, number>>
  /** Runs of refused requests with a comparison of the state, and their number of requests. */
  compared: { runs: number; requests: number }
  failures: Failure[]
  stalls: Stall[]
  /** After the warm-up and at the end. */
  memory: Memory[]
}

/** The last cases that were answered. */
const recent: { given: Case; at: number }[] = []
const mostRecent = 400

/** Parallel connections, and the number of requests of each between two comparisons of the state. */
const lanes = 8
const runLength = 400
/** Their cases are connections that the client may break off. */
const bareKinds = new Set(['framing', 'headers', 'aborts', 'leaving', 'slow'])
/** The number of them in progress. */
const atOnce = 16
/** The wild sandboxes are reset after this many runs, so that they stay small. */
const resetEvery = 10

const serverOptions = ['--now', '2026-03-02T10:00:00.000Z', '--max-sandboxes', '200']

/** Sends so many cases to a new server, and checks what happens. */
export async function fuzz({ seed, requests, only, onProgress = () => {} }: Options): Promise<Report> {
  const target = await Target.start(serverOptions)
  const report: Report = {
    requests: 0,
    seconds: 0,
    answers: {},
    compared: { runs: 0, requests: 0 },
    failures: [],
    stalls: target.stalls,
    memory: []
  }
  const started = performance.now()
  target.onStall = (stall) => {
    const from = Date.now() - stall.delay - 100
    const during = recent.filter(({ at }) => at >= from).map(({ given }) => `${given.number} ${given.kind}`)
    stall.during = during.slice(0, 40).join(', ')
  }
  const progress = setInterval(() => onProgress(report), 10_000)
  try {
    const warmUp = Math.min(20_000, Math.ceil(requests / 5))
    await sendAll(target, { seed, from: 0, to: warmUp, only, report })
    report.memory.push(await settled(target))
    await sendAll(target, { seed, from: warmUp, to: requests, only, report })
    report.memory.push(await settled(target))
  } catch (error) {
    if (!(await target.hasEnded())) throw error
    report.failures.push({
      of: 'crash',
      seed,
      number: report.requests,
      kind: 'all',
      what: `the server is gone: ${target.end}`
    })
  } finally {
    clearInterval(progress)
    report.seconds = (performance.now() - started) / 1000
    await target.stop()
    if (target.stderr) {
      const what = `the server reported a bug: ${target.stderr}`
      report.failures.push({ of: 'crash', seed, number: report.requests, kind: 'all', what })
    }
  }
  return report
}

interface Part {
  seed: number
  from: number
  to: number
  only: string | undefined
  report: Report
}

async function sendAll(target: Target, { seed, from, to, only, report }: Part): Promise<void> {
  let next = from
  const work = async (name: number) => {
    const worker = new Worker(target, name, report)
    for (let run = 0; next < to; run++) {
      const numbers = Array.from({ length: Math.min(runLength, to - next) }, () => next++)
      await worker.run(numbers.map((number) => caseOf(seed, number, only)))
      if (run % resetEvery === resetEvery - 1) await worker.reset()
      if (report.failures.length >= 20 || !target.isAlive) break
    }
    worker.close()
  }
  await Promise.all(Array.from({ length: lanes }, (_, name) => work(name)))
}

/** The memory of the idle server when all sandboxes are as in the beginning. */
async function settled(target: Target): Promise<Memory> {
  const lane = new Lane(target.url)
  const ask = (method: string, path: string, body?: string) =>
    lane.send(method, message(method, path, 'default', { headers: json, body }))
  const { sandboxes } = JSON.parse((await ask('GET', '/__mock/sandboxes')).body.toString())
  for (const { name } of sandboxes) if (name !== 'default') await ask('DELETE', `/__mock/sandboxes/${name}`)
  await ask('POST', '/__mock/reset', '{}')
  lane.close()
  // Connections that were broken off end meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 1000))
  return target.memory()
}

/** One connection after another with three sandboxes: where all is refused, where the platform is called, and control. */
class Worker {
  private readonly lane: Lane
  private readonly names: { calm: string; wild: string; control: string }
  private before: string | undefined

  constructor(
    private readonly target: Target,
    name: number,
    private readonly report: Report
  ) {
    this.lane = new Lane(target.url)
    this.names = { calm: `calm-${name}`, wild: `wild-${name}`, control: `control-${name}` }
  }

  async run(cases: Case[]): Promise<void> {
    this.before ??= await this.digest()
    const calm: Case[] = []
    let changed = false
    const left = cases.values()
    const playOn = async () => {
      for (const given of left) {
        const { isWrong, succeeded } = await this.play(given)
        if (isWrong) calm.push(given)
        if (isWrong && succeeded) changed = true
      }
    }
    await Promise.all(Array.from({ length: atOnce }, playOn))
    this.report.requests += cases.length
    const after = await this.digest()
    if (!changed) {
      this.report.compared.runs += 1
      this.report.compared.requests += calm.length
      if (after !== this.before) await this.search(calm)
      this.before = after
    } else {
      // Another worker may drop all sandboxes, so the calm one must be as at its start.
      await this.lane.send('DELETE', message('DELETE', `/__mock/sandboxes/${this.names.calm}`, 'default'))
      this.before = undefined
    }
  }

  async reset(): Promise<void> {
    for (const name of [this.names.wild, this.names.control]) {
      await this.lane.send('POST', message('POST', '/__mock/reset', name, { headers: json, body: '{}' }))
    }
  }

  close(): void {
    this.lane.close()
  }

  private async play(given: Case, sandbox?: string): Promise<{ isWrong: boolean; succeeded: boolean }> {
    const outcome = await this.send(given, sandbox)
    recent.push({ given, at: Date.now() })
    if (recent.length > mostRecent) recent.shift()
    return outcome
  }

  private async send(given: Case, sandbox?: string): Promise<{ isWrong: boolean; succeeded: boolean }> {
    // A case knows its sandbox when it is made; made again, it is the same for another sandbox.
    let made = given.make(sandbox ?? this.names.calm)
    if (!made.isWrong && sandbox === undefined) {
      made = given.make(made.isControl ? this.names.control : this.names.wild)
    }
    try {
      if ('bytes' in made) {
        const { method } = made
        const { status } = await this.lane.send(method, made.bytes)
        this.count(given, status)
        return { isWrong: made.isWrong, succeeded: status < 300 && !['GET', 'HEAD', 'OPTIONS'].includes(method) }
      }
      for (const status of await play(this.target.url, made)) this.count(given, status)
    } catch (error) {
      this.fail(given, 'connection', (error as Error).message)
    }
    return { isWrong: made.isWrong, succeeded: false }
  }

  private count(given: Case, status: number): void {
    this.report.answers[given.kind] ??= {}
    const byStatus = this.report.answers[given.kind] as Record<string, number>
    byStatus[status] = (byStatus[status] ?? 0) + 1
    if (status >= 500) this.fail(given, '5xx', `status ${status}`)
  }

  private fail({ seed, number, kind }: Case, of: Failure['of'], what: string): void {
    this.report.failures.push({ of, seed, number, kind, what })
  }

  /** Everything that a refused request must not change. */
  private async digest(sandbox = this.names.calm): Promise<string> {
    const hash = createHash('sha1')
    for (const part of ['state', 'clock', 'overrides', 'snapshots', 'assumptions']) {
      const { status, body } = await this.lane.send('GET', message('GET', `/__mock/${part}`, sandbox))
      if (status !== 200) throw new Error(`/__mock/${part} answered ${status}`)
      hash.update(body)
    }
    return hash.digest('hex')
  }

  /** Repeats the cases one by one to find the one that changed something. */
  private async search(cases: Case[]): Promise<void> {
    const sandbox = `${this.names.calm}-search`
    let before = await this.digest(sandbox)
    for (const given of cases) {
      await this.play(given, sandbox)
      // Bytes that were sent before a connection broke may be read afterwards.
      if (bareKinds.has(given.kind)) await new Promise((resolve) => setTimeout(resolve, 50))
      const after = await this.digest(sandbox)
      if (after !== before) return this.fail(given, 'change', 'was refused and changed the state')
      before = after
    }
    const what = `one of ${cases.length} refused cases from here on changed the state, together only`
    this.fail(cases[0] as Case, 'change', what)
  }
}
