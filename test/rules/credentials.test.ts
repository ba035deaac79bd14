import { startTestMock, type TestMock, testNow } from '../mock.js'
import { clear, idOf, putCredential } from './associations.js'

const mock = await startTestMock({ fixtures: 'empty' })
const nullable = await startTestMock({ fixtures: 'empty', assume: { 'requests.null': 'accepted' } })
const plain = await startTestMock({ fixtures: 'empty', assume: { 'credential.masking': 'plain' } })
const observed = await startTestMock({ fixtures: 'empty', profile: 'observed' })
const strictlyMissing = await startTestMock({
  fixtures: 'empty',
  assume: { 'credential.missing': '404', 'errors.missing': '403-foreign' }
})
const withoutQuery = await startTestMock({ fixtures: 'empty', assume: { 'credential.editable-query': 'ignored' } })
const sevenSources = await startTestMock({ fixtures: 'empty', assume: { 'sources.values': 'named-seven' } })
const anySource = await startTestMock({ fixtures: 'empty', assume: { 'sources.values': 'any' } })

beforeEach(() => clear(mock, plain, observed, strictlyMissing, withoutQuery, sevenSources, anySource))

/** One credential for every way in which a user may see one. */
function putAll(on: TestMock): void {
  putCredential(on, 1, 'admin')
  putCredential(on, 2, 'curator')
  putCredential(on, 3, 'basic')
  putCredential(on, 4, null)
  putCredential(on, 5, 'basic', { admin_public: true })
  putCredential(on, 6, 'basic', { curator_public: true })
  putCredential(on, 7, 'basic', { source: 'web' })
}

const idsOf = (rows: { id: number }[]) => rows.map((row) => row.id)

test('creating a credential (E8) stores the secrets unchanged and returns them masked', async () => {
  const { status, body } = await mock.call('POST', '/api/manage/credential', {
    body: {
      credential_json: { api_token: 'abcdefghijklmnop' },
      admin_public: true,
      source: 'imap',
      name: 'Mail',
      groups: [3, 1]
    }
  })
  expect(status).toBe(200)
  const { id, credential } = body
  expect(credential).toEqual({
    id,
    credential_json: { api_token: 'abcd...mnop' },
    admin_public: true,
    source: 'imap',
    name: 'Mail',
    curator_public: false,
    groups: [3, 1],
    user_id: idOf(mock, 'admin'),
    user_email: 'ada@example.com',
    time_created: testNow,
    time_updated: testNow
  })
  expect(mock.sandbox.rows.credentials.get(id)?.credential_json).toEqual({ api_token: 'abcdefghijklmnop' })
  expect((await mock.call('GET', `/api/manage/credential/${id}`)).body).toEqual(credential)
})

test('creating a credential (E8) accepts null for every optional field if requests.null says so', async () => {
  const { body } = await nullable.call('POST', '/api/manage/credential', {
    body: { credential_json: {}, admin_public: false, source: 'web', name: null, curator_public: null, groups: null }
  })
  expect(body.credential).toMatchObject({ name: null, curator_public: false, groups: [], credential_json: {} })
})

test('creating a credential (E8) allows two credentials with one name, with different ids', async () => {
  const create = () =>
    mock.call('POST', '/api/manage/credential', {
      body: { credential_json: {}, admin_public: true, source: 'web', name: 'Twin' }
    })
  const [first, second] = [await create(), await create()]
  expect(second.body.id).toBe(first.body.id + 1)
})

test('creating a credential (E8) stores nothing if the source is unknown', async () => {
  const body = { credential_json: {}, admin_public: true, source: 'no_such_source' }
  expect((await mock.call('POST', '/api/manage/credential', { body })).status).toBe(422)
  expect(mock.sandbox.rows.credentials.size).toBe(0)
})

const secrets = {
  long: 'abcdefghijklmn',
  short: 'abcdefghijklm',
  emoji: '😀'.repeat(14),
  port: 993,
  tls: true,
  nothing: null,
  nested: { list: ['abcdefghijklmnop', 1, false, null, [{ deep: 'x' }]] },
  authentication_method: 'oauth_interactive',
  wiki_base: 'https://wiki.example.com',
  cloud_name: 'a-cloud-of-some-length',
  cloud_id: 12
}
const body = { credential_json: secrets, admin_public: true, source: 'imap' }
const bullets = '••••••••••••'

test('masking (credential.masking) shows the ends of long texts, and whether a value is set', async () => {
  const created = await mock.call('POST', '/api/manage/credential', { body })
  expect(created.headers.get('x-mock-assumed')).toContain('credential.masking')
  expect(created.body.credential.credential_json).toEqual({
    long: 'abcd...klmn',
    short: bullets,
    emoji: '😀😀😀😀...😀😀😀😀',
    port: '*****',
    tls: true,
    nothing: null,
    nested: { list: ['abcd...mnop', '*****', false, null, [{ deep: bullets }]] },
    authentication_method: 'oauth_interactive',
    wiki_base: 'https://wiki.example.com',
    cloud_name: 'a-cloud-of-some-length',
    cloud_id: 12
  })
})

test('masking (credential.masking) shows values as stored with the choice plain', async () => {
  const { body: reply } = await plain.call('POST', '/api/manage/credential', { body })
  expect(reply.credential.credential_json).toEqual(secrets)
})

test('masking (credential.masking) treats a key named __proto__ like any other', async () => {
  const text = '{"credential_json":{"__proto__":{"admin":"abcdefghijklmnop"}},"admin_public":true,"source":"imap"}'
  const created = await mock.call('POST', '/api/manage/credential', {
    body: text,
    headers: { 'Content-Type': 'application/json' }
  })
  expect(created.text).toContain('"credential_json":{"__proto__":{"admin":"abcd...mnop"}}')
  const stored = mock.sandbox.rows.credentials.get(created.body.id)?.credential_json as object
  expect(JSON.stringify(stored)).toBe('{"__proto__":{"admin":"abcdefghijklmnop"}}')
  expect(({} as Record<string, unknown>).admin).toBeUndefined()
})

describe('reading a credential (E9)', () => {
  beforeEach(() => putAll(mock))

  test.each([
    ['admin', [1, 4, 5]],
    ['curator', [2, 6]],
    ['basic', [3, 5, 6, 7]]
  ])('%s sees the credentials %j', async (as, visible) => {
    const ids: number[] = []
    for (let id = 1; id <= 7; id++) {
      const { status, body } = await mock.call('GET', `/api/manage/credential/${id}`, { as })
      expect(status).toBe(200)
      if (body.id === id) ids.push(id)
    }
    expect(ids).toEqual(visible)
  })

  test('shows a credential without an owner without address', async () => {
    const { body } = await mock.call('GET', '/api/manage/credential/4')
    expect(body).toMatchObject({ user_id: null, user_email: null })
  })

  test.each([3, 99])('returns a StatusResponse for credential %i, which an administrator cannot see', async (id) => {
    const { status, headers, body } = await mock.call('GET', `/api/manage/credential/${id}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      success: false,
      message: `Credential ${id} does not exist or does not belong to user`,
      data: id
    })
    expect(headers.get('x-mock-assumed')).toContain('credential.missing')
  })

  test('is a 401 for it with credential.missing=401', async () => {
    const { status, body } = await observed.call('GET', '/api/manage/credential/99')
    expect([status, body]).toEqual([401, { detail: 'Credential 99 does not exist or does not belong to user' }])
  })

  test('is a 404 for it with credential.missing=404, or a 403 for a foreign one if foreign rows are revealed', async () => {
    putCredential(strictlyMissing, 3, 'basic')
    expect((await strictlyMissing.call('GET', '/api/manage/credential/99')).status).toBe(404)
    expect((await strictlyMissing.call('GET', '/api/manage/credential/3')).status).toBe(403)
  })

  test('shows administrators and curators every credential of an open source with credential.open-sources=open', async () => {
    putAll(observed)
    for (const as of ['admin', 'curator']) {
      const { status, headers } = await observed.call('GET', '/api/manage/credential/7', { as })
      expect(status).toBe(200)
      expect(headers.get('x-mock-assumed')).toContain('credential.open-sources')
      expect((await observed.call('GET', '/api/manage/credential/3', { as })).status).toBe(401)
    }
    putCredential(observed, 8, 'admin', { source: 'web' })
    expect((await observed.call('GET', '/api/manage/credential/8', { as: 'basic' })).status).toBe(401)
  })
})

test('listing credentials (E10) returns the admin_public ones that the caller sees, by id', async () => {
  putAll(mock)
  putCredential(mock, 8, 'curator', { admin_public: true })
  const { headers, body } = await mock.call('GET', '/api/manage/admin/credential')
  expect(idsOf(body)).toEqual([5, 8])
  expect(body[0].credential_json).toEqual({ api_token: 'abcd...mnop' })
  expect(headers.get('x-mock-assumed')).toContain('credential.admin-list')
  expect(idsOf((await mock.call('GET', '/api/manage/admin/credential', { as: 'curator' })).body)).toEqual([8])
})

test('listing credentials (E10) returns all that the caller sees with credential.admin-list=visible', async () => {
  putAll(observed)
  expect(idsOf((await observed.call('GET', '/api/manage/admin/credential')).body)).toEqual([1, 4, 5, 7])
  expect(idsOf((await observed.call('GET', '/api/manage/admin/credential', { as: 'curator' })).body)).toEqual([2, 6, 7])
})

test('listing credentials (E10) refuses basic users', async () => {
  expect((await mock.call('GET', '/api/manage/admin/credential', { as: 'basic' })).status).toBe(403)
})

const similar = async (on: TestMock, as: string, query = '') =>
  idsOf((await on.call('GET', `/api/manage/admin/similar-credentials/imap${query}`, { as })).body)

test('listing the credentials of a source (E11) returns those that the caller sees', async () => {
  putAll(mock)
  expect(await similar(mock, 'admin')).toEqual([1, 4, 5])
  expect(await similar(mock, 'curator')).toEqual([2, 6])
  expect(idsOf((await mock.call('GET', '/api/manage/admin/similar-credentials/slack')).body)).toEqual([])
})

test('listing the credentials of a source (E11) leaves a curator only own ones with get_editable, and an administrator all', async () => {
  putAll(mock)
  expect(await similar(mock, 'admin', '?get_editable=True')).toEqual([1, 4, 5])
  expect(await similar(mock, 'curator', '?get_editable=True')).toEqual([2])
  expect(await similar(mock, 'curator', '?get_editable=false')).toEqual([2, 6])
})

test('listing the credentials of a source (E11) ignores get_editable with credential.editable-query=ignored', async () => {
  putAll(withoutQuery)
  expect(await similar(withoutQuery, 'curator', '?get_editable=true')).toEqual([2, 6])
})

test('listing the credentials of a source (E11) refuses an unknown source', async () => {
  const { status, body } = await mock.call('GET', '/api/manage/admin/similar-credentials/no_such_source')
  expect([status, body.detail[0].loc]).toEqual([422, ['path', 'source_type']])
})

test('sources.values hides credentials of other sources with named-seven, and counts them as missing', async () => {
  putCredential(sevenSources, 1, 'admin', { admin_public: true, source: 'slack' })
  putCredential(sevenSources, 2, 'admin', { admin_public: true })
  expect(idsOf((await sevenSources.call('GET', '/api/manage/admin/credential')).body)).toEqual([2])
  expect((await sevenSources.call('GET', '/api/manage/credential/1')).body.success).toBe(false)
  expect((await sevenSources.call('GET', '/api/manage/admin/similar-credentials/slack')).status).toBe(422)
  const body = { credential_json: {}, admin_public: true, source: 'slack' }
  expect((await sevenSources.call('POST', '/api/manage/credential', { body })).status).toBe(422)
})

test('sources.values accepts a new identifier as a source with any, also one that JavaScript knows', async () => {
  for (const source of ['dreamdrive_2', '__proto__', 'constructor']) {
    const body = { credential_json: {}, admin_public: true, source }
    const { body: created } = await anySource.call('POST', '/api/manage/credential', { body })
    expect(idsOf((await anySource.call('GET', `/api/manage/admin/similar-credentials/${source}`)).body)).toEqual([
      created.id
    ])
  }
})
