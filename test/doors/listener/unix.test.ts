import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMock } from '../../../src/doors/program/mock.js'
import { testNow } from '../../mock.js'

const folder = mkdtempSync(join(tmpdir(), 'mock-'))
const servers: Server[] = []

afterAll(async () => {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve).closeAllConnections())))
})

async function listen(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const socketPath = join(folder, String(servers.length))
  const server = createServer({ requireHostHeader: false }, listener).listen(socketPath)
  servers.push(server)
  await once(server, 'listening')
  return socketPath
}

interface Asked {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
  setHost?: boolean
}

function ask(socketPath: string, { body, ...asked }: Asked): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, agent: false, ...asked }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode as number, body: text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const mock = createMock({ now: testNow })

describe.each([
  ['listener', () => mock.listener],
  ['app', () => mock.app]
])('over a Unix socket the %s', (_, door) => {
  const headers = { 'Content-Type': 'application/json' }

  test('allows control calls without a token', async () => {
    const socketPath = await listen(door())
    expect((await ask(socketPath, { path: '/__mock/requests' })).status).toBe(200)
    const clock = { method: 'PUT', path: '/__mock/clock', headers, body: '{"now": "2027-01-01T00:00:00.000Z"}' }
    expect((await ask(socketPath, clock)).status).toBe(200)
    expect(JSON.parse((await ask(socketPath, { path: '/__mock/clock' })).body).now).toBe('2027-01-01T00:00:00.000Z')
  })

  test.each<[string, Omit<Asked, 'path'>]>([
    ['localhost', { headers: { Host: 'localhost' } }],
    ['a local name', { headers: { Host: 'mock' } }],
    ['a public name', { headers: { Host: 'example.com:80' } }],
    ['nothing', { headers: { Host: '' } }],
    ['no Host at all', { setHost: false }]
  ])('answers a Host of %s', async (_, asked) => {
    const socketPath = await listen(door())
    const Authorization = 'Bearer admin'
    const answer = await ask(socketPath, {
      ...asked,
      path: '/api/get-user-role',
      headers: { ...asked.headers, Authorization }
    })
    expect([answer.status, answer.body]).toEqual([200, '{"role":"admin"}'])
    expect((await ask(socketPath, { ...asked, path: '/__mock/clock' })).status).toBe(200)
  })

  test('needs the token if there is one, and refuses pages of other origins', async () => {
    const socketPath = await listen(createMock({ now: testNow, controlToken: 'secret' }).listener)
    expect((await ask(socketPath, { path: '/__mock/requests' })).status).toBe(401)
    const token = { 'X-Mock-Control-Token': 'secret' }
    expect((await ask(socketPath, { path: '/__mock/requests', headers: token })).status).toBe(200)
    const origin = { ...token, Origin: 'http://example.com' }
    expect((await ask(socketPath, { path: '/__mock/requests', headers: origin })).status).toBe(403)
  })
})
