// npm run bench:sandboxes: what sandboxes cost, and what it costs to reset, keep and replace their states. Times of
// calls are what a client waits for, so the wire is in them: `clock` is a call that does next to nothing.
import { Agent, request } from 'node:http'
import { warnIfBusy } from './machine.mjs'
import { median, short } from './numbers.mjs'
import { stop } from './processes.mjs'
import { startServer } from './sandboxes/start.mjs'

const sizes = [1000, 10_000, 100_000]
const idle = 10_000
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

warnIfBusy()
const columns = []
for (const rows of sizes) columns.push(await measured(rows))
const kinds = Object.keys(columns[0])
console.log(`\nMilliseconds of a call, the median; a sandbox of ${sizes.map((size) => short(size)).join(', ')} rows\n`)
for (const kind of kinds) {
  console.log(kind.padEnd(22) + columns.map((column) => column[kind].toFixed(2).padStart(10)).join(''))
}
await memory()
agent.destroy()

async function measured(rows) {
  // The set `large` has about 10,000 rows at scale 1.
  const mock = await started({ fixtures: 'large', scale: rows / 10_000, maxSandboxes: 1e6 })
  const rounds = rows > 50_000 ? 5 : 30
  const state = await mock.call('GET', '/__mock/state')
  const column = { 'make, in the server': (await mock.ask({ make: 1000 })).microseconds / 1000 }
  let count = 0
  for (const [kind, method, path, body] of [
    ['clock', 'GET', '/__mock/clock'],
    ['make', 'POST', '/__mock/sandboxes', () => `{"name": "made-${++count}"}`],
    ['fork', 'POST', '/__mock/sandboxes', () => `{"name": "fork-${++count}", "from": "default"}`],
    ['reset', 'POST', '/__mock/reset', () => '{}'],
    ['snapshot', 'POST', '/__mock/snapshots/one'],
    ['restore', 'POST', '/__mock/snapshots/one/restore'],
    ['a row in', 'POST', '/__mock/state/labels', () => '{"name": "New"}'],
    ['state out', 'GET', '/__mock/state'],
    ['state in', 'PUT', '/__mock/state', () => state]
  ]) {
    const times = []
    for (let round = 0; round < rounds + 3; round++) {
      const text = body?.()
      const start = performance.now()
      await mock.call(method, path, text)
      times.push(performance.now() - start)
    }
    // The first ones warm up.
    column[kind] = median(times.slice(3))
  }
  column['MB of the state'] = state.length / 1e6
  await stop(mock.child)
  return column
}

/** What sandboxes weigh that one request each has made, and nothing has used since. */
async function memory() {
  const mock = await started({ maxSandboxes: 2 * idle })
  const visit = (i) => mock.call('GET', '/api/get-user-role', undefined, `basic~idle-${i}`)
  for (let i = 0; i < 200; i++) await visit(`warm-${i}`)
  const before = (await mock.ask({ memory: true })).resident
  for (let i = 0; i < idle; i += 8) await Promise.all(Array.from({ length: 8 }, (_, at) => visit(i + at)))
  const after = (await mock.ask({ memory: true })).resident
  console.log(`\n${short(idle)} idle sandboxes: ${((after - before) / 1e6).toFixed(0)} MB`)
  await stop(mock.child)
}

async function started(options) {
  const server = await startServer(options)
  return { ...server, call: (method, path, body, token = 'admin') => call(server.url + path, method, body, token) }
}

function call(url, method, body, token) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  if (body !== undefined) headers['Content-Length'] = Buffer.byteLength(body)
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers }, async (response) => {
      const chunks = []
      for await (const chunk of response) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      if (response.statusCode < 300) resolve(text)
      else reject(new Error(`${method} ${url}: ${response.statusCode} ${text.slice(0, 300)}`))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
