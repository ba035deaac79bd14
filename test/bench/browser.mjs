// npm run bench:browser: how long a visitor waits for the mock in a real Chromium, also with a processor four times as
// slow: to load the module, and from then on to the first answer. `busy` is the time that the page's thread had the
// processor; on a busy machine only that means something.
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { warnIfBusy } from './machine.mjs'
import { median } from './numbers.mjs'

const rounds = 7
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
if (!existsSync(executablePath)) throw new Error(`There is no Chromium at ${executablePath}: set CHROMIUM_PATH.`)
const bundle = readFileSync(join(import.meta.dirname, '../../dist/browser.js'))
const server = createServer(({ url }, response) => {
  response.setHeader('Content-Type', url === '/browser.js' ? 'text/javascript' : 'text/html')
  response.end(url === '/browser.js' ? bundle : '<!doctype html><title>A page</title><link rel="icon" href="data:,">')
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
warnIfBusy()
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  for (const slowdown of [1, 4]) {
    const seen = []
    for (let round = 0; round < rounds; round++) seen.push(await visit(slowdown))
    const cell = (part, kind) => `${Math.round(median(seen.map((it) => it[part][kind])))} ms`.padStart(8)
    for (const part of ['load', 'answer']) {
      const name = { load: 'load the module', answer: 'first answer after it' }[part]
      console.log(`${slowdown} × slower   ${name.padEnd(22)}${cell(part, 'waited')}   busy${cell(part, 'busy')}`)
    }
  }
} finally {
  await browser.close()
  server.close()
}

/** A visit with an empty cache. */
async function visit(rate) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`http://127.0.0.1:${server.address().port}/`)
  const devtools = await context.newCDPSession(page)
  await devtools.send('Performance.enable')
  await devtools.send('Emulation.setCPUThrottlingRate', { rate })
  const busy = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'ThreadTime').value * 1000
  }
  const timed = async (work) => {
    const before = await busy()
    const waited = await page.evaluate(work)
    return { waited, busy: (await busy()) - before }
  }
  const load = await timed(async () => {
    const began = performance.now()
    globalThis.kcm = await import('/browser.js')
    return performance.now() - began
  })
  const answer = await timed(async () => {
    const began = performance.now()
    const mock = globalThis.kcm.createMock({ fixtures: 'demo' })
    const response = await mock.fetch('/api/persona/1', { headers: { Authorization: 'Bearer admin' } })
    await response.json()
    if (!response.ok) throw new Error(`the mock answers ${response.status}`)
    return performance.now() - began
  })
  await context.close()
  return { load, answer }
}
