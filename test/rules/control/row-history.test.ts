import { startTestMock, type TestMock } from '../../mock.js'

let mock: TestMock
beforeAll(async () => {
  mock = await startTestMock()
})
beforeEach(() => mock.call('POST', '/__mock/reset'))

const historyOf = async (row: string) => (await mock.call('GET', `/__mock/state/${row}/history`)).body.changes
const find = async (query: string) => {
  const { body } = await mock.call('GET', `/__mock/requests?query=${encodeURIComponent(query)}`)
  return body.requests.map(({ method, url }: { method: string; url: string }) => `${method} ${url}`)
}

test('the history of a row names the request, the control call, the program and the reset, newest first', async () => {
  const changed = await mock.call('PATCH', '/api/persona/1', { body: { description: 'By a request' } })
  const request = changed.headers.get('x-mock-request-id')
  await mock.call('PATCH', '/__mock/state/personas/1', { body: { description: 'By control' } })
  mock.handle().update('personas', 1, { description: 'By a program' })
  const [program, control, first, ...rest] = await historyOf('personas/1')
  expect(rest).toEqual([])
  expect(first).toMatchObject({ request, after: { description: 'By a request' } })
  expect(control).toMatchObject({ before: { description: 'By a request' }, after: { description: 'By control' } })
  expect(control.control).toMatch(/^m\d+$/)
  expect(control.call).toBe('PATCH /__mock/state/personas/1')
  expect([program.call, first.call]).toEqual([undefined, undefined])
  expect(program).toMatchObject({ control: 'program', after: { description: 'By a program' } })
  await mock.call('POST', '/__mock/reset')
  const [reset] = await historyOf('personas/1')
  expect(reset).toMatchObject({
    call: 'POST /__mock/reset',
    before: { description: 'By a program' },
    after: first.before
  })
})

test('a row that was created and removed has both in its history', async () => {
  const { body } = await mock.call('POST', '/__mock/state/labels', { body: { name: 'Short' } })
  await mock.call('DELETE', `/__mock/state/labels/${body.id}`)
  const changes = await historyOf(`labels/${body.id}`)
  expect(changes.map(({ before, after }: { before: object; after: object }) => [before, after])).toEqual([
    [body, null],
    [null, body]
  ])
})

test('a status that changed with time has the time as its cause', async () => {
  const row = mock.handle().create('userFiles', { user_id: 'basic', status: 'PROCESSING' })
  await mock.call('PUT', '/__mock/clock', { body: { advance: '1h' } })
  const [settled] = await historyOf(`userFiles/${row.id}`)
  expect(settled).toMatchObject({ control: 'time', before: { status: 'PROCESSING' }, after: { status: 'COMPLETED' } })
})

test('an unknown row is a 404', async () => {
  expect((await mock.call('GET', '/__mock/state/labels/999999/history')).status).toBe(404)
  expect((await mock.call('GET', '/__mock/state/nothing/1/history')).status).toBe(400)
})

test('an exchange that an override answered has it as it was, with what added it, also once it is used up', async () => {
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'getPersona', status: 503, times: 1 } })
  await mock.call('PATCH', '/__mock/state/labels/1', { body: { name: 'Later' } })
  const forced = await mock.call('GET', '/api/persona/1')
  const other = await mock.call('GET', '/api/persona/1')
  await mock.call('PATCH', '/__mock/state/labels/1', { body: { name: 'Last' } })
  const detailOf = async ({ headers }: typeof forced) =>
    (await mock.call('GET', `/__mock/requests/${headers.get('x-mock-request-id')}`)).body
  const { forced_by } = await detailOf(forced)
  expect(forced_by).toMatchObject({
    override: { operation: 'getPersona', status: 503, times: 1, used: 0 },
    added_by: { operation: 'addOverride', call: 'POST /__mock/overrides' },
    in_force: false
  })
  expect(forced_by.at).toBe(forced_by.added_by.id)
  expect(await detailOf(other)).not.toHaveProperty('forced_by')
})

test('an override that was the first change of all is found too', async () => {
  const fresh = await startTestMock()
  await fresh.call('POST', '/__mock/overrides', { body: { operation: 'getPersona', status: 503, times: 1 } })
  await fresh.call('GET', '/api/persona/1')
  const { forced_by } = (await fresh.call('GET', '/__mock/requests/r1')).body
  expect(forced_by).toMatchObject({ at: 'm1', added_by: { id: 'm1' }, in_force: false })
})

test('a query finds the exchanges of a test by a part of its name', async () => {
  for (const name of ['signs in, then out', 'signs in', 'searches']) {
    await mock.call('GET', '/api/persona/1', { headers: { 'X-Test-Case': name } })
  }
  await mock.call('GET', '/api/users')
  expect(await find('test:"Signs in"')).toHaveLength(2)
  expect(await find('test:"signs in, then"')).toHaveLength(1)
  expect(await find('-test:signs op:getPersona')).toHaveLength(1)
})

test('a query compares, negates, combines alternatives, and finds rows and words', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/persona/999999')
  await mock.call('PATCH', '/api/persona/1', { body: { description: 'zebra crossing' } })
  await mock.call('PATCH', '/api/persona/1', { body: { num_chunks: 'many' } })
  await mock.call('GET', '/api/users', { as: 'basic' })
  expect(await find('status:>=400 -status:422 op:getPersona')).toEqual(['GET /api/persona/999999'])
  expect(await find('status:>=400 duration:<10s operation:getPersona')).toEqual(['GET /api/persona/999999'])
  expect(await find('status:4xx,5xx method:PATCH')).toEqual(['PATCH /api/persona/1'])
  expect(await find('touched:personas/1 method:get')).toEqual(['GET /api/persona/1'])
  expect(await find('touched:personas/999999')).toEqual([])
  expect(await find('missed:personas/999999')).toEqual(['GET /api/persona/999999'])
  expect(await find('changed:personas/1')).toEqual(['PATCH /api/persona/1'])
  expect(await find('zebra')).toEqual(['PATCH /api/persona/1'])
  expect(await find('"zebra crossing" user:admin')).toEqual(['PATCH /api/persona/1'])
  expect(await find('user:basic')).toHaveLength(1)
  expect(await find('took:>100000')).toEqual([])
  expect(await find('took:>100s')).toEqual([])
  expect(await find('took:0ms..100s')).toEqual(await find('took:<100000'))
  expect(await find('id:r1')).toEqual(['GET /api/persona/1'])
  expect(await find('source:rule -method:PATCH')).toEqual(expect.arrayContaining(['GET /api/persona/1']))
  expect(await find('body:"zebra crossing"')).toEqual(['PATCH /api/persona/1'])
  expect(await find('assumed:errors.missing')).toEqual(['GET /api/persona/999999'])
  expect(await find('-assumed:errors.missing method:GET status:200')).not.toContain('GET /api/persona/999999')
  expect(await find('violations:true')).toEqual(['PATCH /api/persona/1'])
  expect(await find('unmatched:true')).toEqual(['GET /api/users'])
})

test('a query names the good values of an operation, an assumption, a collection and a flag', async () => {
  const detailOf = async (query: string) => {
    const { body } = await mock.call('GET', `/__mock/requests?query=${query}`)
    return String(body.errors[0].detail)
  }
  expect(await detailOf('op:getPersonas')).toMatch(/^There is no operation "getPersonas"\. Did you mean getPersona\?/)
  expect(await detailOf('assumed:errors.mising')).toMatch(/^There is no assumption "errors\.mising"/)
  expect(await detailOf('changed:persona')).toMatch(/^There is no collection "persona"/)
  expect(await detailOf('violations:maybe')).toMatch(/^"violations:maybe" is not valid/)
})

test('a query finds what an override answered or delayed, also one that is used up', async () => {
  const delay = { type: 'fixed', milliseconds: 0 }
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'getPersona', delay, times: 1 } })
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'getFile', status: 503 } })
  for (const path of ['/api/persona/1', '/api/persona/2', '/api/user/projects/file/3']) await mock.call('GET', path)
  expect(await find('override:o1')).toEqual(['GET /api/persona/1'])
  expect(await find('override:any')).toEqual(['GET /api/user/projects/file/3', 'GET /api/persona/1'])
})

test.each([
  ['state:4', 'There is no field "state". Fields: status, method, took,'],
  ['status:many', '"status:many" is not valid. Write status:404,503, status:4xx,5xx, status:400..499 or status:>=400.'],
  ['status:404,many', '"status:404,many" is not valid. Write status:404,503,'],
  ['status:!404', '"status:!404" is not valid. To exclude a value, write -status:404.'],
  ['method:!GET', '"method:!GET" is not valid. To exclude a value, write -method:GET.'],
  ['method:', '"method:" is not valid. Write method:POST or method:POST,PUT.'],
  ['source:rules', 'There is no source "rules". Did you mean rule?'],
  ['took:fast', '"took:fast" is not valid. Write took:>100 (milliseconds) or took:>1s.'],
  ['id:7', '"id:7" is not valid. Write id:r50.'],
  ['touched:', '"touched:" is not valid. Write touched:personas/4'],
  ['touched:persona/4', '"touched:persona/4" is not valid. Write touched:personas/4'],
  ['status:404 OR status:503', '"OR" is not a term. Alternatives are separated by commas: status:404,503.'],
  ['status:4xx or user:basic', '"or" is not a term. Alternatives are separated by commas: status:404,503.'],
  ['user:admin|basic', 'Alternatives are separated by commas: user:admin,basic.']
])('the query %s is a 400 that says what is allowed, in one sentence', async (query, said) => {
  const { status, body } = await mock.call('GET', `/__mock/requests?query=${encodeURIComponent(query)}`)
  expect([status, body.errors[0].field]).toEqual([400, query === 'source:rules' ? 'source' : 'query'])
  expect(body.errors[0].detail.startsWith(said)).toBe(true)
  expect(body.errors[0].detail.length).toBeLessThan(190)
})

test('a wrong query lists all forms that a term can have', async () => {
  for (const query of ['state:4', 'status:many']) {
    const { body } = await mock.call('GET', `/__mock/requests?query=${query}`)
    expect(body.errors[0].allowed.join(' ')).toMatch(/^status:404.* method:POST.* took:>100.* changed:personas\/4/)
  }
})

test('the deletion of a row that a request looks for names the control call', async () => {
  const { body } = await mock.call('POST', '/__mock/state/labels', { body: { name: 'Short' } })
  await mock.call('DELETE', `/__mock/state/labels/${body.id}`)
  const missing = await mock.call('PATCH', '/api/persona/1', { body: { label_ids: [body.id] } })
  const id = missing.headers.get('x-mock-request-id')
  const { deletions } = (await mock.call('GET', `/__mock/requests/${id}`)).body
  expect(deletions).toMatchObject([{ id: body.id, call: `DELETE /__mock/state/labels/${body.id}` }])
})

test('the answer about a file that is gone by the clock names the request that deleted it', async () => {
  const { rows } = (await mock.call('GET', '/__mock/state/userFiles')).body
  const { id } = rows.find((it: { user_id: string; status: string }) => it.status === 'COMPLETED')
  const path = `/api/user/projects/file/${id}`
  const { key } = mock.sandbox.rows.users.get(rows.find((it: { id: string }) => it.id === id).user_id) ?? {}
  const deleted = await mock.call('DELETE', path, { as: key as string })
  await mock.call('PUT', '/__mock/clock', { body: { advance: '1d' } })
  const missing = await mock.call('GET', path, { as: key as string })
  expect([deleted.status, missing.status]).toEqual([200, 404])
  const asked = missing.headers.get('x-mock-request-id')
  expect((await mock.call('GET', `/__mock/requests/${asked}`)).body.deletions).toMatchObject([
    { collection: 'userFiles', id, request: deleted.headers.get('x-mock-request-id') }
  ])
})
