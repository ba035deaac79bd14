import { startTestMock } from '../../mock.js'
import { stateOf } from '../../state.js'
import { collectionNames } from '../../stores.js'

type Row = Record<string, unknown> & { id: string | number }

const mock = await startTestMock()
const ask = (method: string, path: string, body?: unknown) => mock.call(method, `/__mock/state/${path}`, { body })
const rowsOf = async (collection: string): Promise<Row[]> => (await ask('GET', collection)).body.rows

/** The state without the counters of ids, which only increase. */
const saved = () => JSON.stringify(stateOf(mock.sandbox).collections)

describe.each(collectionNames)('the collection %s', (collection) => {
  test('lists its rows, and has each by its id', async () => {
    const { status, body } = await ask('GET', collection)
    expect([status, body.total]).toEqual([200, body.rows.length])
    expect(body.rows).toEqual(stateOf(mock.sandbox).collections[collection])
    for (const row of body.rows.slice(0, 3)) {
      expect((await ask('GET', `${collection}/${row.id}`)).body).toEqual(row)
    }
  })

  test('accepts a row with or without an id, replaces it and removes it', async () => {
    const [row, last] = [(await rowsOf(collection))[0] as Row, (await rowsOf(collection)).at(-1) as Row]
    const before = saved()
    const { id: _, ...fields } = { ...row, ...fresh[collection] }
    const added = await ask('POST', collection, fields)
    expect([added.status, added.body]).toEqual([201, { ...fields, id: added.body.id }])
    if (typeof row.id === 'number') expect(added.body.id).toBe((last.id as number) + 1)
    const path = `${collection}/${added.body.id}`
    expect((await ask('GET', path)).body).toEqual(added.body)

    const [field, value] = change(added.body)
    const replaced = await ask('PUT', path, { ...added.body, [field]: value })
    expect([replaced.status, replaced.body[field]]).toEqual([200, value])
    expect((await ask('GET', path)).body).toEqual(replaced.body)

    const taken = await ask('POST', collection, added.body)
    expect([taken.status, taken.body.detail]).toEqual([
      409,
      `${collection} already has a row ${added.body.id}. Replace it with PUT.`
    ])
    expect((await ask('DELETE', path)).body).toEqual({ removed: 1 })
    expect((await ask('GET', path)).status).toBe(404)
    expect((await ask('DELETE', path)).body.detail).toBe(`${collection} has no row ${added.body.id}.`)
    expect(saved()).toBe(before)

    const put = await ask('PUT', path, fields)
    expect([put.status, put.body]).toEqual([200, added.body])
    await ask('DELETE', path)
    const next = await ask('POST', collection, fields)
    expect(next.body.id).not.toBe(added.body.id)
    await ask('DELETE', `${collection}/${next.body.id}`)
    expect(saved()).toBe(before)
  })

  test('refuses a row that lacks a field, has an unknown one, or one of another type, and names each', async () => {
    const [row] = (await rowsOf(collection)) as [Row]
    const before = saved()
    const { id, ...fields } = row
    const lacking = Object.keys(fields)[0] as string
    const broken = { ...fields, [lacking]: undefined, colour: 'red' }
    for (const [method, path] of [
      ['POST', collection],
      ['PUT', `${collection}/${id}`]
    ] as const) {
      const { status, body } = await ask(method, path, broken)
      expect([status, body.errors]).toEqual([
        400,
        [
          // Missing fields of a new row are generated.
          ...(method === 'PUT' ? [{ field: lacking, detail: 'Field required' }] : []),
          { field: 'colour', detail: 'Rows do not have this field.', allowed: expect.arrayContaining(['id', lacking]) }
        ]
      ])
      const odd = await ask(method, path, { ...fields, id: { valueOf: 1, toString: 1 } })
      expect([odd.status, odd.body.errors[0].field]).toEqual([400, 'id'])
    }
    expect((await ask('PUT', `${collection}/not-an-id`, fields)).body.errors[0].field).toBe('id')
    expect((await ask('PUT', `${collection}/${id}`, { ...fields, id: other(id) })).body.errors).toEqual([
      { field: 'id', detail: `The id must be the one in the path, ${id}.` }
    ])
    expect(saved()).toBe(before)
  })
})

/** The fields in which a second row must differ from the first one. */
const fresh: Record<string, object> = {
  users: { key: 'fresh' },
  connectorCredentials: { credential_id: unlinked('connectorCredentials', 'connector_id', 'credential_id') },
  projectFiles: { user_file_id: unlinked('projectFiles', 'project_id', 'user_file_id') }
}

/** References that no row combines with those of the first one. */
function unlinked(links: 'connectorCredentials' | 'projectFiles', here: string, there: string): string | number {
  const { rows } = mock.sandbox
  const all = [...rows[links].all()] as unknown as Record<string, string | number>[]
  const taken = new Set(all.filter((it) => it[here] === all[0]?.[here]).map((it) => it[there]))
  const [free] = [...rows[links === 'projectFiles' ? 'userFiles' : 'credentials'].all()].filter(
    ({ id }) => !taken.has(id)
  )
  return free?.id as string | number
}

/** A field with another possible value. */
function change(row: Row): [string, unknown] {
  const texts = ['name', 'email', 'instructions', 'time_created']
  const field = texts.find((it) => typeof row[it] === 'string')
  if (field === 'time_created') return [field, '2020-01-01T00:00:00.000Z']
  if (field) return [field, 'changed@example.com']
  const number = Object.keys(row).find((it) => typeof row[it] === 'number' && !it.endsWith('id')) as string
  return number ? [number, 7] : ['linked_at', '2020-01-01T00:00:00.000Z']
}

function other(id: string | number): string | number {
  return typeof id === 'number' ? id + 1 : id.replace(/^./, (it) => (it === '0' ? '1' : '0'))
}

test('a row is refused if it repeats a value that must be unique', async () => {
  const before = saved()
  const [user, second] = (await rowsOf('users')) as [Row, Row]
  const [pair] = (await rowsOf('connectorCredentials')) as [Row]
  const errorsOf = async (method: string, path: string, row: object) => (await ask(method, path, row)).body.errors
  expect(await errorsOf('POST', 'users', { ...user, id: undefined })).toEqual([
    { field: 'key', detail: `users ${user.id} already has this key.` }
  ])
  expect(await errorsOf('PUT', `users/${second.id}`, { ...second, key: user.key })).toEqual([
    { field: 'key', detail: `users ${user.id} already has this key.` }
  ])
  expect(await errorsOf('POST', 'connectorCredentials', { ...pair, id: undefined })).toEqual([
    {
      field: 'connector_id',
      detail: `connectorCredentials ${pair.id} already has this connector_id and credential_id.`
    }
  ])
  expect(saved()).toBe(before)
  expect((await ask('PUT', `users/${user.id}`, user)).status).toBe(200)
})

test('a row is refused if it refers to a missing row, with each such field', async () => {
  const before = saved()
  const unknown = '00000000-0000-4000-8000-000000000000'
  const [project] = await rowsOf('projects')
  const [persona] = await rowsOf('personas')
  const errorsOf = async (collection: string, row: object) => (await ask('POST', collection, row)).body.errors
  expect(await errorsOf('projects', { ...project, id: undefined, user_id: unknown })).toEqual([
    { field: 'user_id', detail: `users has no row ${unknown}.` }
  ])
  const lost = { ...persona, id: undefined, owner_id: unknown, tool_ids: [1, 4711], label_ids: [4712] }
  expect(await errorsOf('personas', lost)).toEqual([
    { field: 'owner_id', detail: `users has no row ${unknown}.` },
    { field: 'tool_ids', detail: 'tools has no row 4711.' },
    { field: 'label_ids', detail: 'labels has no row 4712.' }
  ])
  expect(saved()).toBe(before)
})

test('a row is not removed while others refer to it, and these are named', async () => {
  const before = saved()
  const { status, body } = await ask('DELETE', 'labels/1')
  expect([status, body.detail]).toEqual([
    409,
    'personas 1, personas 4, personas 6, personas 11 still refer to labels 1. Delete these first.'
  ])
  for (const [collection, target] of [
    ['users', 'user_id'],
    ['connectors', 'connector_id']
  ] as const) {
    const [link] = await rowsOf(collection === 'users' ? 'projects' : 'connectorCredentials')
    expect((await ask('DELETE', `${collection}/${link?.[target]}`)).status).toBe(409)
  }
  expect(saved()).toBe(before)
})

test('a row is visible to the platform at once, in every look-up', async () => {
  const [user] = await rowsOf('users')
  const { body } = await ask('POST', 'users', {
    ...user,
    id: undefined,
    key: 'newcomer',
    role: 'curator',
    email: 'New@example.com'
  })
  expect((await mock.call('GET', '/api/get-user-role', { as: 'newcomer' })).body).toEqual({ role: 'curator' })
  await ask('PUT', `users/${body.id}`, { ...body, key: 'renamed' })
  expect((await mock.call('GET', '/api/get-user-role', { as: 'newcomer' })).status).toBe(401)
  expect((await mock.call('GET', '/api/get-user-role', { as: 'renamed' })).status).toBe(200)
  await ask('DELETE', `users/${body.id}`)
  expect((await mock.call('GET', '/api/get-user-role', { as: 'renamed' })).status).toBe(401)
})

test.each(['PUT', 'PATCH', 'DELETE'])('%s with If-Match changes only the row of that version', async (method) => {
  const { body: made } = await ask('POST', 'labels', { name: `Versions of ${method}` })
  const path = `/__mock/state/labels/${made.id}`
  const send = (ifMatch: string, name: string) =>
    mock.call(method, path, {
      body: method === 'DELETE' ? undefined : { id: made.id, name },
      headers: { 'If-Match': ifMatch }
    })
  const seen = (await mock.call('GET', path)).headers.get('etag') as string
  expect((await mock.call('GET', `${path}?stored=true`)).headers.get('etag')).toBe(seen)

  // Another client is faster.
  const theirs = await ask('PATCH', `labels/${made.id}`, { name: `Theirs of ${method}` })
  const now = theirs.headers.get('etag') as string
  expect(now).not.toBe(seen)
  const late = await send(seen, 'Mine')
  expect([late.status, late.body.detail]).toEqual([
    412,
    `labels ${made.id} is not what If-Match names. Its ETag is now ${now}. Read it again, and then change it.`
  ])
  expect((await mock.call('GET', path)).body.name).toBe(`Theirs of ${method}`)

  // One of several is enough, also a weak one, as compressing proxies make them.
  expect((await send(`${seen}, W/${now}`, `Mine of ${method}`)).status).toBe(200)
  await mock.call('DELETE', path)
  const gone = await send('*', 'Mine')
  expect([gone.status, gone.body.detail]).toEqual([
    412,
    `labels ${made.id} is not what If-Match names. It is gone. Read it again, and then change it.`
  ])
})

test('the version of a row does not change with the clock, and an earlier moment has the earlier version', async () => {
  const { body: made } = await ask('POST', 'userFiles', { status: 'PROCESSING', user_id: 'basic' })
  const { headers } = await ask('GET', `userFiles/${made.id}`)
  await mock.call('PUT', '/__mock/clock', { body: { advance: '1d' } })
  const later = await ask('GET', `userFiles/${made.id}`)
  expect([later.body.status, later.headers.get('etag')]).toEqual(['COMPLETED', headers.get('etag')])
  const { latest } = (await mock.call('GET', '/__mock/history')).body
  await ask('PATCH', `userFiles/${made.id}`, { name: 'Other.pdf' })
  const then = await ask('GET', `userFiles/${made.id}?at=${latest}`)
  expect(then.headers.get('etag')).toBe(later.headers.get('etag'))
  await mock.reset()
})

test('the rows of a collection are read in pages, and by a text anywhere in them', async () => {
  const all = await rowsOf('personas')
  const page = (await ask('GET', 'personas?limit=5&offset=3')).body
  expect(page).toEqual({ rows: all.slice(3, 8), total: all.length })
  expect((await ask('GET', 'personas?offset=1000')).body).toEqual({ rows: [], total: all.length })
  expect((await ask('GET', 'personas?limit=0')).body).toEqual({ rows: [], total: all.length })
  const { rows, total } = (await ask('GET', 'users?q=HEDY@')).body
  expect([total, rows[0]?.key]).toEqual([1, 'hedy'])
})

test('the rows of a collection are not found by the names of their fields, but by numbers, texts and words in them', async () => {
  for (const [collection, name] of [
    ['chatSessions', 'current_temperature_override'],
    ['tools', 'definition'],
    ['personas', 'starter_messages']
  ]) {
    expect([collection, (await ask('GET', `${collection}?q=${name}`)).body.total]).toEqual([collection, 0])
  }
  const { id } = (await rowsOf('personas')).at(-1) as { id: number }
  const found: { id: number }[] = (await ask('GET', `personas?q=${id}`)).body.rows
  expect(found.map((it) => it.id)).toContain(id)
  const ledger = async (q: string) => {
    const { assumptions } = (await mock.call('GET', `/__mock/assumptions?q=${q}`)).body
    return assumptions.map((it: { id: string }) => it.id)
  }
  expect(await ledger('question')).not.toContain('files.deletion')
  expect(await ledger('choices')).not.toContain('files.deletion')
  expect(await ledger('status-response')).toContain('credential.missing')
})

test.each([
  ['limit=-1', 'limit'],
  ['limit=many', 'limit'],
  ['offset=1.5', 'offset'],
  ['page=1', 'page']
])('the rows of a collection do not come by %s', async (query, field) => {
  const { status, body } = await ask('GET', `users?${query}`)
  expect([status, body.errors[0].field]).toEqual([400, field])
})

test('the rows of a collection of an unknown collection are refused with the known ones', async () => {
  for (const name of ['tables', '__proto__', 'constructor']) {
    const { status, body } = await ask('GET', name)
    expect([status, body.errors[0].field, body.errors[0].allowed]).toEqual([400, 'collection', collectionNames])
  }
})

test('rows are filtered by their fields: by a part, by the whole text, and by the name of a referenced row', async () => {
  const list = async (where: object | string, more = '') => {
    const text = encodeURIComponent(typeof where === 'string' ? where : JSON.stringify(where))
    return (await mock.call('GET', `/__mock/state/userFiles?where=${text}${more}`)).body
  }
  const { rows } = (await mock.call('GET', '/__mock/state/userFiles')).body
  type Row = { id: string; status: string; name: string; user_id: string }
  const failed = rows.filter(({ status }: Row) => status === 'FAILED')
  expect((await list({ status: '=FAILED' })).rows).toEqual(failed)
  expect((await list({ status: '=fail' })).total).toBe(0)
  expect((await list({ status: 'fail' })).total).toBe(failed.length)
  const pdf = rows.filter(({ name, status }: Row) => name.includes('.pdf') && status === 'FAILED')
  expect((await list({ status: '=FAILED', name: '.PDF' })).total).toBe(pdf.length)

  const { names } = await list({}, '&names=true')
  const [name] = Object.values(names.users) as [string]
  const own = rows.filter(({ user_id }: Row) => names.users[user_id].includes(name))
  expect(own.length).toBeGreaterThan(0)
  expect((await list({ user_id: name })).rows).toEqual(own)
  expect(Object.keys(names.userFiles)).toEqual(rows.map((row: Row) => row.id))

  for (const wrong of ['no JSON', '[1]', '{"status": 4}', 'null']) {
    const answer = await list(wrong)
    expect([answer.status, answer.errors[0].field]).toEqual([400, 'where'])
  }
  const unknown = await list({ colour: 'red' })
  expect([unknown.status, unknown.errors[0].field]).toEqual([400, 'where'])
  expect(unknown.errors[0].allowed).toContain('status')
})
