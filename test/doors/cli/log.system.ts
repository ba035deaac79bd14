import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ended, ready, start } from '../../cli.js'
import { call } from '../../mock.js'

const secret = 'a-secret-of-many-characters'

/** The log of a mock during requests. */
async function logOf(args: string[], ask: (url: string) => Promise<unknown>): Promise<string> {
  const child = start(['--port', '0', ...args])
  const done = ended(child)
  await ask(await ready(child))
  child.kill()
  return (await done).stderr
}

async function askAll(url: string): Promise<void> {
  await call(url, 'GET', '/api/persona/1')
  await call(url, 'GET', `/api/persnoa?token=${secret}`, { as: secret })
  await call(url, 'POST', '/api/user/projects/1/instructions?a=1', { body: { instructions: 'x' } })
  await call(url, 'POST', '/api/manage/credential', { body: { credential_json: { key: secret }, source: 'slack' } })
  await call(url, 'GET', '/api/persona/1', {
    headers: { Cookie: `session=${secret}`, Prefer: 'fault=EMPTY_RESPONSE' }
  }).catch(() => {})
}

test('--log json writes a pino line for each exchange, by level, and for its start and stop', async () => {
  const text = await logOf(['--log', 'json'], askAll)
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  for (const line of lines) {
    expect(line).toMatchObject({ level: expect.any(Number), time: expect.any(Number), msg: expect.any(String) })
  }
  expect(lines.map(({ level, msg }) => [level, msg.replace(/:\/\/.*|^(SIGTERM): .*/, '$1')])).toEqual([
    [30, 'ready http'],
    [30, 'r1 GET /api/persona/1 200'],
    [40, expect.stringMatching(/^r2 GET \/api\/persnoa\?token=\*\*\* 404 nearest: GET \/api\/persona/)],
    [40, 'r3 POST /api/user/projects/1/instructions?a=1 200 query.a is not in the contract'],
    [40, expect.stringContaining('r4 POST /api/manage/credential')],
    [30, 'r5 GET /api/persona/1 0'],
    [30, 'SIGTERM'],
    [30, 'stopped']
  ])
  expect(lines[1]).toMatchObject({ id: 'r1', operation: 'getPersona', status: 200, clock: expect.any(String) })
})

test.each(['json', 'info'])('--log %s shows no secret', async (form) => {
  const text = await logOf(['--log', form], askAll)
  expect(text).toContain('/api/persnoa?token=***')
  expect(text).not.toContain(secret)
})

test('a URL of thousands of characters is shortened in its line', async () => {
  const query = 'word+'.repeat(2000)
  const text = await logOf(['--log', 'info'], (url) => call(url, 'GET', `/api/chat/search?query=${query}`))
  const line = text.split('\n').find((it) => it.startsWith('r1 ')) as string
  expect(line).toMatch(/^r1 GET \/api\/chat\/search\?query=word.*… 422/)
  expect(line.length).toBeLessThan(300)
})

test('a problem in the data is logged as a line like the others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kcm-log-'))
  const args = ['--data', folder, '--log', 'json']
  await logOf(args, (url) => call(url, 'POST', '/api/chat/create-chat-session', { body: {} }))
  writeFileSync(join(folder, 'log'), '0badc0de {"torn', { flag: 'a' })
  const lines = (await logOf(args, async () => {}))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines[0]).toMatchObject({ level: 50, msg: expect.stringContaining('cut off') })
})

test('--log silent writes nothing', async () => {
  expect(await logOf(['--log', 'silent'], askAll)).toBe('')
})

test('a refusal of null names the assumption and the profile once', async () => {
  const text = await logOf([], async (url) => {
    for (const _ of [1, 2]) await call(url, 'PATCH', '/api/persona/1', { body: { description: null } })
  })
  expect(
    text.match(/^r\d PATCH \/api\/persona\/1 422 body\.description: Input should be a valid string$/gm)
  ).toHaveLength(2)
  expect(text.match(/requests\.null=accepted, or with --profile observed/g)).toHaveLength(1)
})
