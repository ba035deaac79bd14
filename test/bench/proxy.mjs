// What a request costs the proxy: CPU of its process, compared with a proxy of ten lines without checks. Medians.
import { join } from 'node:path'
import { firstSuccess } from './ask.mjs'
import { capture } from './capture.mjs'
import { temporaryFolder } from './folder.mjs'
import { median } from './numbers.mjs'
import { cores, freePort, startNode } from './processes.mjs'
import { servers } from './servers.mjs'
import { startVisitor } from './visitor.mjs'
import { workloads } from './workloads.mjs'

const rounds = 20
const requests = 500
const folder = temporaryFolder()
await capture(folder)

const service = servers.find(({ id }) => id === 'bare')
const upstream = await started((port) => service.command({ port, folder }))
const proxies = {
  proxy: await started((port) => [
    join(import.meta.dirname, '../../dist/main.js'),
    ...['proxy', `http://127.0.0.1:${upstream.port}`, '--port', `${port}`, '--log', 'silent']
  ]),
  relay: await started((port) => [join(import.meta.dirname, 'servers/relay.mjs'), `${port}`, `${upstream.port}`])
}

const visitor = startVisitor()
for (const workload of workloads.filter(({ id }) => ['get-persona', 'post-session', 'patch-persona'].includes(id))) {
  const costs = { proxy: [], relay: [] }
  for (let round = -10; round < rounds; round++) {
    for (const [name, { port, child }] of Object.entries(proxies)) {
      const { cpu } = await visitor.visit(child, { port, cases: [workload], count: requests })
      if (round >= 0) costs[name].push(cpu)
    }
  }
  const [proxy, relay] = [median(costs.proxy), median(costs.relay)].map((it) => it / 1000)
  console.log(`${workload.title.padEnd(18)} ${proxy.toFixed(2)} ms; a proxy without checks ${relay.toFixed(2)} ms`)
}
process.exit()

async function started(command) {
  const port = await freePort()
  const child = startNode(command(port), { core: cores.server, cwd: folder })
  await firstSuccess(child, port, workloads[0], performance.now())
  return { port, child }
}
