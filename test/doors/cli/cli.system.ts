import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ended, ready, run, start } from '../../cli.js'
import { call, startTestMock } from '../../mock.js'

test('serve is the default command, prints one line to stdout once it accepts requests, and ends with 0 on SIGTERM', async () => {
  const child = start(['--port', '0'])
  const done = ended(child)
  const url = await ready(child)
  expect((await call(url, 'GET', '/api/get-user-role')).body).toEqual({ role: 'admin' })
  child.kill('SIGTERM')
  const { code, stdout, stderr } = await done
  expect([code, stdout]).toEqual([0, `ready ${url}\n`])
  expect(stderr).toContain('Bearer admin')
})

test('serve finishes what it answers on SIGINT', async () => {
  const child = start(['serve', '--port', '0', '--log', 'silent'])
  const done = ended(child)
  const url = await ready(child)
  const answers = Promise.all(Array.from({ length: 20 }, () => call(url, 'GET', '/api/chat/get-user-chat-sessions')))
  await call(url, 'GET', '/api/get-user-role')
  child.kill('SIGINT')
  expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set([200]))
  expect(await done).toMatchObject({ code: 0, stderr: '' })
})

test('serve listens on loopback only by default', async () => {
  const child = start(['--port', '0'])
  const done = ended(child)
  expect(new URL(await ready(child)).hostname).toBe('127.0.0.1')
  child.kill()
  await done
})

test('serve on all addresses, advises the one that this machine can call', async () => {
  const child = start(['--port', '0', '--host', '0.0.0.0'])
  const done = ended(child)
  const { hostname, port } = new URL(await ready(child))
  child.kill()
  const { stderr } = await done
  expect([hostname, stderr.includes('0.0.0.0')]).toEqual(['0.0.0.0', false])
  expect(stderr).toContain(`curl -H 'Authorization: Bearer admin' http://127.0.0.1:${port}/api/persona/1`)
})

test('serve reads options from the environment, and the command line wins', async () => {
  const child = start(['--fixtures', 'empty'], {
    KCM_PORT: '0',
    KCM_FIXTURES: 'demo',
    KCM_ASSUME: 'delete.body=204,projects.failed-files=hidden'
  })
  const done = ended(child)
  const url = await ready(child)
  const { body } = await call(url, 'POST', '/api/chat/create-chat-session', { body: {} })
  expect((await call(url, 'GET', '/api/chat/get-user-chat-sessions')).body.sessions).toHaveLength(1)
  expect((await call(url, 'DELETE', `/api/chat/delete-chat-session/${body.chat_session_id}`)).status).toBe(204)
  child.kill()
  await done
})

test('serve writes the port to --port-file', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'kcm-')), 'port')
  const child = start(['--port', '0', '--port-file', file])
  const done = ended(child)
  const url = await ready(child)
  expect(readFileSync(file, 'utf8').trim()).toBe(new URL(url).port)
  child.kill()
  await done
})

test('serve ends with 3 and advice when the port is taken', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { code, stderr } = await run(['--port', String(port)])
  server.close()
  expect(code).toBe(3)
  expect(stderr).toContain(`port ${port} is taken. Give another with --port, or --port 0 for any free one.`)
})

test('serve ends with 2 when the host is no address of this machine', async () => {
  const { code, stderr } = await run(['--port', '0', '--host', '192.0.2.1'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('cannot listen on 192.0.2.1:0')])
})

test('serve logs each exchange as a line of JSON with --log json', async () => {
  const child = start(['--port', '0', '--log', 'json'])
  const done = ended(child)
  await call(await ready(child), 'GET', '/api/get-user-role')
  child.kill()
  const lines = (await done).stderr.trim().split('\n')
  const exchanges = lines.map((line) => JSON.parse(line)).filter(({ operation }) => operation !== undefined)
  expect(exchanges).toMatchObject([{ id: 'r1', operation: 'getUserRole', status: 200 }])
})

test.each([
  [['--prot', '80'], '--port'],
  [['--data', '/dev/null/x'], '/dev/null/x']
])('serve ends with 2 on %j and lists the good values', async (args, named) => {
  const { code, stdout, stderr } = await run(args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(named)
})

test.each([
  ['false', '0'],
  ['no', '']
])('the environment says with "%s" and "%s" that a flag is not given', async (KCM_PUBLIC, KCM_STRICT) => {
  const child = start(['--port', '0'], { KCM_PUBLIC, KCM_STRICT })
  const done = ended(child)
  const url = await ready(child)
  expect((await call(url, 'GET', '/__mock/clock')).status).toBe(200)
  child.kill()
  await done
})

test('the environment turns a flag on with true, and has no other meaning for it', async () => {
  const child = start(['--port', '0'], { KCM_PUBLIC: 'true' })
  const done = ended(child)
  expect((await call(await ready(child), 'GET', '/__mock/clock')).status).toBe(404)
  child.kill()
  await done
  const { code, stderr } = await run(['--port', '0'], { KCM_STRICT: 'maybe' })
  expect([code, stderr]).toEqual([2, expect.stringContaining('KCM_STRICT is "maybe": give true or false')])
})

test('an unknown variable of the environment is reported with the nearest one, but not one of another command', async () => {
  const { code, stderr } = await run(['assumptions'], { KCM_PROT: '1', KCM_PORT: '1' })
  expect([code, stderr]).toEqual([0, 'warning: there is no variable KCM_PROT. Did you mean KCM_PORT?\n'])
})

test('an unknown command is refused with the nearest one', async () => {
  const { code, stderr } = await run(['verfy', 'http://127.0.0.1:1'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('there is no command "verfy". Did you mean verify?')])
})

test('a reader who stops in the middle gets no stack trace', async () => {
  const child = start(['openapi'])
  let stderr = ''
  child.stderr?.on('data', (chunk) => (stderr += chunk))
  child.stdout?.once('data', () => child.stdout?.destroy())
  const code = await new Promise((resolve) => child.once('exit', resolve))
  expect([code, stderr]).toEqual([0, ''])
})

test('--help and --version end with 0', async () => {
  const [help, version, serve] = await Promise.all([run(['--help']), run(['--version']), run(['serve', '--help'])])
  expect([help.code, version.code, serve.code]).toEqual([0, 0, 0])
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(serve.stdout).toContain('KCM_PORT')
})

test('proxy forwards to a service, and answers the operations of --mock itself', async () => {
  const service = await startTestMock({ fixtures: 'empty' })
  const child = start(['proxy', service.url, '--port', '0', '--mock', 'getUser*', '--fixtures', 'demo'])
  const done = ended(child)
  const url = await ready(child)
  expect((await call(url, 'GET', '/api/persona/1')).headers.get('x-mock-request-id')).toBe('r1')
  expect((await call(url, 'GET', '/api/get-user-role', { as: 'a-token-of-the-service' })).body).toEqual({
    role: 'admin'
  })
  const { body } = await call(service.url, 'GET', '/__mock/requests')
  expect(body.requests.map((it: { operation: string }) => it.operation)).toEqual(['getPersona'])
  child.kill('SIGTERM')
  expect((await done).code).toBe(0)
})
