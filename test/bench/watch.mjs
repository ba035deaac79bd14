// npm run bench:watch: what it costs that somebody watches: so many requests a second (`--rate`) with and without the
// dashboard's page of requests open in Chromium. CPU of the mock per request, in pairs, medians; and the longest tasks of the
// page while it watches. By the clock they include the time in which other work had the processor. With `--profile <file>` also a CPU profile of the page.
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { firstSuccess } from './ask.mjs'
import { median } from './numbers.mjs'
import { optionsOf } from './options.mjs'
import { cores, freePort, startNode, stop } from './processes.mjs'
import { cpuTime } from './usage.mjs'
import { workloads } from './workloads.mjs'

const help = 'npm run bench:watch -- [--rate 500] [--rounds 5] [--seconds 4] [--profile <file>]'
const number = (value) => ({ type: 'string', default: String(value) })
const options = optionsOf(help, {
  rate: number(500),
  rounds: number(5),
  seconds: number(4),
  profile: { type: 'string' }
})
const [rounds, seconds, perSecond] = [options.rounds, options.seconds, options.rate].map(Number)
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const [persona] = workloads
const headers = { Authorization: 'Bearer admin' }

const port = await freePort()
const main = join(import.meta.dirname, '../../dist/main.js')
const child = startNode([main, '--port', String(port), '--journal-entries', '10000'], { core: cores.server })
await firstSuccess(child, port, persona, performance.now())
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

const send = (path = '/api/persona/1') =>
  new Promise((resolve, reject) => {
    const sent = request({ port, agent, path, headers }, (answer) => answer.resume().on('end', resolve))
    sent.on('error', reject).end()
  })

/** Sends that many requests a second. Resolves to microseconds of the mock's CPU per request. */
async function load() {
  const [start, before] = [performance.now(), cpuTime(child.pid)]
  const open = []
  while (performance.now() - start < seconds * 1000) {
    const due = Math.floor(((performance.now() - start) * perSecond) / 1000)
    while (open.length < due) open.push(send())
    await wait(5)
  }
  await Promise.all(open)
  return (cpuTime(child.pid) - before) / open.length
}

/** The tasks of the page's thread in a trace: milliseconds of processor time, and by the clock. */
function tasksIn({ traceEvents }) {
  const mains = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const isOfPage = ({ pid, tid }) => mains.some((it) => it.pid === pid && it.tid === tid)
  const all = traceEvents.filter((it) => it.ph === 'X' && it.name === 'RunTask' && isOfPage(it))
  return all.map(({ dur = 0, tdur = 0 }) => ({ busy: tdur / 1000, waited: dur / 1000 }))
}

function describe(tasks) {
  const most = (part) => `${Math.max(0, ...tasks.map((it) => it[part])).toFixed(0)} ms`
  return `${most('busy')} of processor time, ${most('waited')} by the clock`
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
const ratios = []
const [tasks, loads] = [[], []]
// The journal has as many exchanges as it can.
for (let sent = 0; sent < 11_000; sent += 100) {
  await Promise.all(Array.from({ length: 100 }, () => send('/api/get-user-role')))
}
for (let round = 0; round < rounds; round++) {
  const alone = await load()
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${port}/__mock/`)
  await page.getByText(/^[\d,]+ exchanges/).waitFor()
  await wait(500)
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] })
  const devtools = options.profile && (await page.context().newCDPSession(page))
  if (devtools) {
    await devtools.send('Profiler.enable')
    await devtools.send('Profiler.start')
  }
  const watched = await load()
  if (devtools) writeFileSync(options.profile, JSON.stringify((await devtools.send('Profiler.stop')).profile))
  const round = tasksIn(JSON.parse(await browser.stopTracing()))
  tasks.push(...round)
  loads.push(loadavg()[0])
  await page.close()
  ratios.push(watched / alone)
  const cost = `alone ${alone.toFixed(0)} µs, watched ${watched.toFixed(0)} µs of CPU per request`
  console.log(`${cost}; the longest task of the page: ${describe(round)}`)
}
await browser.close()
await stop(child)
console.log(`watched: ${median(ratios).toFixed(2)} × of the CPU per request`)
const over = (part) => tasks.filter((it) => it[part] > 50).length
console.log(`tasks of the page in ${rounds * seconds} s: ${tasks.length}, the longest ${describe(tasks)}`)
console.log(`over 50 ms: ${over('busy')} of processor time, ${over('waited')} by the clock`)
console.log(`load of the machine: ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`)
