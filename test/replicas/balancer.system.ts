import { request } from 'node:http'
import { serveTable } from '../../src/doors/options/table.js'
import { Balancer, compose } from './balancer.js'
import { RealEngine } from './engine.js'
import { join, leave } from './joined.js'

const engine = new RealEngine()
const balancer = new Balancer(engine.folder)
beforeAll(() => engine.start())
afterAll(async () => {
  balancer.end()
  await engine.end()
})

/** The status, with the server that HAProxy chose. */
function serverOf(socketPath: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path: '/api/get-user-role', headers: { host: 'localhost', ...headers } })
    sent.on('error', reject).on('response', (response) => {
      response.resume().on('end', () => resolve(`${response.statusCode} ${response.headers['x-server']}`))
    })
    sent.end()
  })
}

test('the file for two replicas uses existing options of serve, and HAProxy accepts its lines', async () => {
  const { 'mock-a': a, 'mock-b': b } = compose.services
  const environment = (name: string) => `KCM_${name.replace(/[A-Z]/g, (it) => `_${it}`).toUpperCase()}`
  const options = new Set(Object.keys(serveTable).map(environment))
  for (const it of [a, b])
    for (const name of Object.keys(it.environment)) expect([name, options.has(name)]).toEqual([name, true])
  expect([a.environment.KCM_PEER, b.environment.KCM_PEER]).toEqual(['http://mock-a:4010', 'http://mock-b:4010'])
  expect(b.environment.KCM_DATA).toBe(a.environment.KCM_DATA)

  const [one, other] = [await join(engine), await join(engine)]
  await balancer.start([one, other].map(({ url }) => new URL(url).host))
  const { socket } = balancer
  const authorization = 'Bearer admin'

  // Each way to name a sandbox leads to one process, which claims it, so nothing is passed on.
  const ways = (at: number): Record<string, string>[] => [
    { authorization, 'x-mock-sandbox': `header-${at}` },
    { authorization: `Bearer admin~token-${at}` }
  ]
  const servers = new Set<string>()
  for (let at = 0; at < 12; at++) {
    for (const headers of ways(at)) {
      const [first, second] = [await serverOf(socket, headers), await serverOf(socket, headers)]
      expect([first, second]).toEqual([first, first])
      servers.add(first)
    }
  }
  expect([...servers].sort()).toEqual(['200 a', '200 b'])
  for (const { url } of [one, other]) {
    const metrics = await fetch(`${url}/__mock/metrics?alone=true`, {
      headers: { 'x-mock-control-token': 'control-token' }
    })
    expect(Number(/^kcm_forwarded_total\S* (\d+)$/m.exec(await metrics.text())?.[1])).toBeLessThanOrEqual(2)
  }
  // A visitor's cookie does the same.
  const chosen = new Set<string>()
  for (let at = 0; at < 12; at++) {
    const cookie = `kcm-visitor=visitor-${at}.signature`
    const found = [await serverOf(socket, { authorization, cookie }), await serverOf(socket, { authorization, cookie })]
    expect(found[1]).toBe(found[0])
    chosen.add(found[0] as string)
  }
  expect(chosen.size).toBe(2)
  await leave(one)
  await leave(other)
})
