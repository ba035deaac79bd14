import { setTimeout as sleep } from 'node:timers/promises'
import { ask, firstSuccess } from './ask.mjs'
import { load } from './load.mjs'
import { median } from './numbers.mjs'
import { cores, freePort, startNode, stop } from './processes.mjs'
import { cpuTime, residentMemory } from './usage.mjs'
import { asServed, isRight, workloads } from './workloads.mjs'

/**
 * How a server did with a workload: medians of the rounds.
 * @typedef {{perSecond: number, cpu?: number, p50: number, p99: number}} Figures cpu in µs a request, latencies in ms
 */

const connections = (workload) => (workload.id === 'upload' ? 4 : 32)

/**
 * Every round takes every workload to every server in turn, each time a fresh process: what one run leaves behind
 * (rows, compiled code, the machine's mood) is no other run's.
 * @returns {Promise<Record<string, Record<string, Figures>>>} by server, by workload
 */
export async function measureLoads(servers, chosen, { rounds, seconds, folder, failures, say }) {
  const samples = {}
  for (let round = 1; round <= rounds; round++) {
    for (const workload of chosen) {
      for (const server of servers) {
        const served = asServed(workload, server)
        const key = `${server.id} ${workload.id}`
        if (!served || failures.has(key)) continue
        try {
          const sample = await withServer(server, folder, (running) => oneLoad(running, served, { seconds, folder }))
          samples[server.id] ??= {}
          samples[server.id][workload.id] ??= []
          samples[server.id][workload.id].push(sample)
          say(`${round}/${rounds} ${key}: ${Math.round(sample.perSecond)}/s, ${sample.cpu?.toFixed(1)} µs`)
        } catch (error) {
          failures.set(key, error.message)
          say(`${key}: ${error.message}`)
        }
      }
    }
  }
  return mapValues(samples, (byWorkload) => mapValues(byWorkload, mediansOf))
}

/** Starts servers in turn: milliseconds to the first 200, and bytes in memory half a second after it. */
export async function measureStarts(servers, { starts, folder, failures, say }) {
  const samples = {}
  for (let round = 1; round <= starts; round++) {
    for (const server of servers) {
      if (failures.has(server.id)) continue
      try {
        const sample = await withServer(server, folder, async ({ child, start }) => {
          await sleep(500)
          return { start, memory: residentMemory(child.pid) }
        })
        samples[server.id] ??= []
        samples[server.id].push(sample)
        say(`start ${round}/${starts} ${server.id}: ${Math.round(sample.start)} ms`)
      } catch (error) {
        failures.set(server.id, error.message)
        say(`${server.id}: ${error.message}`)
      }
    }
  }
  return mapValues(samples, mediansOf)
}

async function oneLoad({ child, port }, workload, { seconds, folder }) {
  const { status, text } = await ask(port, workload)
  if (!isRight(workload, status)) throw new Error(`answers ${status}: ${text.slice(0, 200)}`)
  const target = { port, folder, connections: connections(workload) }
  await load(workload, { ...target, seconds: Math.min(seconds, 2) })
  const before = cpuTime(child.pid)
  const { requests, failed, ...rest } = await load(workload, { ...target, seconds })
  const after = cpuTime(child.pid)
  if (requests === 0) throw new Error('answered nothing in time')
  // Where a refusal is the right answer, each counts as one that failed.
  const wrong = workload.status >= 400 ? requests - failed : failed
  if (wrong !== 0) throw new Error(`${wrong} of ${requests} answers were wrong`)
  return { ...rest, cpu: after === undefined ? undefined : (after - before) / requests }
}

async function withServer(server, folder, use) {
  const port = await freePort()
  const started = performance.now()
  const child = startNode(server.command({ port, folder }), { core: cores.server, cwd: folder })
  try {
    const start = await firstSuccess(child, port, asServed(workloads[0], server), started)
    return await use({ child, port, start })
  } finally {
    await stop(child)
  }
}

function mediansOf(samples) {
  return mapValues(samples[0], (_, name) => median(samples.map((sample) => sample[name])))
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))
}
