// npm run soak: measures how much mixed workload the built server answers, then sends it half of that for --minutes
// (30), and looks at latencies, memory and event loop every few seconds. Writes soak.md and soak.svg. Fails when an
// answer is wrong or what is held after collections grows.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ask, firstSuccess } from './ask.mjs'
import { temporaryFolder } from './folder.mjs'
import { machine, warnIfBusy } from './machine.mjs'
import { median } from './numbers.mjs'
import { optionsOf } from './options.mjs'
import { cores, freePort, startNode, stop } from './processes.mjs'
import { servers } from './servers.mjs'
import { growthOf, least, soakPlot, soakReport } from './soak/report.mjs'
import { workloads } from './workloads.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const help = `npm run soak -- [options]
  --minutes <number>      length (default 30)
  --out <folder>          where soak.md and soak.svg go (default test/bench)`

const values = optionsOf(help, {
  minutes: { type: 'string', default: '30' },
  out: { type: 'string', default: here }
})
const minutes = Number(values.minutes)
if (!(minutes > 0)) {
  console.error(`error: --minutes ${values.minutes}: give a number above 0.`)
  process.exit(2)
}

const connections = 32
const warmUp = 5
const fullSeconds = 6
/** Seconds between two looks: some hundred looks in all. */
const every = Math.min(5, Math.max(1, minutes / 2))
const longestLag = 200
const tolerance = 1.1
/** In fewer minutes a quarter of the time may pass without a collection. */
const fewestMinutes = 5

warnIfBusy()
const folder = temporaryFolder()
const port = await freePort()
const server = startNode(servers.find(({ id }) => id === 'mock').command({ port, folder }), {
  core: cores.server,
  cwd: folder
})
await firstSuccess(server, port, workloads[0], performance.now())

const client = startNode([join(here, 'soak/client.mjs')], {
  core: cores.client,
  stdio: ['ignore', 'ignore', 'inherit', 'ipc']
})
await sent({ seconds: warmUp })
const full = median((await sent({ seconds: fullSeconds })).map(({ perSecond }) => perSecond))
const rate = full / 2
console.log(`full: ${full.toFixed(0)} requests a second; now ${rate.toFixed(0)} for ${minutes} minutes`)

await look()
const started = performance.now()
const samples = await sent({ seconds: minutes * 60, rate, every }, async (seen) => {
  const at = (performance.now() - started) / 1000
  const sample = { at, ...seen, ...(await look()) }
  const { p50, p99, perSecond, heap, rss, lag } = sample
  const memory = [heap, rss].map((bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`)
  console.log(
    `${at.toFixed(0)} s: ${perSecond.toFixed(0)} a second, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms, heap ${memory[0]}, resident ${memory[1]}, event loop ${lag.toFixed(0)} ms`
  )
  return sample
})
await stop(client)
await stop(server)

const requests = samples.reduce((sum, { count }) => sum + count, 0)
const wrong = samples.reduce((sum, it) => sum + it.wrong, 0)
const growth = {
  heap: growthOf(samples, (part) => least(part, 'heap')),
  rss: growthOf(samples, (part) => median(part.map(({ rss }) => rss)))
}
const stalls = { over: longestLag, count: samples.filter(({ lag }) => lag > longestLag).length }
const date = new Date().toISOString().slice(0, 10)
const results = { date, machine: machine(), full, rate, minutes, requests, wrong, stalls, growth, samples }
writeFileSync(join(values.out, 'soak.md'), soakReport(results))
writeFileSync(join(values.out, 'soak.svg'), soakPlot(results))

for (const text of new Set(samples.flatMap(({ wrongs }) => wrongs).slice(0, 10))) console.error(text)
const isFlat = minutes < fewestMinutes || growth.heap <= tolerance
console.log(
  `${requests} requests, ${wrong} wrong; heap ${growth.heap.toFixed(2)} ×, resident ${growth.rss.toFixed(2)} × of the second quarter in the last${isFlat ? '' : ': it grows'}`
)
process.exit(wrong === 0 && isFlat ? 0 : 1)

/** Lets the client send; gives what `each` makes of each of its looks. */
async function sent(order, each = (seen) => seen) {
  const looks = []
  const over = new Promise((resolve, reject) => {
    const gone = (code) => reject(new Error(`the client ended with code ${code}`))
    const take = (message) => {
      if (!message.isOver) return void looks.push(each(message))
      client.off('message', take)
      client.off('exit', gone)
      resolve()
    }
    client.on('message', take)
    client.once('exit', gone)
  })
  client.send({ port, connections, every: 1, ...order })
  await over
  return Promise.all(looks)
}

/** What the server says of itself. */
async function look() {
  const { text } = await ask(port, { method: 'GET', path: '/__mock/metrics', headers: {} })
  const gauge = (name) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
  return {
    rss: gauge('process_resident_memory_bytes'),
    heap: gauge('nodejs_heap_size_used_bytes'),
    lag: gauge('nodejs_eventloop_lag_max_seconds') * 1000
  }
}
