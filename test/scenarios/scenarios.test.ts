import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { lingerLimits } from '../../src/doors/listener/pace.js'
import { createMock } from '../../src/doors/program/mock.js'
import { startMock } from '../../src/doors/program/server.js'
import type { Scenario } from '../../src/engine/contract/types.gen.js'
import { documentWith } from '../documents.js'
import { startTestMock, testNow } from '../mock.js'
import { restored } from '../restored.js'

restored(lingerLimits)
// For this long a client that has left looks like one that has sent everything and still reads.
lingerLimits.milliseconds = 1000
const mock = await startTestMock()
const folder = mkdtempSync(join(tmpdir(), 'kcm-scenarios-'))

const box = (name: string) => mock.handle(name)
const post = (sandbox: string, body: unknown, name = '') =>
  mock.call('POST', `/__mock/scenarios${name}`, { body, headers: { 'X-Mock-Sandbox': sandbox } })

const upload: Scenario = {
  name: 'upload',
  description: 'A file that fails.',
  start: { fixtures: 'empty', seed: 7, now: '2026-05-01T08:00:00.000Z', assume: { 'delete.body': '204' } },
  steps: [
    {
      create: { collection: 'userFiles', part: { name: 'a.pdf', user_id: 'basic', status: 'PROCESSING' } },
      as: 'file'
    },
    { lifecycle: { collection: 'userFiles', id: '{file.id}', to: 'FAILED' } },
    { snapshot: { name: 'failed', note: 'It failed.' } },
    {
      call: {
        operation: 'getFile',
        user: 'basic',
        path: { file_id: '{file.id}' },
        expect: { status: 200, body: { status: 'FAILED', name: '{file.name}' } }
      },
      as: 'read'
    },
    { clock: { advance: '2h' } }
  ]
}

test('a scenario in a body is played from its start, step by step, and returns its scenes and results', async () => {
  const { status, body } = await post('body', upload)
  expect([status, body.name, body.steps, body.scenes]).toEqual([
    200,
    'upload',
    5,
    [{ name: 'failed', note: 'It failed.' }]
  ])
  expect(body.results.read).toMatchObject({ id: body.results.file.id, status: 'FAILED' })
  const { fixtures, seed, now } = box('body').state
  expect([fixtures, seed, now]).toEqual(['empty', 7, '2026-05-01T10:00:00.000Z'])
  expect(box('body').rows('userFiles')).toEqual([expect.objectContaining({ name: 'a.pdf', status: 'FAILED' })])
  const { assumptions } = (await mock.call('GET', '/__mock/assumptions', { headers: { 'X-Mock-Sandbox': 'body' } }))
    .body
  expect(assumptions).toContainEqual(expect.objectContaining({ id: 'delete.body', choice: '204' }))
  expect(box('body').restore('failed').now).toBe('2026-05-01T08:00:00.000Z')
})

test('a scenario in a body shows its calls in the journal of its sandbox, and in no other', async () => {
  await post('journal', upload)
  expect(
    box('journal')
      .requests()
      .map(({ operation }) => operation)
  ).toEqual(['getFile'])
  expect(box('elsewhere').requests()).toEqual([])
})

test('a scenario in a body without a start continues from the current sandbox', async () => {
  const label = box('goes-on').create('labels', { name: 'Mine' })
  await post('goes-on', { steps: [{ create: { collection: 'labels', part: { name: 'Other' } } }] })
  expect(box('goes-on').rows('labels')).toContainEqual(label)
})

test('a scenario in a body accepts the profile observed as a start', async () => {
  await post('observed', { start: { profile: 'observed' }, steps: [] })
  const { assumptions } = (await mock.call('GET', '/__mock/assumptions', { headers: { 'X-Mock-Sandbox': 'observed' } }))
    .body
  expect(assumptions.every((it: { choice: string; observed: string }) => it.choice === it.observed)).toBe(true)
})

test('a scenario in a body calls any path, as any user or without one, with any body, and may expect a broken connection', async () => {
  const { body } = await post('calls', {
    steps: [
      { call: { method: 'GET', url: '/api/nowhere?a=1', expect: { status: 404 } } },
      { call: { operation: 'getUserRole', user: null, expect: { status: 401 } } },
      { call: { operation: 'getUserRole', user: 'curator', expect: { body: { role: 'curator' } } } },
      { call: { operation: 'inviteUsers', text: '{"emails', expect: { status: 422 } } },
      { call: { operation: 'getUserRole', headers: { Prefer: 'fault=EMPTY_RESPONSE' }, expect: { status: 0 } } },
      { control: { operation: 'listSandboxes', expect: { body: {} } }, as: 'sandboxes' },
      {
        call: {
          operation: 'uploadConnectorFiles',
          body: { files: [{ 'x-file': { name: 'a.md', type: 'text/markdown', text: '# A' } }] },
          expect: { body: { file_names: ['a.md'] } }
        }
      }
    ]
  })
  expect(body).toMatchObject({ name: 'unnamed', steps: 7 })
})

test.each([
  ['no action', { steps: [{}] }, 'steps.0', 'Give the step one action'],
  ['two actions', { steps: [{ clock: {}, assume: {} }] }, 'steps.0', 'one step for each'],
  ['an unknown field', { steps: [{ cal: {} }] }, 'steps.0.cal', 'Unknown field'],
  [
    'an unknown operation',
    { steps: [{ call: { operation: 'getPersonas' } }] },
    'steps.0.call.operation',
    'getPersonas'
  ],
  ['no operation', { steps: [{ call: {} }] }, 'steps.0.call.operation', 'Give an operation'],
  ['a missing parameter', { steps: [{ call: { operation: 'getPersona' } }] }, 'steps.0.call.path', 'persona_id'],
  ['two bodies', { steps: [{ call: { operation: 'getUserRole', text: '', body: 1 } }] }, 'steps.0.call.text', 'body'],
  ['an unknown collection', { steps: [{ create: { collection: 'file' } }] }, 'steps.0.create.collection', 'userFiles'],
  ['itself', { steps: [{ control: { operation: 'playScenario' } }] }, 'steps.0.control.operation', 'has no operation'],
  ['no steps', { name: 'x' }, 'steps', 'equired'],
  [
    'a call of the control API',
    { steps: [{ call: { method: 'POST', url: '/a/../__mock/scenarios/first-day' } }] },
    'steps.0.call.url',
    'are control steps'
  ],
  [
    'a name that no step gives',
    { steps: [{ clock: { speed: 0 }, as: 'clock' }, { override: { path: '/{file.id}', status: 200 } }] },
    'steps.1.override',
    'file'
  ]
])(
  'a scenario in a body with %s is refused before anything happens, with the name of the field',
  async (_, scenario, field, text) => {
    const { status, body } = await post('wrong', { start: { fixtures: 'empty' }, ...scenario })
    expect([status, body.errors.map((it: { field: string }) => it.field)]).toEqual([400, [field]])
    expect(JSON.stringify(body.errors)).toContain(text)
    expect(box('wrong').state.fixtures).toBe('demo')
  }
)

test.each([
  [
    'whose answer has another status',
    { operation: 'getPersona', path: { persona_id: 99999 } },
    'the status is 404, not below 400'
  ],
  [
    'whose answer has another body',
    { operation: 'getUserRole', expect: { body: { role: 'basic' } } },
    'body.role is "admin", not "basic"'
  ],
  [
    'that refers to what a result does not have',
    { operation: 'getUserRole', query: { at: '{label.title}' } },
    '{label.title}: the result has no title. It has: id, name.'
  ]
])(
  'a scenario in a body with a step %s fails with the number and the reason, and leaves the sandbox unchanged',
  async (_, call, text) => {
    const before = JSON.stringify(box('fails').state)
    box('fails').snapshot('mine')
    const { status, body } = await post('fails', {
      start: { fixtures: 'empty', assume: { 'delete.body': '204' } },
      steps: [
        { create: { collection: 'labels' }, as: 'label' },
        { override: { operation: 'getUserRole', status: 200, body: { role: 'admin' } } },
        { snapshot: { name: 'theirs' } },
        { call }
      ]
    })
    expect([status, body.detail]).toEqual([422, expect.stringContaining(`Step 4 (call ${call.operation}): ${text}`)])
    expect(JSON.stringify(box('fails').state)).toBe(before)
    const list = await mock.call('GET', '/__mock/snapshots', { headers: { 'X-Mock-Sandbox': 'fails' } })
    expect(list.body.snapshots.map(({ name }: { name: string }) => name)).toEqual(['mine'])
    const overrides = await mock.call('GET', '/__mock/overrides', { headers: { 'X-Mock-Sandbox': 'fails' } })
    expect(overrides.body.overrides).toEqual([])
  }
)

test('that fails leaves nothing: neither clock, weather, coverage and scene, nor sandboxes created and dropped', async () => {
  const of = (name: string) => ({ headers: { 'X-Mock-Sandbox': name } })
  await mock.call('POST', '/__mock/scenarios/upload-fails/scenes/next', of('whole'))
  await mock.call('GET', '/api/persona/1', of('whole'))
  box('kept').create('labels', { name: 'Kept' })
  const seen = async () => {
    const all = []
    for (const path of ['state', 'clock', 'weather', 'overrides', 'assumptions', 'snapshots', 'coverage', 'requests']) {
      all.push((await mock.call('GET', `/__mock/${path}`, of('whole'))).body)
    }
    return all
  }
  const kept = box('kept').state
  const [file] = box('whole').rows('userFiles')
  const steps = [
    { clock: { advance: '2h' } },
    { weather: { profile: 'flaky' } },
    { assume: { 'delete.body': '204' } },
    { lifecycle: { collection: 'userFiles', id: file?.id, to: 'COMPLETED' } },
    { control: { operation: 'makeSandbox', body: { name: 'made', from: 'whole' } } },
    { control: { operation: 'dropSandbox', path: { name: 'kept' } } },
    { control: { operation: 'makeSandbox', body: { name: 'kept' } } },
    { control: { operation: 'clearRequests' } },
    { call: { method: 'GET', url: '/nowhere' } }
  ]
  for (const start of [undefined, { fixtures: 'empty' }]) {
    const before = await seen()
    const given = start ? steps.filter(({ lifecycle }) => !lifecycle) : steps
    const { status, body } = await post('whole', { ...(start && { start }), steps: given })
    expect([status, body.detail]).toEqual([422, expect.stringContaining('(call GET /nowhere)')])
    const after = await seen()
    expect(after.slice(0, 6)).toEqual(before.slice(0, 6))
    if (start) expect(after).toEqual(before)
    const { sandboxes } = (await mock.call('GET', '/__mock/sandboxes')).body
    expect(sandboxes.map(({ name }: { name: string }) => name)).not.toContain('made')
    expect(box('kept').state).toEqual(kept)
  }
  const scene = await mock.call('POST', '/__mock/scenarios/upload-fails/scenes/next', of('whole'))
  expect(scene.body.number).toBe(2)
})

test('a scenario is played by its name, and an unknown name is refused with the known ones', async () => {
  expect((await post('named', undefined, '/first-day')).status).toBe(200)
  expect(box('named').state.fixtures).toBe('empty')
  const unknown = await post('named', undefined, '/last-day')
  expect([unknown.status, unknown.body.detail]).toEqual([404, expect.stringContaining('first-day')])
  const { body } = await mock.call('GET', '/__mock/scenarios/first-day')
  expect((await post('same', body)).body.steps).toBe(body.steps.length)
})

test('a program plays by name or by object, and gets an error that names the step', async () => {
  expect((await box('program').play(upload)).results.read).toMatchObject({ status: 'FAILED' })
  expect((await box('program').play('power-user')).results.projects).toHaveLength(12)
  await expect(box('program').play('nothing')).rejects.toThrow(/There is no scenario "nothing"\. Known: first-day/)
  const failing = { steps: [{ call: { operation: 'getPersona', path: { persona_id: 0 }, expect: { status: 404 } } }] }
  await expect(box('program').play(failing)).rejects.toThrow('Step 1 (call getPersona): the status is 200, not 404.')
})

test('the example of the README plays as described', async () => {
  const text = documentWith('<!-- scenario -->')
  const [, example] = /<!-- scenario -->\n\n```yaml\n([\s\S]*?)```/.exec(text) as unknown as [string, string]
  const { body } = await post('readme', parse(example))
  expect(body).toMatchObject({ name: 'contract-fails', steps: 7, scenes: [{ name: 'reading' }, { name: 'failed' }] })
  const { scenarios } = (await mock.call('GET', '/__mock/scenarios')).body
  for (const { name, description } of scenarios) expect(text).toContain(`| \`${name}\` | ${description} |`)
})

test('signing in plays a scenario in the sandbox that it names, and then finds the users that it creates', async () => {
  const scenario = { steps: [{ create: { collection: 'users', part: { key: 'robin' } } }] }
  writeFileSync(join(folder, 'with-robin.json'), JSON.stringify(scenario))
  const other = await startMock({ port: 0, with: [withFolder()], onProblem: () => {} })
  const link = `${other.url}/__mock/enter?user=robin&sandbox=team&scenario=with-robin`
  const response = await fetch(link, { redirect: 'manual' })
  expect([response.status, response.headers.get('set-cookie')]).toEqual([303, expect.stringContaining('robin~team')])
  expect(other.sandbox('team').rows('users')).toContainEqual(expect.objectContaining({ key: 'robin' }))
  await other.close()
})

test.each([
  // A visitor has a sandbox without a name in the link.
  [{ public: true }, 303],
  [{ controlToken: 'secret' }, 400]
])('signing in never plays in the default sandbox where others use it: %j', async (options, unnamed) => {
  const other = createMock({ ...options, now: testNow })
  const enter = async (query: string) => {
    const response = await other.fetch(`http://mock/__mock/enter?scenario=first-day${query}`)
    return response.status
  }
  expect([await enter(''), await enter('&sandbox=default'), await enter('&sandbox=mine')]).toEqual([unnamed, 400, 303])
  expect([other.sandbox().state.fixtures, other.sandbox('mine').state.fixtures]).toEqual(['demo', 'empty'])
  await other.close()
})

test('signing in refuses an unknown scenario with the known ones', async () => {
  const { status, body } = await mock.call('GET', '/__mock/enter?scenario=nothing', { as: null })
  expect([status, body.errors[0].field, body.errors[0].allowed]).toEqual([
    400,
    'scenario',
    expect.arrayContaining(['first-day'])
  ])
})

/** A folder as `--with` takes it, with one scenario. */
function withFolder(): string {
  const own = mkdtempSync(join(folder, 'with-'))
  const document = { openapi: '3.1.0', info: { title: 'Own', version: '1' }, paths: {} }
  writeFileSync(join(own, 'openapi.json'), JSON.stringify(document))
  const scenarios = join(own, 'scenarios')
  mkdirSync(scenarios)
  writeFileSync(
    join(scenarios, 'with-robin.yaml'),
    'description: A user of our own.\nsteps:\n  - create:\n      collection: users\n      part: { key: robin }\n'
  )
  return own
}

test('--scenario is the start of every sandbox, also after a reset, unless a reset requests another start', async () => {
  const other = await startMock({ port: 0, now: testNow, scenario: 'upload-fails' })
  const failed = (name: string) =>
    other
      .sandbox(name)
      .rows('userFiles')
      .filter((it) => it.name === 'Scanned contract.pdf' && it.status === 'FAILED').length
  expect([failed('default'), failed('another')]).toEqual([1, 1])
  expect(other.sandbox('another').clock.now).toBe('2026-03-02T10:00:05.000Z')
  other.sandbox('another').reset({ fixtures: 'empty' })
  expect(failed('another')).toBe(0)
  other.sandbox('another').reset()
  await other.reset()
  expect([failed('default'), failed('another')]).toEqual([1, 1])
  expect(other.sandbox().restore('processing').now).toBe(testNow)
  await other.close()
})

test('--scenario is played before a mock without a listener answers its first request', async () => {
  const file = join(folder, 'named.yaml')
  writeFileSync(
    file,
    'steps:\n  - call: { operation: updatePersona, path: { persona_id: 1 }, body: { name: Named } }\n'
  )
  const other = createMock({ now: testNow, scenario: file })
  const headers = { Authorization: 'Bearer admin' }
  const response = await other.fetch('http://mock/api/persona/1', { headers })
  expect(await response.json()).toMatchObject({ name: 'Named' })
  await other.close()
})

test('--scenario may not refer to itself', async () => {
  const cycle = join(folder, 'cycle.yaml')
  writeFileSync(cycle, 'steps: &all\n  - create: { collection: labels, part: { name: *all } }\n')
  await expect(startMock({ port: 0, scenario: cycle })).rejects.toThrow(/cycle\.yaml: an alias refers to what it is in/)
})

test('--scenario that is wrong stops the start, with file, field or step', async () => {
  const wrong = join(folder, 'wrong.json')
  writeFileSync(wrong, '{ "steps": [{ "call": { "operation": "getNothing" } }] }')
  await expect(startMock({ port: 0, scenario: wrong })).rejects.toThrow(/wrong\.json: steps\.0\.call\.operation/)
  await expect(startMock({ port: 0, scenario: 'nothing' })).rejects.toThrow(/scenario is nothing|one of first-day/)
  await expect(startMock({ port: 0, scenario: join(folder, 'none.json') })).rejects.toThrow(/no such file/)
  const failing = join(folder, 'failing.json')
  writeFileSync(failing, '{ "steps": [{ "call": { "operation": "getUserRole", "expect": { "status": 500 } } }] }')
  await expect(startMock({ port: 0, scenario: failing })).rejects.toThrow(/Step 1 \(call getUserRole\)/)
})

test('a call that no client can send is refused before anything is played', async () => {
  const play = async (call: object) =>
    (await mock.call('POST', '/__mock/scenarios', { body: { steps: [{ call }] } })).body.detail
  expect(await play({ method: 'TRACE', url: '/api/persona/1' })).toContain(
    'steps.0.call.method: No client can send TRACE.'
  )
  const body = { a: 1 }
  expect(await play({ method: 'HEAD', url: '/api/persona/1', body })).toContain(
    'steps.0.call.body: HEAD takes no body.'
  )
  const call = { operation: 'getUserRole', user: 'basic\u0000' }
  expect(await play(call)).toContain('steps.0.call.user: No token can have these characters.')
  expect((await mock.call('POST', '/__mock/calls', { body: call })).status).toBe(400)
})

test.each([
  ['more bytes than memory has', [{ 'x-file': { size: 1e12 } }]],
  ['files that are too large together', [{ 'x-file': { text: 'a' } }, { 'x-file': { size: 268435456 } }]],
  ['a negative number of bytes', [{ 'x-file': { size: -1 } }]],
  ['base64 that is not text', [{ 'x-file': { base64: 5 } }]],
  ['nothing', [{ 'x-file': null }]]
])('a file that is %s is refused, in a scenario and in a call', async (_, files) => {
  const call = { operation: 'uploadConnectorFiles', body: { files } }
  const before = box('files').state
  for (const [path, body] of [
    ['scenarios', { steps: [{ create: { collection: 'labels' } }, { call }] }],
    ['calls', call]
  ] as const) {
    const answer = await mock.call('POST', `/__mock/${path}`, { body, headers: { 'X-Mock-Sandbox': 'files' } })
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining('268435456')])
  }
  expect(box('files').state).toEqual(before)
})

test('a result may have any name', async () => {
  const steps = [
    { create: { collection: 'labels', part: { name: 'One' } }, as: '__proto__' },
    { create: { collection: 'labels', part: { name: '{__proto__.name} more' } } }
  ]
  await mock.handle('names').play({ steps } as Scenario)
  expect(mock.handle('names').rows('labels').at(-1)?.name).toBe('One more')
})

describe('a call leads to no control call and to no other server after its references are resolved', () => {
  test.each([
    ['__mock/scenarios/first-day', '/{a.name}'],
    ['_mock', '/_{a.name}/scenarios/first-day'],
    ['..', '/x/{a.name}/__mock/scenarios/first-day'],
    ['%2e%2e', '/x/{a.name}/__mock/scenarios/first-day'],
    ['.', '/{a.name}/__mock/scenarios/first-day'],
    ['\\..', '/x{a.name}/__mock/scenarios/first-day'],
    ['%5f_mock', '/{a.name}/scenarios/first-day'],
    ['%255f_mock', '/{a.name}/scenarios/first-day'],
    ['%2f__mock', '/{a.name}/scenarios/first-day'],
    ['/__mock', '/.{a.name}/scenarios/first-day'],
    ['/127.0.0.1:9/x', '/{a.name}'],
    ['//127.0.0.1:9/x', '/{a.name}'],
    [`%${'25'.repeat(50)}5f_mock`, '/{a.name}/scenarios/first-day']
  ])('%s in %s', async (name, url) => {
    const before = box('guarded').state
    const steps = [
      { create: { collection: 'labels', part: { name } }, as: 'a' },
      { call: { method: 'POST', url, expect: {} } }
    ]
    const { status, body } = await post('guarded', { steps })
    expect([status, body.detail]).toEqual([
      422,
      expect.stringMatching(/^Step 2 \(call POST .*(are control steps|leads to another server|encoded too many times)/)
    ])
    expect(box('guarded').state).toEqual(before)
  })
})

const waiting = (label: string) => ({
  steps: [
    { create: { collection: 'labels', part: { name: label } } },
    { call: { operation: 'getUserRole', headers: { Prefer: 'delay=3000000' } } }
  ]
})
const hasLabel = (sandbox: string, name: string) =>
  box(sandbox)
    .rows('labels')
    .some((it) => it.name === name)
const until = async (isSo: () => boolean) => {
  while (!isSo()) await mock.call('GET', '/__mock/health')
}

test('a bounded scenario ends when its client has left, and is rolled back', async () => {
  const before = box('left').state
  const gone = new AbortController()
  const call = fetch(`${mock.url}/__mock/scenarios`, {
    method: 'POST',
    headers: { 'X-Mock-Sandbox': 'left', 'Content-Type': 'application/json' },
    body: JSON.stringify(waiting('Half')),
    signal: gone.signal
  })
  await until(() => hasLabel('left', 'Half'))
  gone.abort()
  await expect(call).rejects.toThrow()
  await until(() => !hasLabel('left', 'Half'))
  expect(box('left').state).toEqual({ ...before, now: expect.anything() })
})

test('a bounded scenario is refused while twenty others are played', async () => {
  const gone = new AbortController()
  const names = Array.from({ length: 20 }, (_, at) => `busy-${at}`)
  const others = names.map((name) =>
    fetch(`${mock.url}/__mock/scenarios`, {
      method: 'POST',
      headers: { 'X-Mock-Sandbox': name, 'Content-Type': 'application/json' },
      body: JSON.stringify(waiting('Busy')),
      signal: gone.signal
    }).catch(() => {})
  )
  await until(() => names.every((name) => hasLabel(name, 'Busy')))
  const { status, headers } = await post('busy', upload)
  expect([status, headers.get('retry-after')]).toEqual([503, '1'])
  gone.abort()
  await Promise.all(others)
  await until(() => names.every((name) => !hasLabel(name, 'Busy')))
  expect((await post('busy', upload)).status).toBe(200)
})

test('a bounded scenario is refused if its references add too many characters', async () => {
  const part = 'x'.repeat(90_000)
  const text = '{a}'.repeat(20_000)
  const steps = [
    { call: { method: 'POST', url: '/nowhere', text: part, expect: { status: 404 } }, as: 'a' },
    { create: { collection: 'labels', part: { name: part.slice(0, 900) } }, as: 'a' },
    { call: { method: 'POST', url: '/nowhere', text, expect: { status: 404 } } }
  ]
  const { status, body } = await post('added', { steps })
  expect([status, body.detail]).toEqual([422, expect.stringContaining('add more than 16777216 characters')])
})
