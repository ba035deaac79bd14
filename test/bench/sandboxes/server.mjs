// The mock with the options of its argument, as JSON, and what only its own process can measure:
// { make: n } → { microseconds } of making each of so many sandboxes; { memory: true } → { resident, heap } in bytes.
import { startMock } from '../../../dist/index.js'

const mock = await startMock({ port: 0, now: '2026-03-02T10:00:00Z', ...JSON.parse(process.argv[2]) })

process.on('message', ({ make, memory }) => {
  if (memory) {
    globalThis.gc()
    const { rss, heapUsed } = process.memoryUsage()
    process.send({ resident: rss, heap: heapUsed })
  }
  if (make) process.send({ microseconds: made(make) })
})
process.send({ url: mock.url })

function made(count) {
  for (let i = 0; i < count; i++) mock.sandboxes.make(`warm-${i}`)
  const start = performance.now()
  for (let i = 0; i < count; i++) mock.sandboxes.make(`made-${i}`)
  const each = ((performance.now() - start) / count) * 1000
  mock.sandboxes.dropOthers()
  return each
}
