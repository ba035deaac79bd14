// npm run bench:guard: whether a request costs clearly more than it did. Other work on the machine must not count, so:
// CPU time, not clock time; as a ratio to bare node:http, asked right after; the median of many short rounds. (The
// least of all rounds of each server moved twice as much: 2.3 to 3.1 where the median of pairs moved from 2.2 to 2.6.)
// --record writes the ratios down as the ones to hold.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { firstSuccess } from './ask.mjs'
import { capture } from './capture.mjs'
import { temporaryFolder } from './folder.mjs'
import { median } from './numbers.mjs'
import { cores, freePort, startNode } from './processes.mjs'
import { servers } from './servers.mjs'
import { startVisitor } from './visitor.mjs'
import { asServed, workloads } from './workloads.mjs'

/** Requests of a round, after so many to warm up; rounds until the time is used up, but some in any case. */
const requests = 500
const warmUp = 10_000
const milliseconds = 13_000
const fewestRounds = 8

const tolerance = 4 / 3
const some = workloads.filter(({ id }) => ['get-persona', 'post-session', 'patch-persona', 'invalid'].includes(id))
/** What a new session is to cost at most, of a bare server that keeps state, where many requests come at a time. */
const many = { id: 'post-session-32', title: 'POST, 32 at a time', connections: 32, aim: 1.8 }
const guarded = [...some, { ...workloads.find(({ id }) => id === 'post-session'), ...many }]
const file = join(dirname(fileURLToPath(import.meta.url)), 'guard.json')

const folder = temporaryFolder()

await capture(folder)
const mock = await started('mock')
const bare = await started('bare')
const visitor = startVisitor()
const ratios = await measured()

if (process.argv.includes('--record')) {
  writeFileSync(file, `${JSON.stringify(ratios, null, 2)}\n`)
  console.log('Recorded.')
}
const recorded = JSON.parse(readFileSync(file, 'utf8'))
const isWorse = ({ id }) => ratios[id] > recorded[id] * tolerance
for (const workload of guarded) {
  const { id, title, aim } = workload
  const note = (aim ? `, aim ${aim}` : '') + (isWorse(workload) ? ': more than a third worse' : '')
  console.log(
    `${title.padEnd(19)} ${ratios[id].toFixed(2)} × bare node:http, recorded ${recorded[id].toFixed(2)}${note}`
  )
}
const failed = guarded.some(isWorse)
if (failed) console.log('If that is meant: npm run bench:guard -- --record')
process.exit(failed ? 1 : 0)

async function started(id) {
  const server = servers.find((it) => it.id === id)
  const port = await freePort()
  const child = startNode(server.command({ port, folder }), { core: cores.server, cwd: folder })
  await firstSuccess(child, port, workloads[0], performance.now())
  return { server, port, child }
}

/** @returns {Promise<Record<string, number>>} the ratio by workload */
async function measured() {
  const pairs = Object.fromEntries(guarded.map(({ id }) => [id, []]))
  for (const workload of guarded) await ratio(workload, warmUp)
  const end = performance.now() + milliseconds
  for (let round = 0; round < fewestRounds || performance.now() < end; round++) {
    for (const workload of guarded) pairs[workload.id].push(await ratio(workload, requests))
  }
  return Object.fromEntries(Object.entries(pairs).map(([id, values]) => [id, Number(median(values).toFixed(3))]))
}

async function ratio(workload, count) {
  return (await cost(mock, workload, count)) / (await cost(bare, workload, count))
}

async function cost({ server, port, child }, workload, count) {
  const { cpu } = await visitor.visit(child, {
    port,
    cases: [asServed(workload, server)],
    count,
    connections: workload.connections
  })
  return cpu
}
