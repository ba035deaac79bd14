import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestMock, type TestMock } from '../../mock.js'
import { stateOf } from '../../state.js'

const kibibyte = 1024
const detail = (name: string, limit: number) =>
  `The sandbox "${name}" would have more than ${limit} bytes of its own rows (--max-sandbox-bytes). Delete some rows, or reset it.`

const limit = 20 * kibibyte
const mock = await startTestMock({ maxSandboxBytes: limit })
const ask = (method: string, path: string, sandbox: string, body?: unknown, to = mock) =>
  to.call(method, path, { as: `admin~${sandbox}`, body })
const instructions = (length: number) => ({ instructions: 'x'.repeat(length) })
const held = (sandbox: string) => mock.sandboxNamed(sandbox).held
const worldOf = (sandbox: string, { sandboxNamed }: TestMock = mock) => {
  const { choices, snapshots, overrides } = sandboxNamed(sandbox)
  return [stateOf(sandboxNamed(sandbox)), choices, [...snapshots.keys()], overrides.list]
}

test('a sandbox over its size limit refuses more, remains unchanged, and accepts more again when there is room', async () => {
  const create = () => ask('POST', '/api/chat/create-chat-session', 'full', {})
  const made: string[] = []
  for (let answer = await create(); answer.status === 200; answer = await create()) {
    made.push(answer.body.chat_session_id)
  }
  expect([made.length > 10, held('full') <= limit]).toEqual([true, true])
  const before = worldOf('full')
  const refused = await create()
  expect([refused.status, refused.body]).toEqual([413, { detail: detail('full', limit) }])
  expect(worldOf('full')).toEqual(before)
  expect((await ask('GET', '/api/chat/get-user-chat-sessions', 'full')).status).toBe(200)
  expect((await ask('PATCH', '/api/persona/1', 'full', { description: '' })).status).toBe(200)
  expect((await ask('DELETE', `/api/chat/delete-chat-session/${made[0]}`, 'full')).status).toBe(200)
  expect((await create()).status).toBe(200)
  expect((await ask('POST', '/api/chat/create-chat-session', 'other', {})).status).toBe(200)
})

test('a sandbox over its size limit without ids of the kind has a state that can be read and forked', async () => {
  const empty = await startTestMock({ maxSandboxBytes: 100, fixtures: 'empty' })
  const before = await ask('GET', '/__mock/state', 'q', undefined, empty)
  const refused = await ask('POST', '/api/chat/create-chat-session', 'q', { description: 'x'.repeat(200) }, empty)
  expect(refused.status).toBe(413)
  const after = await ask('GET', '/__mock/state', 'q', undefined, empty)
  expect([after.status, after.body]).toEqual([200, before.body])
  await ask('POST', '/__mock/sandboxes', 'q', { name: 'fork', from: 'q' }, empty)
  expect((await ask('GET', '/__mock/state', 'fork', undefined, empty)).body).toEqual(before.body)
  expect(empty.sandboxNamed('fork').ids.toJSON()).not.toHaveProperty('uuid')
  await empty.close()
})

test('a sandbox over its size limit accepts a value that is smaller than the one that it replaces', async () => {
  const put = (length: number) => ask('POST', '/api/user/projects/1/instructions', 'swap', instructions(length))
  expect([(await put(limit - 500)).status, (await put(limit + 500)).status]).toEqual([200, 413])
  expect(mock.sandboxNamed('swap').rows.projects.get(1)?.instructions).toHaveLength(limit - 500)
  expect([(await put(limit - 600)).status, (await put(5)).status]).toEqual([200, 200])
  expect(held('swap')).toBeLessThan(100)
})

test.each([
  ['POST', '/__mock/state/labels', { name: 'x'.repeat(2 * limit) }],
  ['PUT', '/__mock/state/labels/1', { id: 1, name: 'x'.repeat(2 * limit) }],
  ['PUT', '/__mock/state', { collections: { labels: [{ id: 1, name: 'x'.repeat(2 * limit) }] } }]
])(
  'a sandbox over its size limit refuses %s %s with the limit, too, and changes nothing',
  async (method, path, body) => {
    const before = worldOf('control')
    const refused = await ask(method, path, 'control', body)
    expect([refused.status, refused.headers.get('content-type'), refused.body.detail]).toEqual([
      413,
      'application/problem+json',
      detail('control', limit)
    ])
    expect(worldOf('control')).toEqual(before)
  }
)

test('a sandbox over its size limit includes its snapshots, and is empty again after a reset without them', async () => {
  await ask('POST', '/api/user/projects/1/instructions', 'snap', instructions(0.4 * limit))
  const snapshot = (name: string) => ask('POST', `/__mock/snapshots/${name}`, 'snap')
  expect((await snapshot('one')).status).toBe(200)
  const before = worldOf('snap')
  expect([(await snapshot('two')).status, worldOf('snap')]).toEqual([413, before])
  await ask('POST', '/__mock/reset', 'snap', {})
  await ask('DELETE', '/__mock/snapshots/one', 'snap')
  expect(held('snap')).toBe(0)
  expect((await snapshot('two')).status).toBe(200)
})

test('a sandbox over its size limit may start with any number of rows, because shared rows do not count', async () => {
  expect((await ask('POST', '/__mock/reset', 'start', { fixtures: 'large', scale: 0.2 })).status).toBe(200)
  expect(held('start')).toBe(0)
})

test('a sandbox over its size limit has the same size after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kcm-room-'))
  const one = await startTestMock({ data: folder, maxSandboxBytes: limit })
  await ask('POST', '/api/user/projects/1/instructions', 'kept', instructions(5000), one)
  await ask('POST', '/__mock/snapshots/one', 'kept', undefined, one)
  const before = one.sandboxNamed('kept').held
  await one.close()
  const two = await startTestMock({ data: folder, maxSandboxBytes: limit })
  expect([before > 9000, two.sandboxNamed('kept').held]).toEqual([true, before])
  const names = ['two', 'three', 'four']
  const statuses: number[] = []
  for (const name of names)
    statuses.push((await ask('POST', `/__mock/snapshots/${name}`, 'kept', undefined, two)).status)
  expect(statuses).toEqual([200, 200, 413])
  await two.close()
})
