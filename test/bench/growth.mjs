// npm run bench:growth: what a request of every operation costs as the state grows. Writes growth.{md,svg,json}.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ask } from './ask.mjs'
import { measured } from './growth/operations.mjs'
import { growthPlot, growthReport } from './growth/report.mjs'
import { machine, warnIfBusy } from './machine.mjs'
import { median } from './numbers.mjs'
import { optionsOf } from './options.mjs'
import { cores, startNode, stop } from './processes.mjs'
import { answered, nextMessage, startVisitor } from './visitor.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const help = `npm run bench:growth -- [options]
  --sizes <number,...>    rows (default 1000,10000,100000,1000000)
  --rounds <number>       rounds, of which the medians count (default 7)
  --only <id,...>         operations by name, such as createChatSession
  --out <folder>          where the results go (default test/bench)`

const values = optionsOf(help, {
  sizes: { type: 'string', default: '1000,10000,100000,1000000' },
  rounds: { type: 'string', default: '7' },
  only: { type: 'string' },
  out: { type: 'string', default: here }
})
/** Rows are put into the store itself, which the package does not show: `npm run bench:growth` bundles it with this server. */
const program = join(here, '../../dist/test/bench/growth.mjs')
const sizes = values.sizes.split(',').map(Number)
const chosen = measured.filter(({ id }) => !values.only || values.only.split(',').includes(id))

/** A batch takes about this long, and has this many requests at least and at most. */
const batch = { milliseconds: 120, fewest: 3, most: 1000, tries: 5 }
const warmUps = 3

warnIfBusy()
const visitor = startVisitor()
const columns = []
for (const size of sizes) columns.push(await measureAt(size))
await stop(visitor.child)

const results = {
  date: new Date().toISOString().slice(0, 10),
  machine: machine(),
  rounds: Number(values.rounds),
  sizes,
  operations: chosen.map(({ key, title, isSearch = false }) => ({
    key,
    title,
    isSearch,
    figures: columns.map((column) => column[key])
  }))
}
writeFileSync(join(values.out, 'growth.json'), `${JSON.stringify(results, null, 2)}\n`)
writeFileSync(join(values.out, 'growth.md'), growthReport(results))
writeFileSync(join(values.out, 'growth.svg'), growthPlot(results))
console.log(growthReport(results))
process.exit(0)

/** @returns {Promise<Record<string, {cpu: number, latency: number, bytes: number}>>} by operation; µs, ms, size of an answer */
async function measureAt(size) {
  const started = performance.now()
  const child = startNode(['--max-old-space-size=12288', '--expose-gc', program, String(size)], {
    core: cores.server,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
  const { port } = await nextMessage(child)
  console.error(`${size} sessions: ready after ${Math.round(performance.now() - started)} ms`)
  const server = { child, port }
  const samples = {}
  for (const operation of chosen) {
    samples[operation.key] = { ...(await tryOut(server, operation)), cpu: [], latency: [] }
  }
  for (let round = 1 - warmUps; round <= Number(values.rounds); round++) {
    for (const operation of chosen) {
      const sample = samples[operation.key]
      const { cpu, median: latency } = await visit(server, operation, sample.count)
      if (round <= 0) continue
      sample.cpu.push(cpu)
      sample.latency.push(latency)
    }
  }
  await stop(child)
  return Object.fromEntries(
    Object.entries(samples).map(([key, { cpu, latency, bytes }]) => [
      key,
      { cpu: median(cpu), latency: median(latency), bytes }
    ])
  )
}

/** How large an answer is, and how many requests fill a batch. */
async function tryOut(server, operation) {
  const { requests } = await answered(server.child, { key: operation.key, count: 1 })
  const { status, text } = await ask(server.port, requests[0])
  if (status >= 300) throw new Error(`${operation.title} answers ${status}: ${text.slice(0, 200)}`)
  await answered(server.child, { clear: true })
  const { median: each } = await visit(server, operation, batch.tries, 1)
  // The first requests run cold, so that the estimate is high: fast ones get as many as there may be.
  const count = each < 5 ? batch.most : Math.round(batch.milliseconds / each)
  return { bytes: Buffer.byteLength(text), count: Math.max(batch.fewest, Math.min(batch.most, count)) }
}

async function visit({ child, port }, operation, count, connections = operation.isSearch ? 1 : 8) {
  const { requests } = await answered(child, { key: operation.key, count })
  const figures = await visitor.visit(child, { port, cases: requests, count, connections })
  await answered(child, { clear: true })
  return figures
}
