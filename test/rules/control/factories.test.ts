import { startTestMock, testNow } from '../../mock.js'

const mock = await startTestMock()
const box = mock.handle('made')
beforeEach(() => void box.reset())

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  mock.call(method, `/__mock/state/${path}`, { as: 'admin~made', body, headers })
const userId = (key: string) => box.rows('users').find((it) => it.key === key)?.id

test('a row is made from any part of it, and exists at once', async () => {
  const { status, body } = await ask('POST', 'userFiles', { name: 'report.pdf' })
  expect([status, body.name, body.file_type, body.chat_file_type, body.status]).toEqual([
    201,
    'report.pdf',
    'application/pdf',
    'document',
    'COMPLETED'
  ])
  const shown = await mock.call('GET', `/api/user/projects/file/${body.id}`, { as: 'basic~made' })
  expect([shown.status, shown.body.name]).toEqual([200, 'report.pdf'])
  expect((await ask('POST', 'personas', {})).status).toBe(201)
})

test('count makes the given number of different rows, as a list', async () => {
  const { status, body } = await ask('POST', 'chatSessions?count=50', { project_id: 3 })
  expect([status, body.rows.length]).toEqual([201, 50])
  expect(new Set(body.rows.map(({ id }: { id: string }) => id)).size).toBe(50)
  expect(new Set(body.rows.map(({ name }: { name: string }) => name)).size).toBeGreaterThan(10)
  const owner = box.rows('projects').find(({ id }) => id === 3)?.user_id
  expect(new Set(body.rows.map(({ user_id }: { user_id: string }) => user_id))).toEqual(new Set([owner]))
  expect((await ask('POST', 'labels?count=1', {})).body.rows).toHaveLength(1)
})

test.each([
  ['photo.png', 'image/png', 'image'],
  ['notes.md', 'text/markdown', 'plain_text'],
  ['readings.csv', 'text/csv', 'csv'],
  ['slides.pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation', 'document'],
  ['unknown.xyz', 'application/octet-stream', 'plain_text']
])('the name %s decides the types of a file', (name, type, kind) => {
  const file = box.create('userFiles', { name })
  expect([file.file_type, file.chat_file_type]).toEqual([type, kind])
})

test('a PROCESSING file settles by itself, as specified', async () => {
  const files = [
    box.create('userFiles', { status: 'PROCESSING' }),
    box.create('userFiles', { settles_as: 'FAILED' }),
    box.create('userFiles', 'failing')
  ]
  const shown = async () => {
    const calls = files.map(({ id }) => mock.call('GET', `/api/user/projects/file/${id}`, { as: 'basic~made' }))
    return (await Promise.all(calls)).map(({ body }) => body.status)
  }
  expect(await shown()).toEqual(['PROCESSING', 'PROCESSING', 'PROCESSING'])
  box.clock.advance('10s')
  expect(await shown()).toEqual(['COMPLETED', 'FAILED', 'FAILED'])
})

test('dates follow the clock of the sandbox, in order', () => {
  box.clock.now = '2031-05-06T07:08:09.000Z'
  const old = box.create('userFiles', { created_at: '2031-05-05T00:00:00.000Z' })
  expect((old.last_accessed_at as string) >= old.created_at).toBe(true)
  const session = box.create('chatSessions', { time_updated: '-2h' })
  expect(session.time_updated).toBe('2031-05-06T05:08:09.000Z')
  expect(session.time_created <= session.time_updated).toBe(true)
  const attempt = box.create('indexAttempts', { starts_at: '-5m' })
  expect([attempt.starts_at, attempt.time_created < (attempt.starts_at as string)]).toEqual([
    '2031-05-06T07:03:09.000Z',
    true
  ])
  for (const row of box.create('connectors', {}, 20)) expect(row.time_updated >= row.time_created).toBe(true)
})

test('a connector has settings for its source, and its settings determine the source', () => {
  const slack = box.create('connectors', { source: 'slack' })
  expect(Object.keys(slack.connector_specific_config)).toContain('channels')
  const jira = box.create('connectors', { connector_specific_config: { jira_base_url: 'https://jira.example.com' } })
  expect(jira.source).toBe('jira')
  expect(box.create('credentials', { credential_json: { linear_api_key: 'x' } }).source).toBe('linear')
  const pair = box.create('connectorCredentials', { connector_id: slack.id })
  expect(box.rows('credentials').find(({ id }) => id === pair.credential_id)?.source).toBe('slack')
})

test('a user is named by key, also in a list, and an unknown key is reported', async () => {
  expect(box.create('projects', { user_id: 'curator' }).user_id).toBe(userId('curator'))
  const agent = box.create('personas', { owner_id: 'admin', user_ids: ['basic', 'grace'] })
  expect([agent.owner_id, agent.user_ids]).toEqual([userId('admin'), [userId('basic'), userId('grace')]])
  expect(box.update('projects', 1, { user_id: 'basic' }).user_id).toBe(userId('basic'))
  for (const [path, body, field] of [
    ['projects', { user_id: 'nobody' }, 'user_id'],
    ['personas', { user_ids: ['basic', 'nobody'] }, 'user_ids']
  ] as const) {
    const answer = await ask('POST', path, body)
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [{ field, detail: 'No user has the id or key "nobody".' }]
    ])
  }
})

test('missing references are filled with fitting rows, or with new ones', () => {
  box.reset({ fixtures: 'empty' })
  const pair = box.create('connectorCredentials')
  expect(box.rows('connectors').map(({ id }) => id)).toEqual([pair.connector_id])
  expect(box.rows('credentials').map(({ id }) => id)).toEqual([pair.credential_id])
  const link = box.create('projectFiles', { project_id: box.create('projects', { user_id: 'curator' }).id })
  expect(box.rows('userFiles').map(({ id, user_id }) => [id, user_id])).toEqual([
    [link.user_file_id, userId('curator')]
  ])
  box.state = { collections: {} }
  expect(box.create('chatSessions').persona_id).toBe(null)
  expect(box.rows('users')).toHaveLength(1)
})

test('traits are fields that belong together, and the collection lists them', async () => {
  const failing = box.create('connectorCredentials', 'failing')
  expect(failing).toMatchObject({ status: 'ACTIVE', in_repeated_error_state: true })
  const attempts = box.rows('indexAttempts').filter((it) => it.connector_credential_id === failing.id)
  expect(attempts.map((it) => it.settles_as)).toEqual(['success', ...Array(5).fill('failed')])
  expect((await ask('POST', 'userFiles?trait=failed', {})).body.status).toBe('FAILED')
  expect(box.create('userFiles', 'failed', { name: 'x.png' }, 3).map((it) => it.file_type)).toEqual(
    Array(3).fill('image/png')
  )
  const { body } = await mock.call('GET', '/__mock/collections')
  const files = body.collections.find(({ name }: { name: string }) => name === 'userFiles')
  expect(files.traits.failed).toBe('It could not be read.')
  const unknown = await ask('POST', 'userFiles?trait=fialed', {})
  expect([unknown.status, unknown.body.errors[0].field, unknown.body.errors[0].allowed]).toEqual([
    400,
    'trait',
    Object.keys(files.traits)
  ])
  expect((await ask('POST', 'labels?trait=new', {})).body.errors[0].detail).toBe(
    'labels has no trait "new". It has none.'
  )
})

test('several traits are given as a list, as a text with commas, and in a scenario', async () => {
  const slow = box.create('userFiles', ['slow', 'failing', 'image'], { user_id: 'basic' }, 2)
  const { body } = await ask('POST', 'userFiles?trait=slow,%20failing,image', {})
  const { results } = await box.play({
    steps: [{ create: { collection: 'userFiles', trait: ['slow', 'failing', 'image'] }, as: 'file' }]
  })
  for (const file of [...slow, body, results.file]) {
    expect(file).toMatchObject({ status: 'PROCESSING', settles_as: 'FAILED', file_type: 'image/png' })
    expect(file.settles_at > '2026-03-03').toBe(true)
  }
  const stopped = box.create('connectorCredentials', ['paused', 'failing'])
  expect(stopped).toMatchObject({ status: 'PAUSED', in_repeated_error_state: true })
  const attempts = box.rows('indexAttempts').filter((it) => it.connector_credential_id === stopped.id)
  expect(attempts.at(-1)?.settles_as).toBe('failed')
  // Given fields override the traits.
  expect(box.create('userFiles', ['failed', 'canceled'], { status: 'FAILED' }).status).toBe('FAILED')
})

test('a new user has an address that is not in use', async () => {
  box.create('users', { key: 'one', email: 'Zed@example.com' })
  const { email } = box.create('users', { key: 'zed' })
  expect(email).toMatch(/^[a-z]+[._][a-z-]+@example\.com$/)
  expect(box.rows('users').filter((it) => it.email.toLowerCase() === email)).toHaveLength(1)
})

test('a complete row is stored unchanged, without further rows', () => {
  const { id: _, ...pair } = box.rows('connectorCredentials')[0] as ReturnType<
    typeof box.rows<'connectorCredentials'>
  >[0]
  const { id: credential_id } = box.create('credentials')
  const attempts = box.rows('indexAttempts').length
  const made = box.create('connectorCredentials', { ...pair, credential_id })
  expect(made).toEqual({ ...pair, credential_id, id: made.id })
  expect(box.rows('indexAttempts')).toHaveLength(attempts)
})

test.each<[path: string, body: unknown, field: string, detail: string]>([
  ['userFiles', { colour: 'red' }, 'colour', 'Rows do not have this field.'],
  ['userFiles', { name: 5 }, 'name', 'Input should be a valid string'],
  ['userFiles', { status: 'GONE' }, 'status', "Input should be 'PROCESSING'"],
  ['userFiles', { created_at: 'yesterday' }, 'created_at', 'Input should be a valid datetime'],
  ['chatSessions', { project_id: 4711 }, 'project_id', 'projects has no row 4711.'],
  ['labels?count=2', { id: 99 }, 'id', 'Only one row can have this id: leave out count or id.'],
  ['labels?count=0', {}, 'count', 'Input should be greater than or equal to 1'],
  ['labels?count=10001', {}, 'count', 'Input should be less than or equal to 10000'],
  ['users?count=2', { key: 'twin' }, 'key', 'Only one row can have this key: leave out count or key.'],
  ['users?count=60', { email: 'a@b.c' }, 'email', 'Only one row can have this email: leave out count or email.'],
  ['invites?count=2', { email: 'a@b.c' }, 'email', 'Only one row can have this email'],
  ['connectorCredentials?count=2', { connector_id: 1, credential_id: 1 }, 'connector_id', 'Only one row can have this'],
  ['userFiles?count=2', { file_id: 'f' }, 'file_id', 'Only one row can have this file_id'],
  ['userFiles?trait=failed,canceled', {}, 'trait', 'failed and canceled exclude each other by status.'],
  ['connectorCredentials?trait=imperfect,failing', {}, 'trait', 'imperfect and failing exclude each other'],
  ['tools?count=2&trait=mcp,builtin', {}, 'trait', 'mcp and builtin exclude each other by in_code_tool_id.'],
  ['labels', [], 'body', 'Input should be a valid dictionary']
])('%s with %j is refused with its field, and makes nothing', async (path, body, field, detail) => {
  const before = JSON.stringify(box.state)
  const answer = await ask('POST', path, body)
  expect([answer.status, answer.body.errors[0].field]).toEqual([400, field])
  expect(answer.body.errors[0].detail).toContain(detail)
  expect(JSON.stringify(box.state)).toBe(before)
})

test('PATCH changes the named fields, also inside objects', async () => {
  const row = box.create('credentials', { credential_json: { a: 1, b: { c: 2, d: 3 } } })
  const { status, body } = await ask('PATCH', `credentials/${row.id}`, {
    name: null,
    credential_json: { a: null, b: { c: 4 } }
  })
  expect([status, body]).toEqual([200, { ...row, name: null, credential_json: { b: { c: 4, d: 3 } } }])
  expect((await ask('GET', `credentials/${row.id}`)).body).toEqual(body)
})

test('PATCH takes the media type of a merge patch', async () => {
  const { id } = box.create('labels', { name: 'Before' })
  const headers = { 'Content-Type': 'application/merge-patch+json' }
  const { status, body } = await ask('PATCH', `labels/${id}`, { name: 'After' }, headers)
  expect([status, body]).toEqual([200, { id, name: 'After' }])
})

test('PATCH treats a field as a field, even if all objects have the name', async () => {
  const { id } = box.create('credentials', { credential_json: { a: 1 } })
  const body = '{"credential_json":{"__proto__":{"b":2,"toString":3},"constructor":null}}'
  expect((await ask('PATCH', `credentials/${id}`, JSON.parse(body))).text).toContain(
    '"credential_json":{"a":1,"__proto__":{"b":2,"toString":3}}'
  )
  expect((await ask('PATCH', 'labels/1', JSON.parse('{"__proto__":{}}'))).status).toBe(400)
})

test.each<[path: string, body: unknown, field: string, detail: string]>([
  ['labels/1', { name: null }, 'name', 'Field required'],
  ['labels/1', { name: 5 }, 'name', 'Input should be a valid string'],
  ['labels/1', { id: 2 }, 'id', 'The id must be the one in the path, 1.'],
  ['labels/1', { colour: 'red' }, 'colour', 'Rows do not have this field.'],
  ['chatSessions/any', { persona_id: 4711 }, 'persona_id', 'personas has no row 4711.'],
  ['users/second', { key: 'admin' }, 'key', 'has this key.']
])('PATCH of %s by %j is refused with its field, and changes nothing', async (path, body, field, detail) => {
  const id = { any: box.rows('chatSessions')[0]?.id, second: userId('basic') }[path.split('/')[1] as 'any']
  const before = JSON.stringify(box.state)
  const answer = await ask('PATCH', id === undefined ? path : path.replace(/\/.*/, `/${id}`), body)
  expect([answer.status, answer.body.errors?.[0].field]).toEqual([400, field])
  expect(answer.body.errors[0].detail).toContain(detail)
  expect(JSON.stringify(box.state)).toBe(before)
})

test('PATCH of a missing row is a 404', async () => {
  expect((await ask('PATCH', 'labels/4711', {})).status).toBe(404)
})

test('a program makes, changes and removes rows', () => {
  const [one, two] = box.create('labels', { name: 'Arranged' }, 2)
  expect(box.rows('labels').filter((it) => it.name === 'Arranged')).toEqual([one, two])
  expect(box.update('labels', one?.id as number, { name: 'Other' })).toEqual({ ...one, name: 'Other' })
  box.remove('labels', one?.id as number)
  expect(box.rows('labels').map(({ id }) => id)).not.toContain(one?.id)
  expect(() => box.create('labels', { name: 5 as never })).toThrow('name: Input should be a valid string')
  expect(box.clock.now).toBe(testNow)
})
