// npm run bench:replicas: what it costs that processes share a state on a Redis, and how fast sandboxes move.
import { loadavg } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, machine } from './machine.mjs'
import { median } from './numbers.mjs'
import { optionsOf } from './options.mjs'
import { cores, stop } from './processes.mjs'
import { drained, inSandbox, percentile, startEngine, startProcess, timed } from './replicas/cluster.mjs'
import { residentMemory } from './usage.mjs'
import { startVisitor } from './visitor.mjs'
import { workloads } from './workloads.mjs'

const help = `npm run bench:replicas -- [options]
  --only <part>       cost, cores, killed, drain, wake or asleep; can be repeated
  --rounds <n>        rounds of cost (default 9)
  --requests <n>      requests of a round (default 2000)
  --sandboxes <n>     sandboxes of asleep (default 100000); a twentieth of them is awake`
const { only, rounds, requests, sandboxes } = optionsOf(help, {
  only: { type: 'string', multiple: true },
  rounds: { type: 'string', default: '9' },
  requests: { type: 'string', default: '2000' },
  sandboxes: { type: 'string', default: '100000' }
})
const main = join(dirname(fileURLToPath(import.meta.url)), '../../dist/main.js')
const byId = (id) => workloads.find((it) => it.id === id)
const [read, write] = [byId('get-persona'), byId('post-session')]
const names = (count, prefix = 'box') => Array.from({ length: count }, (_, at) => `${prefix}-${at}`)
const visitor = startVisitor()
const engine = await startEngine()
const onEngine = (options = {}) => startProcess(main, { data: engine.data, ...options })

const parts = { cost, cores: scaled, killed, drain, wake, asleep }
console.log(describe(machine()))
for (const [name, part] of Object.entries(parts)) {
  if (only && !only.includes(name)) continue
  console.log(`\n## ${name} (load ${loadavg()[0].toFixed(1)})`)
  await part()
}
await engine.stop()
process.exit()

/** CPU time and latency of a write and a read, compared with a mock that stores nothing. */
async function cost() {
  const ways = [await startProcess(main, { core: cores.server }), await onEngine({ core: cores.server })]
  for (const workload of [write, read]) {
    const cases = names(32).map((name) => inSandbox(workload, name))
    const samples = ways.map(() => [])
    for (let round = -1; round < Number(rounds); round++) {
      for (const [at, { child, port }] of ways.entries()) {
        const busy = await visitor.visit(child, { port, cases, count: Number(requests), connections: 32 })
        const alone = await visitor.visit(child, { port, cases, count: Number(requests) / 10, connections: 1 })
        // The first one warms up.
        if (round >= 0) samples[at].push({ cpu: busy.cpu, latency: alone.median })
      }
    }
    const [memory, shared] = samples.map((all) => ({
      cpu: median(all.map(({ cpu }) => cpu)),
      latency: median(all.map(({ latency }) => latency))
    }))
    const [cpu, latency] = [shared.cpu - memory.cpu, shared.latency - memory.latency]
    console.log(
      `${workload.title}: ${memory.cpu.toFixed(1)} µs in memory, ${cpu.toFixed(1)} µs more; median ${memory.latency.toFixed(2)} ms, ${latency.toFixed(2)} ms more`
    )
  }
  for (const { child } of ways) await stop(child)
}

/** What a write costs in one process, and in each of three with affinity. All are as warm: a new process works twice as long. */
async function scaled() {
  const boxes = names(96, 'scaled')
  /** CPU of a write, where each sandbox is asked for in one of the processes. */
  const cpuOf = async (processes) => {
    const visits = processes.map(({ child, port }, at) => {
      const cases = boxes.filter((_, index) => index % processes.length === at).map((name) => inSandbox(write, name))
      return () => visitor.visit(child, { port, cases, count: Number(requests), connections: 16 })
    })
    // The first rounds warm up, and claim the sandboxes.
    for (let round = 0; round < 3; round++) for (const visit of visits) await visit()
    const samples = []
    for (let round = 0; round < Number(rounds); round++) for (const visit of visits) samples.push((await visit()).cpu)
    for (const it of processes) await drained(it)
    return median(samples)
  }
  const three = await cpuOf([await onEngine(), await onEngine(), await onEngine()])
  const one = await cpuOf([await onEngine()])
  console.log(`write: ${one.toFixed(1)} µs in one process, ${three.toFixed(1)} µs in each of three with affinity`)
  console.log(`with a core each, three answer ${((3 * one) / three).toFixed(2)} × as many`)
}

/** From the end of a process until another answers for its sandboxes. */
async function killed() {
  const took = []
  for (let round = 0; round < 3; round++) {
    const [owner, other] = [await onEngine(), await onEngine()]
    const boxes = names(8, `killed-${round}`).map((name) => inSandbox(write, name))
    for (const box of boxes) await timed(owner.url, box)
    await stop(owner.child)
    took.push(...(await Promise.all(boxes.map((box) => timed(other.url, box)))))
    await drained(other)
  }
  console.log(
    `answered again after ${(median(took) / 1000).toFixed(2)} s, at most ${(Math.max(...took) / 1000).toFixed(2)} s`
  )
}

/** What requests wait while a process hands its sandboxes over. */
async function drain() {
  const [owner, other] = [await onEngine(), await onEngine()]
  const boxes = names(1000, 'drained').map((name) => inSandbox(write, name))
  await visitor.visit(owner.child, { port: owner.port, cases: boxes })
  const ended = drained(owner)
  const took = []
  const rest = boxes.values()
  const client = async () => {
    for (const box of rest) took.push(await timed(other.url, box))
  }
  await Promise.all(Array.from({ length: 8 }, client))
  await ended
  console.log(`1,000 sandboxes: p50 ${median(took).toFixed(1)} ms, p99 ${percentile(took, 0.99).toFixed(1)} ms`)
  await drained(other)
}

/** The first request of a sandbox of 128 kB that is in the engine alone. */
async function wake() {
  const first = await onEngine()
  const count = 200
  const row = { ...write, body: Buffer.from(JSON.stringify({ description: 'x'.repeat(900) })) }
  const boxes = names(count, 'large')
  const cases = boxes.flatMap((name) => Array(115).fill(inSandbox(row, name)))
  await visitor.visit(first.child, { port: first.port, cases })
  await drained(first)
  const second = await onEngine()
  const took = []
  for (const name of boxes) took.push(await timed(second.url, inSandbox(read, name)))
  const size = Number(await engine.cli('MEMORY', 'USAGE', `kcm:{large-7}:log`))
  console.log(
    `${count} of ${Math.round(size / 1000)} kB: p50 ${median(took).toFixed(1)} ms, p99 ${percentile(took, 0.99).toFixed(1)} ms`
  )
  await drained(second)
}

/** The memory of two processes and the engine, with many sandboxes of which few are awake. */
async function asleep() {
  const count = Number(sandboxes)
  const usedMemory = async () => Number(/used_memory:(\d+)/.exec(await engine.cli('INFO', 'memory'))[1])
  const before = await usedMemory()
  const all = names(count, 'many')
  const batch = 10_000
  for (let at = 0; at < count; at += batch) {
    const maker = await onEngine()
    const cases = all.slice(at, at + batch).map((name) => inSandbox(write, name))
    await visitor.visit(maker.child, { port: maker.port, cases, connections: 32 })
    await drained(maker)
  }
  await sleep(500)
  const perBox = ((await usedMemory()) - before) / count
  const two = [await onEngine(), await onEngine()]
  const awake = all.filter((_, at) => at % 20 === 0)
  for (const [at, { child, port }] of two.entries()) {
    const cases = awake.filter((_, number) => number % 2 === at).map((name) => inSandbox(read, name))
    await visitor.visit(child, { port, cases, connections: 32 })
  }
  const sizes = two.map(({ child }) => `${Math.round(residentMemory(child.pid) / 1e6)} MB`)
  console.log(
    `${count} sandboxes, ${awake.length} awake: ${sizes.join(' and ')}; ${(perBox / 1000).toFixed(2)} kB of each in the engine`
  )
  for (const it of two) await drained(it)
}
