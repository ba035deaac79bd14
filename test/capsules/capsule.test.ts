import { request } from 'node:http'
import type { SandboxHandle } from '../../src/doors/program/handle/sandbox-handle.js'
import { createMock, type Mock } from '../../src/doors/program/mock.js'
import type { Scenario } from '../../src/engine/contract/types.gen.js'
import { startTestMock } from '../mock.js'
import { stateOf } from './world.js'

const mock = await startTestMock({ now: undefined })
/** Starts differently in every way: a capsule contains everything that it needs. */
const other = createMock({ seed: 99, now: '2020-01-01T00:00:00.000Z', profile: 'observed', fixtures: 'empty' })
afterAll(() => other.close())

let count = 0
/** A new sandbox, with functions to call it. */
function newBox() {
  const name = `box-${++count}`
  const headers = { 'X-Mock-Sandbox': name }
  return {
    name,
    handle: mock.handle(name),
    call: (method: string, path: string, options: Parameters<typeof mock.call>[2] = {}) =>
      mock.call(method, path, { ...options, headers: { ...headers, ...options.headers } }),
    capsule: async (query = ''): Promise<Scenario> => {
      const { status, body } = await mock.call('GET', `/__mock/capsule${query}`, { headers })
      expect([status, body.detail]).toEqual([200, undefined])
      return body
    }
  }
}

/** Compares a sandbox with the one of this name in the other mock. */
async function isSame(name: string, handle: SandboxHandle, { fetch }: Pick<Mock, 'fetch'> = mock): Promise<void> {
  expect(await stateOf(other.fetch, other.sandbox(name))).toBe(await stateOf(fetch, handle))
}

/** Plays the capsule of a sandbox elsewhere, and compares the result. */
async function replays(box: ReturnType<typeof newBox>): Promise<Scenario> {
  box.handle.clock.freeze()
  const capsule = await box.capsule('?uploads=whole')
  await other.sandbox(box.name).play(capsule)
  await isSame(box.name, box.handle)
  return capsule
}

test('a capsule leads from the start of a sandbox to its current state, in a mock with another start', async () => {
  const box = newBox()
  await box.call('POST', '/api/chat/create-chat-session', { as: 'basic', body: { description: 'Mine' } })
  const file = box.handle.create('userFiles', { status: 'PROCESSING', user_id: 'basic' })
  box.handle.clock.advance('1h')
  await box.call('GET', `/api/user/projects/file/${file.id}`, { as: 'basic' })
  box.handle.override({ operation: 'getPersona', sequence: [{ status: 503 }, {}] })
  await box.call('GET', '/api/persona/1')
  await box.call('GET', '/api/persona/1')
  const { start, steps } = await replays(box)
  expect(start).toMatchObject({ fixtures: 'demo', seed: 1, scale: 1, profile: 'documented', assume: {} })
  const done = steps.map(({ at: _, note: __, ...step }) => Object.keys(step)[0])
  expect(done).toEqual(['call', 'create', 'clock', 'call', 'override', 'call', 'call', 'clock', 'clock'])
  expect(steps.flatMap(({ call }) => call?.expect?.status ?? [])).toEqual([200, 200, 503, 200])
})

test('a capsule expects the recorded answers: it fails if a mock answers otherwise', async () => {
  const box = newBox()
  await box.call('GET', '/api/persona/1')
  const capsule = await box.capsule()
  const [step] = capsule.steps
  expect(step?.call).toMatchObject({ operation: 'getPersona', path: { persona_id: 1 }, expect: { body: { id: 1 } } })
  Object.assign(step?.call?.expect?.body as object, { name: 'Another' })
  await expect(other.sandbox('fails').play(capsule)).rejects.toThrow('Step 1 (call getPersona): body.name is')
})

test('a capsule names users instead of tokens, and has no secrets', async () => {
  const box = newBox()
  const secret = 'correct-horse-battery'
  const credential_json = { api_token: secret, nested: { key: secret } }
  const credential = { credential_json, admin_public: true, source: 'web', name: 'Wiki' }
  await box.call('POST', '/api/manage/credential', { body: credential })
  await box.call('POST', '/api/manage/credential', { body: JSON.stringify(credential).slice(0, -1) })
  await box.call('GET', `/api/persona/1?api_key=${secret}`, { as: secret })
  const form = new FormData()
  form.set('name', 'Wiki')
  form.set('credential_json', JSON.stringify(credential_json))
  form.set('uploaded_file', new File([secret], 'key.pfx'))
  form.set('field_key', 'private_key')
  form.set('type_definition_key', 'sharepoint_pfx_file')
  const credentials = box.handle.rows('credentials')
  const { id } = credentials.at(-1) as { id: number }
  const answer = await box.call('PUT', `/api/manage/admin/credential/private-key/${id}`, { form })
  expect(answer.status).toBe(200)
  box.handle.create('credentials', { credential_json })
  const text = JSON.stringify(await replays(box))
  expect(text).not.toContain(secret)
  expect(text).not.toContain(Buffer.from(secret).toString('base64'))
  expect(text).not.toContain('Bearer')
})

test('a capsule has uploads by size and digest, or completely on request', async () => {
  const box = newBox()
  const form = new FormData()
  form.append('files', new File(['a private note'], 'note "1".txt', { type: 'text/plain' }))
  form.append('files', new File([new Uint8Array([0xff, 0x00])], 'größe.bin'))
  await box.call('POST', '/api/manage/admin/connector/file/upload', { form })
  const digest = await box.capsule()
  expect(JSON.stringify(digest)).not.toContain('private note')
  expect(digest.steps[0]?.call).toMatchObject({
    operation: 'uploadConnectorFiles',
    body: {
      files: [{ 'x-file': { name: 'note "1".txt', size: 14, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } }, {}]
    },
    expect: { status: 200, body: { file_names: ['note "1".txt', 'größe.bin'] } }
  })
  await other.sandbox('by-digest').play(digest)
  const whole = await replays(box)
  expect(whole.steps[0]?.call?.body).toMatchObject({
    files: [{ 'x-file': { text: 'a private note' } }, { 'x-file': { base64: '/wA=' } }]
  })
})

test('a capsule starts with the whole state if one was put, and continues after snapshots and forks', async () => {
  const box = newBox()
  const { state } = box.handle
  box.handle.state = {
    ...state,
    collections: { ...state.collections, labels: [...(state.collections.labels ?? []), { id: 70, name: 'Put in' }] }
  } as never
  box.handle.snapshot('before')
  box.handle.create('labels', { name: 'Later' })
  box.handle.restore('before')
  box.handle.create('labels', {}, 60)
  const { steps } = await replays(box)
  expect(steps[0]?.control?.operation).toBe('replaceState')
  const fork = box.handle.fork('forked')
  fork.create('labels', { name: 'In the fork' })
  const capsule = fork.capsule()
  await other.sandbox('forked').play(capsule)
  await isSame('forked', fork)
  box.handle.reset()
  expect(box.handle.capsule().steps.filter(({ clock }) => !clock)).toEqual([])
})

test('a capsule continues with the earlier changes after an undo, a snapshot of before and a reset that keeps the journal', async () => {
  const box = newBox()
  box.handle.create('labels', { name: 'For the snapshot' })
  box.handle.snapshot('of-before')
  box.handle.reset()
  const made = await box.call('POST', '/api/chat/create-chat-session', { body: { description: 'Mine' } })
  const path = `/api/chat/delete-chat-session/${made.body.chat_session_id}`
  await box.call('DELETE', path)
  box.handle.assume({ 'files.deletion': 'refused' })
  box.handle.override({ operation: 'getUserRole', status: 418, rate: 0.5 })
  for (let at = 0; at < 5; at++) await box.call('GET', '/api/get-user-role')
  expect((await box.call('POST', '/__mock/history/r1/restore')).status).toBe(200)
  await box.call('DELETE', path)
  const undone = await replays(box)
  expect(undone.start?.fixtures).toBe('demo')
  const calls = undone.steps.flatMap(({ call, note }) => (call ? [[note, call.expect?.status]] : []))
  expect(calls.filter(([, status]) => status === 200).map(([note]) => note)).toEqual(
    expect.arrayContaining(['r1', 'r2', 'r8'])
  )
  expect(undone.steps.filter(({ control }) => control?.operation === 'replaceState')).toHaveLength(1)
  box.handle.restore('of-before')
  box.handle.create('labels', { name: 'After it' })
  await replays(box)
  await box.call('POST', '/__mock/reset?keep_journal=true', { body: { seed: 7, fixtures: 'empty' } })
  await box.call('GET', '/api/get-user-role')
  const kept = await replays(box)
  expect(kept.steps.filter(({ control }) => control?.operation === 'resetSandbox')).toHaveLength(3)
  expect(kept.steps.findLast(({ call }) => call)).toMatchObject({ note: 'r9', call: { operation: 'getUserRole' } })
})

test('a capsule up to an exchange ends with it, also after a scenario that was rolled back, or is refused', async () => {
  const box = newBox()
  await box.call('POST', '/api/chat/create-chat-session', { body: { description: 'Mine' } })
  const steps = [
    { create: { collection: 'labels' } },
    { call: { operation: 'getPersona', path: { persona_id: 999_999 } } }
  ]
  await expect(box.handle.play({ start: {}, steps })).rejects.toThrow()
  await box.call('GET', '/api/persona/1')
  const capsule = await box.capsule('?exchange=r2')
  expect(capsule.steps.map(({ note }) => note)).toEqual(['r1', 'r2'])
  await other.sandbox('to-r2').play(capsule)
  const { status, body } = await box.call('GET', '/__mock/capsule?exchange=r3')
  expect([status, body.detail]).toEqual([404, 'There is no moment r3. Give one from r1 to r2.'])
  const small = createMock({ journalEntries: 1 })
  for (let at = 0; at < 9; at++) {
    await small.fetch('http://mock.invalid/api/chat/create-chat-session', {
      method: 'POST',
      headers: { Authorization: 'Bearer admin', 'Content-Type': 'application/json' },
      body: '{}'
    })
  }
  expect(() => small.sandbox('default').capsule({ exchange: 'r1' })).toThrow('The history does not reach back to r1.')
  await small.close()
})

test('a capsule of a long history is cut, says so, and still leads to the same state', async () => {
  const small = createMock({ journalEntries: 10, now: '2026-03-02T10:00:00.000Z' })
  const box = small.sandbox('small')
  for (let at = 0; at < 60; at++) {
    box.create('labels', { name: `Label ${at}` })
    await small.fetch('http://mock.invalid/api/persona/1', { headers: { 'X-Mock-Sandbox': 'small' } })
  }
  const capsule = box.capsule()
  expect(capsule.description).toMatch(/It is cut: the first \d+ changes are left out/)
  expect(capsule.description).toMatch(/Of the requests that changed nothing, 59 are left out/)
  expect(capsule.steps.length).toBeLessThan(60)
  await other.sandbox('small').play(capsule)
  await isSame('small', box, small)
  await small.close()
})

test('a capsule that is cut continues with the overrides as they were, and with the same chance', async () => {
  const small = createMock({ journalEntries: 10, now: '2026-03-02T10:00:00.000Z' })
  const box = small.sandbox('weather')
  const ask = () => small.fetch('http://mock.invalid/api/get-user-role', { headers: box.headers })
  box.state = { ...box.state, seed: 5 }
  box.override({ operation: 'getPersona', status: 404 }).remove()
  box.override({ operation: 'getUserRole', sequence: [{ status: 500 }, { status: 418 }, {}], rate: 0.1 })
  box.weather('rate-limited')
  for (let at = 0; at < 70; at++) await ask()
  expect(box.capsule().description).toContain('It is cut')
  box.override({ operation: 'getUserRole', status: 401, times: 2 }).remove()
  await other.sandbox('weather').play(box.capsule())
  await isSame('weather', box, small)
  const next = async (fetch: Mock['fetch']) => {
    const answers = []
    for (let at = 0; at < 20; at++) {
      answers.push((await fetch('http://mock.invalid/api/get-user-role', { headers: box.headers })).status)
    }
    return answers
  }
  expect(await next(other.fetch)).toEqual(await next(small.fetch))
  await small.close()
})

test('a capsule of a sandbox that starts with a scenario, or that was saved, leads to the same state', async () => {
  const started = createMock({ scenario: 'upload-fails' })
  await started.ready
  const box = started.sandbox('own')
  box.create('labels', { name: 'After it' })
  box.clock.freeze()
  await other.sandbox('started').play(box.capsule())
  await isSame('started', box, started)
  await started.close()
})

test('a capsule leaves out what no client could send again, and expects no body of HEAD', async () => {
  const listening = await startTestMock({ seed: 3 })
  const box = listening.handle('raw')
  const ask = (method: string, path: string, body?: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...box.headers, authorization: 'Bearer admin', 'content-type': 'application/json' }
      const sent = request(listening.url, { method, path, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode))
      })
      sent.on('error', reject).end(body)
    })
  expect(await ask('TRACE', '/api/persona/1')).toBe(405)
  expect(await ask('GET', '/api/persona/1#part')).toBe(422)
  expect(await ask('HEAD', '/api/persona/1')).toBe(200)
  expect(await ask('GET', '/api/persona/1', '{"a": 1}')).toBe(200)
  expect(box.capsule().steps.map(({ call }) => [call?.method, call?.operation])).toEqual([
    ['HEAD', undefined],
    [undefined, 'getPersona']
  ])
  await other.sandbox('raw').play(box.capsule())
})

test('a capsule continues with the same chance after a connection that broke with random bytes', async () => {
  const listening = await startTestMock({ seed: 3 })
  const box = listening.handle('bytes')
  const status = () =>
    fetch(`${listening.url}/api/persona/1`, { headers: { ...box.headers, Authorization: 'Bearer admin' } }).then(
      (response) => response.status,
      () => 0
    )
  const sequence = [{ status: 503 }, { fault: 'RANDOM_DATA_THEN_CLOSE' as const }, { status: 418 }]
  box.override({ operation: 'getPersona', sequence, rate: 0.5 })
  const seen = new Set<number>()
  for (let at = 0; at < 20; at++) seen.add(await status())
  expect([...seen].sort()).toEqual([0, 200, 418, 503])
  await other.sandbox('bytes').play(box.capsule())
})

test('a capsule has overrides without the secrets in their answers and conditions', async () => {
  const box = mock.handle('override')
  box.override({ operation: 'getCredential', status: 200, body: { id: 1, credential_json: { password: 'hunter2' } } })
  box.override({
    operation: 'createCredential',
    match: { body: { credential_json: { token: 'hunter2' } } },
    status: 500
  })
  expect(JSON.stringify(box.capsule())).not.toContain('hunter2')
  expect(box.capsule().steps.map(({ override }) => override?.operation)).toEqual(['getCredential', 'createCredential'])
  await other.sandbox('override').play(box.capsule())
})

test.each([25, 0.0004])(
  'a capsule of a mock at scale %s records it, and a mock that is too small refuses the capsule',
  async (scale) => {
    const scaled = createMock({ scale })
    const box = scaled.sandbox('scaled')
    box.create('labels', { name: 'One' })
    box.clock.freeze()
    const capsule = box.capsule()
    expect(capsule.start).toMatchObject({ fixtures: 'demo', scale })
    await scaled.sandbox('again').play(capsule)
    expect(await stateOf(scaled.fetch, scaled.sandbox('again'))).toBe(await stateOf(scaled.fetch, box))
    const elsewhere = other.sandbox('small').play(capsule)
    if (scale > 10)
      await expect(elsewhere).rejects.toThrow('The scale is at most 10. Start the mock with a higher --scale')
    else await elsewhere
    await scaled.close()
  }
)

test('a capsule leaves out what no longer exists: a failed call, and a scenario that was rolled back', async () => {
  const box = newBox()
  expect(() => box.handle.create('labels', { id: 'no number' } as never)).toThrow()
  await expect(
    box.handle.play({
      steps: [{ create: { collection: 'labels' } }, { lifecycle: { collection: 'userFiles', id: 'x', to: 'FAILED' } }]
    })
  ).rejects.toThrow()
  const { steps } = await replays(box)
  expect(steps.filter(({ clock }) => !clock)).toEqual([])
})
