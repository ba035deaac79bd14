// What user endpoints cost: a start with a document of 200 paths, memory after each of its GETs, and CPU of a
// request next to one of the platform's. CPU time, in pairs, medians: other work on the machine must not count.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manyPaths } from '../own/many.mjs'
import { firstSuccess } from './ask.mjs'
import { temporaryFolder } from './folder.mjs'
import { median } from './numbers.mjs'
import { cores, freePort, startNode, stop } from './processes.mjs'
import { cpuTime, residentMemory } from './usage.mjs'
import { startVisitor } from './visitor.mjs'
import { workloads } from './workloads.mjs'

const rounds = 7
const requests = 2000
const folder = temporaryFolder()
const file = join(folder, 'many.json')
const ref = { $ref: '#/components/schemas/UserSummary' }
const row = { 200: { description: 'ok', content: { 'application/json': { schema: ref } } } }
const document = manyPaths()
document['x-mock-collections'] = { people: { schema: ref.$ref, count: 20 } }
const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
document.paths['/people'] = {
  get: {
    'x-mock': { collection: 'people' },
    responses: {
      200: { description: 'ok', content: { 'application/json': { schema: { type: 'array', items: ref } } } }
    }
  }
}
document.paths['/people/{id}'] = { get: { 'x-mock': { collection: 'people' }, parameters, responses: row } }
writeFileSync(file, JSON.stringify(document))

const [persona, projects] = workloads
const started = async (args) => {
  const port = await freePort()
  const child = startNode([join(import.meta.dirname, '../../dist/main.js'), '--port', String(port), ...args], {
    core: cores.server,
    cwd: folder
  })
  const time = await firstSuccess(child, port, persona, performance.now())
  return { port, child, time, cpu: cpuTime(child.pid) }
}

const starts = { time: [], cpu: [] }
for (let round = 0; round < rounds; round++) {
  const servers = []
  for (const args of [[], ['--with', file]]) {
    const server = await started(args)
    servers.push(server)
    await stop(server.child)
  }
  for (const [kind, ratios] of Object.entries(starts)) ratios.push(servers[1][kind] / servers[0][kind])
}
const start = Object.entries(starts).map(([kind, ratios]) => `${median(ratios).toFixed(2)} × of the ${kind}`)
console.log(`start with 200 paths           ${start.join(', ')} without`)

const [plain, own] = [await started([]), await started(['--with', file])]
const visitor = startVisitor()
const headers = { Authorization: 'Bearer admin' }
const cost = async ({ child, port }, workload, count) =>
  (await visitor.visit(child, { port, cases: [workload], count })).cpu
const [{ id }] = await (await fetch(`http://127.0.0.1:${own.port}/people`, { headers })).json()
const ownRow = { ...persona, id: 'own', path: `/people/${id}` }
const pairs = { row: [], persona: [] }
for (let round = -20; round < 3 * rounds; round++) {
  const [without, loaded, row] = [
    await cost(plain, persona, requests),
    await cost(own, persona, requests),
    await cost(own, ownRow, requests)
  ]
  // Both servers answer two operations by turns: V8 makes one that answers a single one faster.
  await cost(plain, projects, requests)
  if (round < 0) continue
  pairs.row.push(row / loaded)
  pairs.persona.push(loaded / without)
}
console.log(`GET of an own row              ${median(pairs.row).toFixed(2)} × of GET persona`)
console.log(`GET persona beside 200 paths   ${median(pairs.persona).toFixed(2)} × of without`)
let count = 0
for (const [path, { get }] of Object.entries(document.paths)) {
  if (!get || path.includes('{')) continue
  const { status } = await fetch(`http://127.0.0.1:${own.port}${path}`, { headers })
  if (status !== 200) throw new Error(`${path} answers ${status}`)
  count++
}
console.log(`memory after ${count} GETs          ${Math.round(residentMemory(own.child.pid) / 2 ** 20)} MiB`)
process.exit(0)
