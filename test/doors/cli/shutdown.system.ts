import type { ChildProcess } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ended, ready, start } from '../../cli.js'
import { call, startTestMock } from '../../mock.js'
import { Stream } from '../../rules/control/stream.js'
import { Wire } from '../listener/wire.js'

const create = '/api/chat/create-chat-session'

/** The head of a request that the server confirms: the body is sent after a 100 Continue (RFC 9110, 10.1.1). */
const head = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer admin\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`

/** Starts to create a session; the body is not sent yet. */
async function beginAsking(url: string, body: string): Promise<Wire> {
  const wire = Wire.open(url)
  await wire.send(head(create, body))
  expect((await wire.reply({ hasBody: false })).status).toBe(100)
  return wire
}

async function stop(child: ChildProcess, url: string): Promise<void> {
  child.kill('SIGTERM')
  while (await call(url, 'GET', '/__mock/health').catch(() => undefined));
}

const folder = mkdtempSync(join(tmpdir(), 'kcm-shutdown-'))

test('a request that arrived before SIGTERM is answered as the last of its connection, and stored', async () => {
  const args = ['--port', '0', '--log', 'silent', '--fixtures', 'empty', '--data', folder]
  const child = start(args)
  const end = ended(child)
  const url = await ready(child)
  const body = JSON.stringify({ description: 'came before' })
  const wire = await beginAsking(url, body)
  await stop(child, url)
  await wire.send(body)
  const answer = await wire.reply()
  expect([answer.status, answer.headers.connection]).toEqual([200, 'close'])
  await wire.closed()
  expect(await end).toMatchObject({ code: 0, stderr: '' })

  const again = start(args)
  const ending = ended(again)
  const { sessions } = (await call(await ready(again), 'GET', '/api/chat/get-user-chat-sessions')).body
  expect(sessions.map(({ id }: { id: string }) => id)).toEqual([answer.body.chat_session_id])
  again.kill()
  await ending
})

test('shutdown waits for a delayed answer', async () => {
  const child = start(['--port', '0', '--log', 'silent', '--shutdown-timeout', '60'])
  const end = ended(child)
  const url = await ready(child)
  const override = { operation: 'getPersona', delay: { type: 'fixed', milliseconds: 300 }, times: 1 }
  await call(url, 'POST', '/__mock/overrides', { body: override })
  const answer = call(url, 'GET', '/api/persona/1')
  while ((await call(url, 'GET', '/__mock/overrides')).body.overrides.length > 0);
  child.kill('SIGTERM')
  expect((await answer).body.id).toBe(1)
  expect((await end).code).toBe(0)
})

test('a connection that is idle, unused, or a stream of events does not delay shutdown', async () => {
  const child = start(['--port', '0', '--log', 'silent', '--shutdown-timeout', '3600'])
  const end = ended(child)
  const url = await ready(child)
  const [mute, idle] = [Wire.open(url), Wire.open(url)]
  await idle.send('GET /__mock/health HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect((await idle.reply()).status).toBe(200)
  const stream = await Stream.open(url)
  child.kill('SIGTERM')
  await Promise.all([mute.closed(), idle.closed(), stream.ended()])
  expect((await end).code).toBe(0)
})

test('with --shutdown-delay the mock still serves, and is not ready', async () => {
  const child = start(['--port', '0', '--log', 'silent', '--shutdown-delay', '3600'])
  const end = ended(child)
  const url = await ready(child)
  const readiness = () => fetch(`${url}/__mock/health?ready=true`)
  expect((await readiness()).status).toBe(200)
  child.kill('SIGTERM')
  while ((await readiness()).status === 200);
  // New connections too; each ends after its answer.
  const wire = Wire.open(url)
  await wire.send('GET /api/persona/1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer admin\r\n\r\n')
  const answer = await wire.reply()
  expect([answer.status, answer.headers.connection]).toEqual([200, 'close'])
  await wire.closed()
  child.kill('SIGINT')
  expect((await end).code).toBe(130)
})

test('SIGTERM that comes twice at once, as timeout sends it, lets the requests in progress finish', async () => {
  const child = start(['--port', '0', '--log', 'json', '--shutdown-timeout', '60'])
  const end = ended(child)
  const url = await ready(child)
  const wire = await beginAsking(url, '{}')
  // The second one would be the same as the first if that had not arrived yet.
  child.stderr?.on('data', (text) => `${text}`.includes('SIGTERM: finishes') && child.kill('SIGTERM'))
  await stop(child, url)
  await wire.send('{}')
  expect((await wire.reply()).status).toBe(200)
  expect((await end).code).toBe(0)
})

test('a second signal ends the process at once', async () => {
  const child = start(['--port', '0', '--shutdown-timeout', '3600'])
  const end = ended(child)
  const url = await ready(child)
  const wire = await beginAsking(url, '{}')
  await stop(child, url)
  child.kill('SIGINT')
  expect((await end).code).toBe(130)
  await wire.closed()
})

test('the mock is alive but not ready while it shuts down', async () => {
  const mock = await startTestMock({ shutdownTimeout: 3600 })
  const probes = ['', '?ready=true'].map(
    (query) => [Wire.open(mock.url), `GET /__mock/health${query} HTTP/1.1\r\n`] as const
  )
  for (const [wire, line] of probes) {
    // One whole request and the beginning of another: when the one is answered, the other has begun.
    await wire.send(`${line}Host: localhost\r\n\r\n${line}`)
    expect((await wire.reply()).status).toBe(200)
  }
  const closed = mock.close()
  for (const [wire] of probes) await wire.send('Host: localhost\r\n\r\n')
  const [alive, notReady] = await Promise.all(probes.map(([wire]) => wire.reply()))
  expect([alive?.status, alive?.headers.connection, alive?.body.status]).toEqual([200, 'close', 'ok'])
  expect([notReady?.status, notReady?.headers['retry-after']]).toEqual([503, '5'])
  expect(notReady?.body.detail).toContain('shutting down')
  await closed
})
