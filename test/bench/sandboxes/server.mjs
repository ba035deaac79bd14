// The mock with about as many rows as its argument says, and what only its own process can measure:
// { make: n } → { microseconds } of making each of so many sandboxes; { memory: true } → { bytes } that are in use.
import { startMock } from '../../../dist/index.js'

const rows = Number(process.argv[2])
// The set `large` has about 10,000 rows at scale 1.
const mock = await startMock({
  port: 0,
  now: '2026-03-02T10:00:00Z',
  fixtures: 'large',
  scale: rows / 10_000,
  maxSandboxes: 1e6
})

process.on('message', ({ make, memory }) => {
  if (memory) {
    globalThis.gc()
    process.send({ bytes: process.memoryUsage().rss })
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
