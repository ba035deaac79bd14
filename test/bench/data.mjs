// npm run bench:data: what keeping the state in a folder or in a file (--data) adds to a write, by the size of the state. CPU time of
// the server per request, as the median of rounds that take turns with a mock that keeps nothing; and the latency.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { firstSuccess } from './ask.mjs'
import { temporaryFolder } from './folder.mjs'
import { median } from './numbers.mjs'
import { cores, freePort, startNode, stop } from './processes.mjs'
import { startVisitor } from './visitor.mjs'
import { workloads } from './workloads.mjs'

const main = join(dirname(fileURLToPath(import.meta.url)), '../../dist/main.js')
/** Of the fixtures `large`, which have some 10,000 rows. */
const scales = [0.1, 1, 10]
const ways = [
  { title: 'nothing', options: () => [] },
  { title: '--sync never', options: (folder) => ['--data', folder, '--sync', 'never'] },
  { title: '--sync second', options: (folder) => ['--data', folder, '--sync', 'second'] },
  { title: '--sync always', options: (folder) => ['--data', folder, '--sync', 'always'] },
  // It writes all rows at each change.
  { title: 'state.json', options: (folder) => ['--data', `${folder}.json`], largest: 0.1 }
]
const writes = workloads.filter(({ id }) => ['post-session', 'patch-persona'].includes(id))
const warmUp = 3000
const requests = 500
const rounds = 9

const folder = temporaryFolder()
const visitor = startVisitor()

console.log('| write | rows | kept | CPU, µs | to nothing | latency, ms |\n| --- | --- | --- | --- | --- | --- |')
for (const scale of scales) {
  const running = []
  for (const [place, way] of ways.entries())
    if (scale <= (way.largest ?? scale)) running.push({ ...way, ...(await started(scale, way, place)) })
  for (const workload of writes) await measure(workload, scale, running)
  for (const { child } of running) await stop(child)
}
process.exit(0)

async function started(scale, { options }, place) {
  const port = await freePort()
  const own = ['--fixtures', 'large', '--scale', `${scale}`, '--log', 'silent', '--port', `${port}`]
  const child = startNode([main, ...own, ...options(join(folder, `${scale}-${place}`))], { core: cores.server })
  await firstSuccess(child, port, workloads[0], performance.now())
  return { port, child }
}

async function measure(workload, scale, running) {
  const visit = ({ child, port }, count) => visitor.visit(child, { port, cases: [workload], count, connections: 32 })
  const samples = new Map(running.map((way) => [way, []]))
  for (const way of running) await visit(way, warmUp)
  for (let round = 0; round < rounds; round++) {
    for (const way of running) samples.get(way).push(await visit(way, requests))
  }
  const [first] = running
  const cpuOf = (way) => median(samples.get(way).map(({ cpu }) => cpu))
  for (const way of running) {
    const latency = median(samples.get(way).map((sample) => sample.median))
    const ratio = cpuOf(way) / cpuOf(first)
    const rows = Math.round(10_000 * scale).toLocaleString('en')
    console.log(
      `| ${workload.title} | ${rows} | ${way.title} | ${cpuOf(way).toFixed(0)} | ${ratio.toFixed(2)} × | ${latency.toFixed(2)} |`
    )
  }
}
