// npm run bench:dashboard: what the first load of the dashboard takes in a real Chromium with an empty cache: bytes on the
// wire, and the time from the navigation to the frame that shows the list, by the clock of the page, also with a processor
// four times as slow. `busy` is the time that the page's thread had the processor until then; on a busy machine only that means
// something.
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { firstSuccess } from './ask.mjs'
import { warnIfBusy } from './machine.mjs'
import { median } from './numbers.mjs'
import { cores, freePort, startNode, stop } from './processes.mjs'
import { workloads } from './workloads.mjs'

const rounds = 7
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const [persona] = workloads
const port = await freePort()
const child = startNode([join(import.meta.dirname, '../../dist/main.js'), '--port', String(port)], {
  core: cores.server
})
await firstSuccess(child, port, persona, performance.now())
warnIfBusy()
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  for (const [name, path] of [
    ['requests', '__mock/'],
    ['the explorer', 'docs']
  ]) {
    for (const slowdown of [1, 4]) {
      const seen = []
      for (let round = 0; round < rounds; round++) seen.push(await visit(path, slowdown))
      const cell = (part) => `${Math.round(median(seen.map((it) => it[part])))}`.padStart(5)
      const size = `${(median(seen.map((it) => it.bytes)) / 1000).toFixed(1)} kB`
      console.log(
        `${name.padEnd(13)} ${slowdown} × slower: ${size}, shown after ${cell('waited')} ms, busy ${cell('busy')} ms`
      )
    }
  }
} finally {
  await browser.close()
  await stop(child)
}

/**
 * Waits until the processes of the browser are idle. It draws the frame of each new window as a page, which needs up to a second
 * of a core; a person who opens an address has that behind them.
 */
async function windowDrawn() {
  const devtools = await browser.newBrowserCDPSession()
  const busyTime = async () => {
    const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0)
  }
  let last = await busyTime()
  for (let idle = false; !idle; ) {
    await delay(500)
    const now = await busyTime()
    idle = now - last < 0.02
    last = now
  }
  await devtools.detach()
}

/** A first visit. The bytes are those of documents, styles and scripts; the content is that of the sandbox. */
async function visit(path, rate) {
  const context = await browser.newContext()
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Performance.enable')
  await devtools.send('Network.enable')
  const kinds = new Map()
  let bytes = 0
  devtools.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type))
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!['Fetch', 'EventSource'].includes(kinds.get(requestId))) bytes += encodedDataLength
  })
  await page.addInitScript(observe)
  await windowDrawn()
  await devtools.send('Emulation.setCPUThrottlingRate', { rate })
  await page.goto(`http://127.0.0.1:${port}/${path}`)
  const waited = await page.evaluate(() => globalThis.shown)
  const { metrics } = await devtools.send('Performance.getMetrics')
  const busy = metrics.find(({ name }) => name === 'ThreadTime').value * 1000
  await context.close()
  return { bytes, waited, busy }
}

/** In the page: when the browser has drawn the first line of the list. */
function observe() {
  globalThis.shown = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector('.journal .rows .line, .operations a')) return
      observer.disconnect()
      // The next task after a frame comes when that frame is drawn.
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
    })
    observer.observe(document, { childList: true, subtree: true })
  })
}
