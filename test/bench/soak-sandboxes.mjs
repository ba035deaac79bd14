// npm run soak:sandboxes: a hundred clients in a hundred sandboxes make 50,000 random calls of every operation. Fails
// when a client reads the mark of another, when a call is answered with 5xx, or when memory grows once the journals are
// full. Every client goes back to a snapshot now and then: rows that it made are not a leak.
import { stop } from './processes.mjs'
import { randomCalls } from './sandboxes/calls.mjs'
import { startServer } from './sandboxes/start.mjs'

const clients = 100
const rounds = 5
const perRound = 50_000 / clients / rounds
const untilBack = 50
const tolerance = 1.1

const mock = await startServer({ journalEntries: perRound, strict: true })
const document = await (await fetch(`${mock.url}/openapi.json`)).json()
const { collections } = await (await fetch(`${mock.url}/__mock/state`)).json()
const wrong = []
const statuses = new Map()
const heaps = []
const visitors = Array.from({ length: clients }, (_, number) => visitor(number))
for (const it of visitors) await it.begin()
for (let round = 1; round <= rounds; round++) {
  await Promise.all(visitors.map((it) => it.visit()))
  const { heap, resident } = await mock.ask({ memory: true })
  heaps.push(heap)
  const [used, all] = [heap, resident].map((bytes) => `${(bytes / 1e6).toFixed(0)} MB`)
  console.log(`${round * perRound * clients} calls: heap ${used}, resident ${all}`)
}
await stop(mock.child)

console.log(
  [...statuses]
    .sort()
    .map(([status, count]) => `${status}: ${count}`)
    .join('  ')
)
const [, full] = heaps
if (heaps.at(-1) > full * tolerance) wrong.push(`The heap grew from ${full} to ${heaps.at(-1)} bytes.`)
for (const text of wrong.slice(0, 10)) console.error(text)
console.log(wrong.length === 0 ? 'No client saw another, none was failed, memory is flat.' : `${wrong.length} wrong.`)
process.exit(wrong.length === 0 ? 0 : 1)

/** A client with its own sandbox and mark. */
function visitor(number) {
  const mark = `mark-${number}-`
  const next = randomCalls(document, collections, number, mark)
  const send = (method, path, { body, headers, as = 'admin' } = {}) =>
    fetch(mock.url + path, { method, body, headers: { ...headers, Authorization: `Bearer ${as}~visitor-${number}` } })
  return {
    begin: async () => (await send('POST', '/__mock/snapshots/begin')).text(),
    async visit() {
      for (let call = 1; call <= perRound; call++) {
        const { method, path, ...rest } = next()
        const reply = await send(method, path, rest)
        const text = await reply.text()
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
        const foreign = [...text.matchAll(/mark-\d+-/g)].find(([found]) => found !== mark)
        if (reply.status >= 500 || foreign)
          wrong.push(`${number}: ${method} ${path} ${reply.status} ${foreign ?? text}`)
        if (call % untilBack === 0) await (await send('POST', '/__mock/snapshots/begin/restore')).text()
      }
    }
  }
}
