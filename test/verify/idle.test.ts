import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import { startMock } from '../../src/doors/program/server.js'

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

test('a server that closes idle connections is verified like any other', async () => {
  const mock = await startMock({ port: 0 })
  const used = new Set<Socket>()
  let closed = 0
  const server = createServer((incoming, response) => {
    if (used.has(incoming.socket)) {
      closed++
      incoming.socket.destroy()
      return
    }
    used.add(incoming.socket)
    const { method, headers, url = '/' } = incoming
    const sent = request(mock.url + url, { method, headers }, (reply) => {
      response.writeHead(reply.statusCode as number, reply.headers)
      reply.pipe(response)
    })
    incoming.pipe(sent)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { findings, checks } = await verify({ url: urlOf(server), operations: 'E29,E21', cases: 2 })
  server.closeAllConnections()
  server.close()
  await mock.close()
  expect(findings).toEqual([])
  expect(checks.length).toBeGreaterThan(10)
  expect(closed).toBeGreaterThan(5)
})
