import fc from 'fast-check'
import type { State } from '../../../src/engine/contract/types.gen.js'
import { Client } from '../../client.js'
import { isSample } from '../../extent.js'
import { startTestMock, testNow } from '../../mock.js'
import { Play } from '../../property/play.js'
import { seed, sequences } from '../../property/steps.js'
import { collectionNames } from '../../stores.js'

const mock = await startTestMock()
const ask = (method: string, path: string, sandbox: string, body?: unknown) =>
  mock.call(method, path, { as: `admin~${sandbox}`, body })
const stateOf = async (sandbox: string) => (await ask('GET', '/__mock/state', sandbox)).text
const json = async (sandbox: string): Promise<State> => JSON.parse(await stateOf(sandbox))
const rename = (sandbox: string, name: string) => ask('PATCH', '/api/persona/1', sandbox, { name })

test.each([
  {},
  { seed: 7 },
  { fixtures: 'empty' },
  { fixtures: 'large', scale: 0.05, seed: 3 },
  { fixtures: 'awkward', now: '2031-05-06T07:08:09Z' }
])('reset to %j gives the same bytes, whatever was before, and in every sandbox', async (start) => {
  const reset = async (sandbox: string) => (await ask('POST', '/__mock/reset', sandbox, start)).text
  const first = await reset('one')
  const bytes = await stateOf('one')
  await rename('one', 'Changed')
  await ask('PUT', '/api/manage/admin/users', 'one', { emails: ['new@example.com'] })
  await ask('PUT', '/__mock/clock', 'one', { advance: '1d', speed: 60 })
  expect(await reset('one')).toBe(first)
  expect(await stateOf('one')).toBe(bytes)
  await ask('PATCH', '/api/persona/1', 'two', { name: 'Other' })
  expect([await reset('two'), await stateOf('two')]).toEqual([first, bytes])
  const body = { fixtures: 'demo', seed: 1, now: testNow, ...start }
  expect(JSON.parse(bytes)).toMatchObject({ fixtures: body.fixtures, seed: body.seed })
  expect(Date.parse(JSON.parse(first).now)).toBe(Date.parse(body.now))
})

test('reset reports the number of rows, and restores the start: clock, ids, choices, overrides, journal', async () => {
  const start = await stateOf('back')
  await ask('PATCH', '/__mock/assumptions', 'back', { 'files.deletion': 'refused' })
  await ask('POST', '/__mock/overrides', 'back', { operation: 'getPersona', status: 404, body: { detail: 'No' } })
  await ask('POST', '/api/chat/create-chat-session', 'back', {})
  await ask('PUT', '/__mock/clock', 'back', { advance: 5, speed: 1 })
  const { body } = await ask('POST', '/__mock/reset', 'back')
  expect(body.rows).toMatchObject({ users: 15, personas: 18 })
  const { choices, overrides, journal, coverage, clock } = mock.sandboxNamed('back')
  expect([
    choices['files.deletion'],
    overrides.list.length,
    journal.position,
    coverage.statuses.size,
    clock.speed
  ]).toEqual(['unlinked', 0, 0, 0, 0])
  expect(await stateOf('back')).toBe(start)
})

test('reset to many rows lets other requests be answered meanwhile', async () => {
  let isMade = false
  const made = ask('POST', '/__mock/reset', 'many', { fixtures: 'large', scale: 2 }).then((answer) => {
    isMade = true
    return answer
  })
  const meanwhile: number[] = []
  while (!isMade) meanwhile.push((await ask('GET', '/api/persona/1', 'few')).status)
  expect(meanwhile.length).toBeGreaterThan(3)
  expect(new Set(meanwhile)).toEqual(new Set([200]))
  expect((await made).body.rows.chatSessions).toBe(15_000)
})

test('reset to the same rows by many at once makes them once', async () => {
  const start = { fixtures: 'large', scale: 0.5, seed: 5 }
  await Promise.all(['a', 'b', 'c'].map((name) => ask('POST', '/__mock/reset', name, start)))
  const bases = new Set(['a', 'b', 'c'].map((name) => mock.sandboxNamed(name).base))
  expect(bases.size).toBe(1)
})

test('reset leaves other sandboxes unchanged', async () => {
  await rename('left', 'Left')
  const before = await stateOf('left')
  await ask('POST', '/__mock/reset', 'right', { seed: 9 })
  expect(await stateOf('left')).toBe(before)
})

test.each([
  [{ fixtures: 'huge' }, 'fixtures', ['empty', 'demo', 'large', 'awkward']],
  [{ seed: 1.5 }, 'seed', undefined],
  [{ seed: 1e300 }, 'seed', undefined],
  [{ seed: '1' }, 'seed', undefined],
  [{ scale: 0 }, 'scale', undefined],
  [{ scale: 11 }, 'scale', undefined],
  [{ now: 'tomorrow' }, 'now', undefined],
  [{ sead: 1 }, 'sead', ['fixtures', 'seed', 'scale', 'now', 'counts', 'dated']],
  [[], 'body', undefined]
])('reset to %j is refused, and changes nothing', async (start, field, allowed) => {
  await rename('refused', 'Kept')
  const before = await stateOf('refused')
  const { status, body } = await ask('POST', '/__mock/reset', 'refused', start)
  expect([status, body.errors[0].field, body.errors[0].allowed]).toEqual([400, field, allowed])
  expect(await stateOf('refused')).toBe(before)
})

test('a whole state is read with all collections, and put back unchanged', async () => {
  const bytes = await stateOf('out')
  const state: State = JSON.parse(bytes)
  expect(Object.keys(state)).toEqual(['fixtures', 'seed', 'now', 'ids', 'collections', 'stored'])
  expect(Object.keys(state.collections)).toEqual(collectionNames)
  await rename('in', 'Before')
  expect((await ask('PUT', '/__mock/state', 'in', state)).status).toBe(200)
  expect(await stateOf('in')).toBe(bytes)
})

test('a whole state may omit collections, which are then empty, and everything but the collections, which then stays', async () => {
  await ask('PUT', '/__mock/clock', 'partly', { now: '2030-01-01T00:00:00Z' })
  const { collections } = await json('partly')
  const { status, body } = await ask('PUT', '/__mock/state', 'partly', {
    collections: { users: collections.users, labels: [{ name: 'One', id: 7 }] }
  })
  expect([status, body.now, body.seed, body.fixtures]).toEqual([200, '2030-01-01T00:00:00.000Z', 1, 'demo'])
  const expected = Object.fromEntries(collectionNames.map((name) => [name, 0]))
  expect(body.rows).toEqual({ ...expected, users: 15, labels: 1 })
  expect((await ask('POST', '/__mock/state/labels', 'partly', { name: 'Two' })).body.id).toBe(8)
})

test('a whole state has one form: identifiers in lower case, times in UTC, rows by their ids', async () => {
  const { collections } = await json('form')
  const [file] = collections.userFiles as { id: string; created_at: string }[]
  const labels = [
    { id: 2, name: 'Two' },
    { id: 1, name: 'One' }
  ]
  const odd = { ...file, id: file?.id.toUpperCase(), created_at: '2026-03-02T12:00:00+02:00' }
  const own = { collections: { users: collections.users, userFiles: [odd], labels } }
  expect((await ask('PUT', '/__mock/state', 'form', own)).status).toBe(200)
  const { collections: read } = await json('form')
  expect(read.userFiles).toEqual([{ ...file, created_at: testNow }])
  expect(read.labels).toEqual([...labels].reverse())
  expect((await ask('GET', `/__mock/state/userFiles/${file?.id.toUpperCase()}`, 'form')).body.id).toBe(file?.id)
})

test('a whole state repeats no identifier, not even one of a row that was put in with it', async () => {
  const made = (await ask('POST', '/api/chat/create-chat-session', 'twice', {})).body.chat_session_id
  const { collections, seed: own } = await json('twice')
  await ask('PUT', '/__mock/state', 'other', { seed: own, collections })
  const next = (await ask('POST', '/api/chat/create-chat-session', 'other', {})).body.chat_session_id
  expect(next).not.toBe(made)
  const zero = { seed: own, collections, ids: { uuid: 0, connectors: 0 } }
  await ask('PUT', '/__mock/state', 'zero', zero)
  expect((await ask('POST', '/api/chat/create-chat-session', 'zero', {})).body.chat_session_id).toBe(next)
  expect((await json('zero')).collections.chatSessions).toHaveLength((collections.chatSessions as []).length + 1)
})

/** The state of the sandbox with one mistake. */
type Break = (state: { collections: Record<string, Record<string, unknown>[]>; [field: string]: unknown }) => unknown
const first = (state: Parameters<Break>[0], name: string, own: object) => {
  const rows = state.collections[name] as Record<string, unknown>[]
  rows[0] = { ...rows[0], ...own }
  return state
}
const unknown = '00000000-0000-4000-8000-000000000000'

test.each<[what: string, change: Break, field: string, detail: string]>([
  ['no collections', () => ({ seed: 1 }), 'collections', 'Field required'],
  [
    'an unknown collection',
    (it) => ({ ...it, collections: { tables: [] } }),
    'collections.tables',
    'There is no such collection. Is a document of --with or --api missing?'
  ],
  ['an unknown field next to them', (it) => ({ ...it, more: 1 }), 'more', 'Unknown field. Known: fixtures, seed'],
  [
    'rows that are not a list',
    (it) => ({ ...it, collections: { users: {} } }),
    'collections.users',
    'Input should be a valid list'
  ],
  [
    'a row that is none',
    (it) => ({ ...it, collections: { labels: [5] } }),
    'collections.labels.0',
    'Input should be a valid dictionary'
  ],
  [
    'a text for a number',
    (it) => first(it, 'labels', { id: 'x' }),
    'collections.labels.0.id',
    'Input should be a valid integer'
  ],
  [
    'a number for an identifier',
    (it) => first(it, 'users', { id: 7 }),
    'collections.users.0.id',
    'UUID input should be a string'
  ],
  [
    'an identifier of another form',
    (it) => first(it, 'users', { id: 'x' }),
    'collections.users.0.id',
    'Input should be a valid UUID'
  ],
  [
    'an id without end',
    (it) => first(it, 'tokenRateLimits', { id: 1e300 }),
    'collections.tokenRateLimits.0.id',
    'An id is at most 9007199254740991.'
  ],
  [
    'an id that is a row',
    (it) => first(it, 'labels', { id: { valueOf: 1, toString: 1 } }),
    'collections.labels.0.id',
    'Input should be a valid integer'
  ],
  [
    'an id that is a row, where something is stored',
    (it) => ({
      ...first(it, 'labels', { id: { valueOf: 1, toString: 1 } }),
      stored: { labels: { 1: { name: 'x' } } }
    }),
    'collections.labels.0.id',
    'Input should be a valid integer'
  ],
  [
    'a wrong row that is gone',
    (it) => ({ ...it, stored: { labels: { 99: { id: 99, name: 5 } } } }),
    'stored.labels.99.name',
    'Input should be a valid string'
  ],
  ['a lacking field', (it) => first(it, 'users', { email: undefined }), 'collections.users.0.email', 'Field required'],
  [
    'a field of another kind',
    (it) => first(it, 'users', { email: 5 }),
    'collections.users.0.email',
    'Input should be a valid string'
  ],
  [
    'a value that is not one of those',
    (it) => first(it, 'users', { role: 'king' }),
    'collections.users.0.role',
    "Input should be 'limited', 'basic', 'admin'"
  ],
  [
    'a field that rows do not have',
    (it) => first(it, 'labels', { colour: 'red' }),
    'collections.labels.0.colour',
    'Rows do not have this field.'
  ],
  [
    'a time without a date',
    (it) => first(it, 'invites', { invited_at: '10:00' }),
    'collections.invites.0.invited_at',
    'Input should be a valid datetime'
  ],
  [
    'a day for a time',
    (it) => first(it, 'invites', { invited_at: '2026-03-02' }),
    'collections.invites.0.invited_at',
    'Input should be a valid datetime'
  ],
  [
    'a reference to an unknown user',
    (it) => first(it, 'projects', { user_id: unknown }),
    'collections.projects.0.user_id',
    `users has no row ${unknown}.`
  ],
  [
    'one of many references to nothing',
    (it) => first(it, 'personas', { tool_ids: [1, 4711] }),
    'collections.personas.0.tool_ids',
    'tools has no row 4711.'
  ],
  [
    'a reference that is none',
    (it) => first(it, 'personas', { tool_ids: [{ toString: 1 }] }),
    'collections.personas.0.tool_ids.0',
    'Input should be a valid integer'
  ],
  [
    'counters of something else',
    (it) => ({ ...it, ids: { bananas: 1 } }),
    'ids.bananas',
    'There is no such collection. Is a document of --with or --api missing?'
  ],
  [
    'a count without end',
    (it) => ({ ...it, ids: { labels: 2 ** 53 - 1 } }),
    'ids.labels',
    'A count is at most 4503599627370496.'
  ],
  ['half a counter', (it) => ({ ...it, ids: { uuid: 0.5 } }), 'ids.uuid', 'Input should be a valid integer'],
  ['an invalid time', (it) => ({ ...it, now: 'soon' }), 'now', 'Input should be a valid datetime'],
  ['half a seed', (it) => ({ ...it, seed: 0.5 }), 'seed', 'Input should be a valid integer']
])('a whole state with %s is refused, by its place, and changes nothing', async (_, change, field, detail) => {
  const name = 'broken'
  await ask('POST', '/api/chat/create-chat-session', name, { description: 'Kept' })
  await ask('PUT', '/__mock/clock', name, { advance: 1 })
  const before = await stateOf(name)
  const changed = change({ ...JSON.parse(before), seed: 5, now: '2040-01-01T00:00:00Z' })
  const { status, headers, body } = await ask('PUT', '/__mock/state', name, changed)
  expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json'])
  expect(body.errors[0].field).toBe(field)
  expect(body.errors[0].detail.slice(0, detail.length)).toBe(detail)
  expect(body.detail).toContain(`${field}: ${detail}`)
  expect(await stateOf(name)).toBe(before)
})

test('a whole state with a repeated id is refused, also in another case', async () => {
  const { collections } = await json('double')
  const [user] = collections.users as { id: string }[]
  for (const [rows, field] of [
    [
      {
        labels: [
          { id: 1, name: 'a' },
          { id: 2, name: 'b' },
          { id: 1, name: 'c' }
        ]
      },
      'collections.labels.2.id'
    ],
    [{ users: [user, { ...user, id: user?.id.toUpperCase() }] }, 'collections.users.1.id']
  ] as const) {
    const { status, body } = await ask('PUT', '/__mock/state', 'double', { collections: rows })
    expect([status, body.errors]).toEqual([400, [{ field, detail: 'An earlier row has this id.' }]])
  }
})

test('a whole state with a repeated value that must be unique is refused, and changes nothing', async () => {
  const name = 'unique'
  const before = await stateOf(name)
  const { collections, ...rest } = JSON.parse(before) as State
  const all = collections as unknown as Record<string, Record<string, unknown>[]>
  const unknown = '00000000-0000-4000-8000-000000000000'
  for (const [collection, change, field, words] of [
    ['users', { id: unknown }, 'key', 'key'],
    ['connectorCredentials', { id: 999 }, 'connector_id', 'connector_id and credential_id'],
    ['projectFiles', { id: 999 }, 'project_id', 'project_id and user_file_id']
  ] as const) {
    const rows = all[collection] as Record<string, unknown>[]
    const twice = { ...rest, collections: { ...all, [collection]: [...rows, { ...rows[0], ...change }] } }
    const { status, body } = await ask('PUT', '/__mock/state', name, twice)
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          field: `collections.${collection}.${rows.length}.${field}`,
          detail: `An earlier row has this ${words}.`
        }
      ]
    ])
  }
  expect(await stateOf(name)).toBe(before)
  expect((await ask('PUT', '/__mock/state', name, before)).status).toBe(200)
})

test('a whole state with names that all objects have is refused, without effect', async () => {
  for (const text of [
    '{"collections": {"__proto__": [{"id": 1}]}}',
    '{"collections": {"constructor": []}}',
    '{"collections": {"labels": [{"id": 1, "name": "a", "__proto__": {"id": 2}}]}}',
    '{"__proto__": {"collections": {}}}',
    '{"collections": {}, "ids": {"__proto__": 5}}'
  ]) {
    const before = await stateOf('proto')
    expect([text, (await ask('PUT', '/__mock/state', 'proto', text)).status]).toEqual([text, 400])
    expect(await stateOf('proto')).toBe(before)
  }
  expect(({} as { id?: unknown }).id).toBeUndefined()
})

test('a whole state with many mistakes lists the first hundred', async () => {
  const labels = Array.from({ length: 1000 }, () => ({ id: 'x' }))
  const { body } = await ask('PUT', '/__mock/state', 'many', { collections: { labels } })
  expect(body.errors).toHaveLength(100)
  expect(body.errors.at(-1).field).toBe('collections.labels.33.name')
  expect(body.detail.length).toBeLessThan(300)
})

test('a whole state with very many rows can be put and read', async () => {
  const count = isSample ? 20_000 : 100_000
  const labels = Array.from({ length: count }, (_, id) => ({ id, name: `Label ${id}` }))
  const { status, body } = await ask('PUT', '/__mock/state', 'large', { collections: { labels } })
  expect([status, body.rows.labels]).toEqual([200, count])
  expect((await json('large')).collections.labels).toEqual(labels)
  const twice = { collections: { labels: [...labels, { id: count - 1, name: 'again' }] } }
  const refused = await ask('PUT', '/__mock/state', 'large', twice)
  expect(refused.body.errors[0].field).toBe(`collections.labels.${count}.id`)
})

test('a whole state from one sandbox in another makes both continue alike, whatever is called', async () => {
  const client = new Client(mock.url)
  let count = 0
  const alike = fc.asyncProperty(sequences(20), sequences(20), async (before, after) => {
    const [one, two] = [`origin-${++count}`, `copy-${count}`]
    await new Play(client, mock.sandboxNamed(one)).run(before)
    const bytes = await stateOf(one)
    expect((await ask('PUT', '/__mock/state', two, bytes)).status).toBe(200)
    // The journal is not part of the state, so both start with the first number of a request.
    for (const name of [one, two]) mock.sandboxNamed(name).journal.restart()
    const plays = [one, two].map((name) => new Play(client, mock.sandboxNamed(name)))
    for (const play of plays) await play.run(after)
    expect(plays[1]?.transcript).toEqual(plays[0]?.transcript)
    expect(await stateOf(two)).toBe(await stateOf(one))
  })
  await fc.assert(alike, { seed, numRuns: isSample ? 5 : 15 })
  client.close()
})

test.each(['empty', 'awkward'])('the fixtures %s can be read and put back, byte for byte', async (fixtures) => {
  await ask('POST', '/__mock/reset', 'again', { fixtures })
  const { text } = await ask('GET', '/__mock/state', 'again')
  expect((await ask('PUT', '/__mock/state', 'again', JSON.parse(text))).status).toBe(200)
  expect((await ask('GET', '/__mock/state', 'again')).text).toBe(text)
})
