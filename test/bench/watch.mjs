// What it costs that somebody watches: 500 requests a second with and without the dashboard's page of requests open in
// Chromium. CPU of the mock per request, in pairs, medians; and the long tasks of the page while it watches.
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { firstSuccess } from './ask.mjs'
import { median } from './numbers.mjs'
import { cores, freePort, startNode, stop } from './processes.mjs'
import { cpuTime } from './usage.mjs'
import { workloads } from './workloads.mjs'

const [rounds, seconds, perSecond] = [5, 4, 500]
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const [persona] = workloads
const headers = { Authorization: 'Bearer admin' }

const port = await freePort()
const main = join(import.meta.dirname, '../../dist/main.js')
const child = startNode([main, '--port', String(port), '--journal-entries', '10000'], { core: cores.server })
await firstSuccess(child, port, persona, performance.now())
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

const send = () =>
  new Promise((resolve, reject) => {
    const sent = request({ port, agent, path: '/api/persona/1', headers }, (answer) =>
      answer.resume().on('end', resolve)
    )
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

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
const ratios = []
const tasks = []
await load()
for (let round = 0; round < rounds; round++) {
  const alone = await load()
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${port}/__mock/`)
  await page.getByText(/exchanges$/).waitFor()
  await wait(500)
  await page.evaluate(() => {
    globalThis.longTasks = []
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration)
    }).observe({ entryTypes: ['longtask'] })
  })
  const watched = await load()
  tasks.push(...(await page.evaluate(() => globalThis.longTasks)))
  await page.close()
  ratios.push(watched / alone)
  console.log(`alone ${alone.toFixed(0)} µs, watched ${watched.toFixed(0)} µs of CPU per request`)
}
await browser.close()
await stop(child)
console.log(`watched: ${median(ratios).toFixed(2)} × of the CPU per request`)
console.log(`tasks of the page over 50 ms: ${tasks.length}, the longest ${Math.max(0, ...tasks).toFixed(0)} ms`)
