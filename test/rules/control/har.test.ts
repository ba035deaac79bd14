import { startTestMock } from '../../mock.js'

const mock = await startTestMock()
beforeEach(() => mock.reset())

interface Entry {
  _id: string
  request: { method: string; url: string; postData?: { text: string }; headers: { name: string; value: string }[] }
  response: { status: number; content: { text?: string } }
}

async function har(query = ''): Promise<Entry[]> {
  const { status, body } = await mock.call('GET', `/__mock/har${query}`)
  expect([status, body.log.version]).toEqual([200, '1.2'])
  return body.log.entries
}

test('the journal is an archive of what was sent and answered, oldest first', async () => {
  const { text } = await mock.call('GET', '/api/get-user-role?x=1&x=2')
  await mock.call('PATCH', '/api/persona/1', { body: { name: 'Renamed' } })
  const [read, change] = await har()
  expect(read).toMatchObject({
    _id: 'r1',
    startedDateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    request: {
      method: 'GET',
      url: expect.stringMatching(/^http:\/\/[^/]+\/api\/get-user-role\?x=1&x=2$/),
      queryString: [
        { name: 'x', value: '1' },
        { name: 'x', value: '2' }
      ]
    },
    response: { status: 200, statusText: 'OK', content: { mimeType: 'application/json', text } }
  })
  expect(change).toMatchObject({
    request: { method: 'PATCH', postData: { mimeType: 'application/json', text: '{"name":"Renamed"}' } }
  })
})

test('a filter of the journal, or an id, selects the exchanges', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/persona/999')
  expect((await har('?status=404')).map(({ _id }) => _id)).toEqual(['r2'])
  expect((await har('?id=r1')).map(({ _id }) => _id)).toEqual(['r1'])
  expect((await mock.call('GET', '/__mock/requests?id=r2')).body.total).toBe(1)
  expect((await mock.call('GET', '/__mock/har?status=red')).status).toBe(400)
})

test('an archive has no secrets', async () => {
  const body = { credential_json: { api_token: 'xyzzy' }, admin_public: true, source: 'web' }
  await mock.call('POST', '/api/manage/credential', { body, headers: { Cookie: 'session=xyzzy' } })
  await mock.call('GET', '/api/get-user-role?token=xyzzy', { as: 'xyzzy' })
  await mock.call('GET', '/api/get-user-role', { headers: { 'X-Access-Token': 'xyzzy' } })
  const headers = { 'Set-Cookie': 's=xyzzy', 'X-Api-Key': 'xyzzy' }
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'getPersona', status: 200, body: {}, headers } })
  await mock.call('GET', '/api/persona/1')
  expect(await har()).toHaveLength(4)
  expect(JSON.stringify(await har())).not.toContain('xyzzy')
})

test('a broken connection has the status 0, and a large body is left out', async () => {
  const override = { operation: 'getPersona', fault: 'EMPTY_RESPONSE', times: 1 }
  await mock.call('POST', '/__mock/overrides', { body: override })
  await mock.call('GET', '/api/persona/1').catch(() => {})
  await mock.call('POST', '/api/admin/tool/custom/validate', { body: { definition: { x: 'y'.repeat(300_000) } } })
  const [cut, large] = await har()
  expect(cut?.response.status).toBe(0)
  expect(large?.request).not.toHaveProperty('postData')
})
