// Loaded into the server's process before anything else: reports how long its event loop was blocked, and its memory.
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { PerformanceObserver, performance } from 'node:perf_hooks'

// Slow senders get their answer soon, but a client may wait for a processor.
const { createServer } = http
const times = { headersTimeout: 3000, requestTimeout: 6000, connectionsCheckingInterval: 300 }
http.createServer = (options, listener) => createServer({ ...options, ...times }, listener)
syncBuiltinESMExports()

/** Milliseconds between two checks, and the least reported delay. */
const period = 10
const worth = 50

let last = performance.now()
let cpu = process.cpuUsage()
let collecting = 0

new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) collecting += duration
}).observe({ entryTypes: ['gc'] })

setInterval(() => {
  const now = performance.now()
  const delay = now - last - period
  const used = process.cpuUsage(cpu)
  if (delay >= worth) {
    // A delay in which the process had no processor is the machine's. All threads count, so it is an upper bound.
    process.send({ kind: 'stall', at: Date.now(), delay, busy: (used.user + used.system) / 1000, collecting })
  }
  last = now
  cpu = process.cpuUsage()
  collecting = 0
}, period).unref()

process.on('message', () => {
  for (let count = 0; count < 3; count++) globalThis.gc()
  process.send({ kind: 'memory', ...process.memoryUsage() })
  // The probe caused this collection.
  last = performance.now()
  cpu = process.cpuUsage()
})
process.channel.unref()
