import type { Rows } from '../../src/contract/types.gen.js'
import { startTestMock, type TestMock, testNow } from '../mock.js'

const mock = await startTestMock({ fixtures: 'empty' })
const plain = await startTestMock({ fixtures: 'empty', assume: { 'credential.masking': 'plain' } })
const observed = await startTestMock({ fixtures: 'empty', profile: 'observed' })
const strictlyMissing = await startTestMock({
  fixtures: 'empty',
  assume: { 'credential.missing': '404', 'errors.missing': '403-foreign' }
})
const withoutQuery = await startTestMock({ fixtures: 'empty', assume: { 'credential.editable-query': 'ignored' } })
const sevenSources = await startTestMock({ fixtures: 'empty', assume: { 'sources.values': 'named-seven' } })
const anySource = await startTestMock({ fixtures: 'empty', assume: { 'sources.values': 'any' } })

beforeEach(() => {
  for (const { sandbox } of [mock, plain, observed, strictlyMissing, withoutQuery, sevenSources, anySource]) {
    for (const row of [...sandbox.rows.credentials.all()]) sandbox.rows.credentials.remove(row.id)
  }
})

function idOf(key: string, { sandbox }: TestMock = mock): string {
  return sandbox.rows.users.first('byKey', key)?.id as string
}

/** A credential of this owner, put where no operation could make it. */
function put(
  on: TestMock,
  id: number,
  owner: string | null,
  own: Partial<Rows['credentials']> = {}
): Rows['credentials'] {
  return on.sandbox.rows.credentials.put({
    id,
    credential_json: { api_token: 'abcdefghijklmnop' },
    admin_public: false,
    source: 'imap',
    name: `credential ${id}`,
    curator_public: false,
    groups: [],
    user_id: owner === null ? null : idOf(owner, on),
    time_created: '2026-01-01T00:00:00.000Z',
    time_updated: '2026-01-01T00:00:00.000Z',
    ...own
  })
}

/** One credential for every way in which somebody may see one. */
function putAll(on: TestMock): void {
  put(on, 1, 'admin')
  put(on, 2, 'curator')
  put(on, 3, 'basic')
  put(on, 4, null)
  put(on, 5, 'basic', { admin_public: true })
  put(on, 6, 'basic', { curator_public: true })
  put(on, 7, 'basic', { source: 'web' })
}

const idsOf = (rows: { id: number }[]) => rows.map((row) => row.id)

describe('creating a credential (E8)', () => {
  test('stores the secrets as they are and answers them masked', async () => {
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
      user_id: idOf('admin'),
      user_email: 'ada@example.com',
      time_created: testNow,
      time_updated: testNow
    })
    expect(mock.sandbox.rows.credentials.get(id)?.credential_json).toEqual({ api_token: 'abcdefghijklmnop' })
    expect((await mock.call('GET', `/api/manage/credential/${id}`)).body).toEqual(credential)
  })

  test('takes null for every optional field', async () => {
    const { body } = await mock.call('POST', '/api/manage/credential', {
      body: { credential_json: {}, admin_public: false, source: 'web', name: null, curator_public: null, groups: null }
    })
    expect(body.credential).toMatchObject({ name: null, curator_public: false, groups: [], credential_json: {} })
  })

  test('lets two credentials have one name, with different ids', async () => {
    const create = () =>
      mock.call('POST', '/api/manage/credential', {
        body: { credential_json: {}, admin_public: true, source: 'web', name: 'Twin' }
      })
    const [first, second] = [await create(), await create()]
    expect(second.body.id).toBe(first.body.id + 1)
  })

  test('stores nothing where the source is unknown', async () => {
    const body = { credential_json: {}, admin_public: true, source: 'no_such_source' }
    expect((await mock.call('POST', '/api/manage/credential', { body })).status).toBe(422)
    expect(mock.sandbox.rows.credentials.size).toBe(0)
  })
})

describe('masking (credential.masking)', () => {
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

  test('shows the ends of long texts, and whether a value is set', async () => {
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

  test('"plain" shows values as stored', async () => {
    const { body: reply } = await plain.call('POST', '/api/manage/credential', { body })
    expect(reply.credential.credential_json).toEqual(secrets)
  })

  test('a key named __proto__ is a key like any other', async () => {
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
})

describe('reading a credential (E9)', () => {
  beforeEach(() => putAll(mock))

  test.each([
    ['admin', [1, 4, 5]],
    ['curator', [2, 6]],
    ['basic', [3, 5, 6, 7]]
  ])('%s sees the credentials %j', async (as, visible) => {
    const seen: number[] = []
    for (let id = 1; id <= 7; id++) {
      const { status, body } = await mock.call('GET', `/api/manage/credential/${id}`, { as })
      expect(status).toBe(200)
      if (body.id === id) seen.push(id)
    }
    expect(seen).toEqual(visible)
  })

  test('a credential of nobody has neither owner nor address', async () => {
    const { body } = await mock.call('GET', '/api/manage/credential/4')
    expect(body).toMatchObject({ user_id: null, user_email: null })
  })

  test.each([3, 99])('credential %i, which is not there for an administrator, gives a StatusResponse', async (id) => {
    const { status, headers, body } = await mock.call('GET', `/api/manage/credential/${id}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      success: false,
      message: `Credential ${id} does not exist or does not belong to user`,
      data: id
    })
    expect(headers.get('x-mock-assumed')).toContain('credential.missing')
  })

  test('with credential.missing=401 it gives 401', async () => {
    const { status, body } = await observed.call('GET', '/api/manage/credential/99')
    expect([status, body]).toEqual([401, { detail: 'Credential 99 does not exist or does not belong to user' }])
  })

  test('with credential.missing=404 it gives 404, or 403 for a foreign one where foreign rows are told', async () => {
    put(strictlyMissing, 3, 'basic')
    expect((await strictlyMissing.call('GET', '/api/manage/credential/99')).status).toBe(404)
    expect((await strictlyMissing.call('GET', '/api/manage/credential/3')).status).toBe(403)
  })

  test('with credential.open-sources=open, administrators and curators see every credential of an open source', async () => {
    putAll(observed)
    for (const as of ['admin', 'curator']) {
      const { status, headers } = await observed.call('GET', '/api/manage/credential/7', { as })
      expect(status).toBe(200)
      expect(headers.get('x-mock-assumed')).toContain('credential.open-sources')
      expect((await observed.call('GET', '/api/manage/credential/3', { as })).status).toBe(401)
    }
    put(observed, 8, 'admin', { source: 'web' })
    expect((await observed.call('GET', '/api/manage/credential/8', { as: 'basic' })).status).toBe(401)
  })
})

describe('listing credentials (E10)', () => {
  test('gives the admin_public ones that the caller sees, by id', async () => {
    putAll(mock)
    put(mock, 8, 'curator', { admin_public: true })
    const { headers, body } = await mock.call('GET', '/api/manage/admin/credential')
    expect(idsOf(body)).toEqual([5, 8])
    expect(body[0].credential_json).toEqual({ api_token: 'abcd...mnop' })
    expect(headers.get('x-mock-assumed')).toContain('credential.admin-list')
    expect(idsOf((await mock.call('GET', '/api/manage/admin/credential', { as: 'curator' })).body)).toEqual([8])
  })

  test('with credential.admin-list=visible it gives all that the caller sees', async () => {
    putAll(observed)
    expect(idsOf((await observed.call('GET', '/api/manage/admin/credential')).body)).toEqual([1, 4, 5, 7])
    expect(idsOf((await observed.call('GET', '/api/manage/admin/credential', { as: 'curator' })).body)).toEqual([
      2, 6, 7
    ])
  })

  test('is not for basic users', async () => {
    expect((await mock.call('GET', '/api/manage/admin/credential', { as: 'basic' })).status).toBe(403)
  })
})

describe('listing the credentials of a source (E11)', () => {
  const similar = async (on: TestMock, as: string, query = '') =>
    idsOf((await on.call('GET', `/api/manage/admin/similar-credentials/imap${query}`, { as })).body)

  test('gives those that the caller sees', async () => {
    putAll(mock)
    expect(await similar(mock, 'admin')).toEqual([1, 4, 5])
    expect(await similar(mock, 'curator')).toEqual([2, 6])
    expect(idsOf((await mock.call('GET', '/api/manage/admin/similar-credentials/slack')).body)).toEqual([])
  })

  test('get_editable leaves a curator only own ones, and an administrator all', async () => {
    putAll(mock)
    expect(await similar(mock, 'admin', '?get_editable=True')).toEqual([1, 4, 5])
    expect(await similar(mock, 'curator', '?get_editable=True')).toEqual([2])
    expect(await similar(mock, 'curator', '?get_editable=false')).toEqual([2, 6])
  })

  test('with credential.editable-query=ignored the parameter is not read', async () => {
    putAll(withoutQuery)
    expect(await similar(withoutQuery, 'curator', '?get_editable=true')).toEqual([2, 6])
  })

  test('an unknown source is refused', async () => {
    const { status, body } = await mock.call('GET', '/api/manage/admin/similar-credentials/no_such_source')
    expect([status, body.detail[0].loc]).toEqual([422, ['path', 'source_type']])
  })
})

describe('replacing a private key (E12)', () => {
  const pfx = Buffer.from('MIIBAgIBAzCB+gYJKoZIhvcNAQcB', 'base64')

  function formOf(own: Record<string, string | Blob | null> = {}, file = 'key.pfx'): FormData {
    const fields = {
      name: 'Intranet',
      credential_json: '{"client_id":"a","tenant":"b"}',
      uploaded_file: new Blob([pfx]),
      field_key: 'private_key',
      type_definition_key: 'sharepoint_pfx_file',
      ...own
    }
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) {
      if (value instanceof Blob) form.append(name, value, file)
      else if (value !== null) form.append(name, value)
    }
    return form
  }

  const replace = (on: TestMock, id: number, form: FormData, as = 'admin') =>
    on.call('PUT', `/api/manage/admin/credential/private-key/${id}`, { as, form })

  test('merges the values and the file, and makes the caller the owner', async () => {
    put(mock, 5, 'basic', {
      admin_public: true,
      curator_public: true,
      groups: [2],
      credential_json: { client_id: 'old', kept: 'k' }
    })
    const { status, body } = await replace(mock, 5, formOf())
    expect([status, body]).toEqual([
      200,
      {
        credential_json: {
          client_id: '••••••••••••',
          kept: '••••••••••••',
          tenant: '••••••••••••',
          private_key: 'MIIB...AQcB'
        },
        admin_public: true,
        source: 'imap',
        name: 'Intranet',
        curator_public: true,
        groups: [2]
      }
    ])
    expect(mock.sandbox.rows.credentials.get(5)).toEqual({
      id: 5,
      credential_json: { client_id: 'a', kept: 'k', tenant: 'b', private_key: pfx.toString('base64') },
      admin_public: true,
      source: 'imap',
      name: 'Intranet',
      curator_public: true,
      groups: [2],
      user_id: idOf('admin'),
      time_created: '2026-01-01T00:00:00.000Z',
      time_updated: testNow
    })
    expect((await mock.call('GET', '/api/manage/credential/5', { as: 'basic' })).body.success).toBe(false)
  })

  test('keeps the name where none is given, and answers a missing name as an empty text', async () => {
    put(mock, 1, 'admin')
    put(mock, 2, 'admin', { name: null })
    expect((await replace(mock, 1, formOf({ name: null }))).body.name).toBe('credential 1')
    expect((await replace(mock, 2, formOf({ name: '' }))).body.name).toBe('')
    expect(mock.sandbox.rows.credentials.get(2)?.name).toBeNull()
  })

  test.each(['__proto__', 'constructor'])(
    'stores a file under the key %s and changes no prototype',
    async (field_key) => {
      put(mock, 1, 'admin')
      const { status, text } = await replace(
        mock,
        1,
        formOf({ field_key, credential_json: `{"__proto__":{"polluted":"yes"},"a":1}` })
      )
      expect(status).toBe(200)
      expect(text).toContain(`"${field_key}":"MIIB...`)
      const stored = mock.sandbox.rows.credentials.get(1)?.credential_json as Record<string, unknown>
      expect(Object.getOwnPropertyDescriptor(stored, field_key)?.value).toBe(pfx.toString('base64'))
      expect(Object.getPrototypeOf(stored)).toBe(Object.getPrototypeOf({}))
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    }
  )

  test.each(['{"a":', '[]', 'null', '"text"'])(
    'refuses %s, which is no JSON object, and changes nothing',
    async (credential_json) => {
      const row = put(mock, 1, 'admin')
      const { status, headers, body } = await replace(mock, 1, formOf({ credential_json }))
      expect(status).toBe(400)
      expect(body.detail).toMatch(/^Invalid JSON in credential_json: ./)
      expect(headers.get('x-mock-assumed')).toContain('credential.private-key')
      expect(mock.sandbox.rows.credentials.get(1)).toBe(row)
    }
  )

  test('takes any file of any kind', async () => {
    put(mock, 1, 'admin')
    const form = formOf({ type_definition_key: 'anything', uploaded_file: new Blob(['']) }, 'notes.txt')
    expect((await replace(mock, 1, form)).status).toBe(200)
    expect(mock.sandbox.rows.credentials.get(1)?.credential_json.private_key).toBe('')
  })

  test('with credential.private-key=pkcs12 it takes only a .pfx file that is PKCS#12', async () => {
    const row = put(observed, 1, 'admin')
    const other = new Blob([Buffer.alloc(64, 0x30)])
    const attempts: [FormData, object][] = [
      [formOf({ type_definition_key: 'x' }), { message: "'x' is not a valid PrivateKeyFileTypes" }],
      [formOf({}, 'key.pem'), { detail: 'Invalid file type. Only .pfx files are supported.' }],
      [formOf({ uploaded_file: other }), { detail: expect.stringContaining('does not appear to be a valid PKCS#12') }],
      [
        formOf({ uploaded_file: new Blob([pfx.subarray(0, 9)]) }),
        { detail: expect.stringContaining('Invalid file content') }
      ]
    ]
    for (const [form, reply] of attempts) {
      const { status, body } = await replace(observed, 1, form)
      expect([status, body]).toEqual([400, reply])
    }
    expect(observed.sandbox.rows.credentials.get(1)).toBe(row)
    expect((await replace(observed, 1, formOf())).status).toBe(200)
  })

  test('a credential that the caller may not edit is missing', async () => {
    putAll(mock)
    const row = mock.sandbox.rows.credentials.get(6)
    for (const [as, id] of [
      ['admin', 3],
      ['curator', 6],
      ['admin', 99]
    ] as const) {
      const { status, body } = await replace(mock, id, formOf(), as)
      expect([status, body]).toEqual([404, { detail: `Credential ${id} does not exist or does not belong to user` }])
    }
    expect(mock.sandbox.rows.credentials.get(6)).toBe(row)
    expect((await replace(observed, 99, formOf())).status).toBe(401)
  })

  test('names every missing part, and what is no file', async () => {
    const { status, body } = await replace(
      mock,
      1,
      formOf({ uploaded_file: 'text', field_key: '', type_definition_key: null })
    )
    expect(status).toBe(422)
    expect(body.detail.map(({ type, loc }: { type: string; loc: string[] }) => [type, loc[1]])).toEqual([
      ['value_error', 'uploaded_file'],
      ['missing', 'field_key'],
      ['missing', 'type_definition_key']
    ])
  })

  test('a body that is no multipart is a 400', async () => {
    const headers = { 'Content-Type': 'multipart/form-data' }
    const { status, body } = await mock.call('PUT', '/api/manage/admin/credential/private-key/1', {
      body: 'x',
      headers
    })
    expect([status, body]).toEqual([400, { detail: 'Missing boundary in multipart.' }])
  })
})

describe('sources.values', () => {
  test('with named-seven, credentials of other sources are in no list and count as missing', async () => {
    put(sevenSources, 1, 'admin', { admin_public: true, source: 'slack' })
    put(sevenSources, 2, 'admin', { admin_public: true })
    expect(idsOf((await sevenSources.call('GET', '/api/manage/admin/credential')).body)).toEqual([2])
    expect((await sevenSources.call('GET', '/api/manage/credential/1')).body.success).toBe(false)
    expect((await sevenSources.call('GET', '/api/manage/admin/similar-credentials/slack')).status).toBe(422)
    const body = { credential_json: {}, admin_public: true, source: 'slack' }
    expect((await sevenSources.call('POST', '/api/manage/credential', { body })).status).toBe(422)
  })

  test('with any, a new identifier is a source, also one that JavaScript knows', async () => {
    for (const source of ['dreamdrive_2', '__proto__', 'constructor']) {
      const body = { credential_json: {}, admin_public: true, source }
      const { body: created } = await anySource.call('POST', '/api/manage/credential', { body })
      expect(idsOf((await anySource.call('GET', `/api/manage/admin/similar-credentials/${source}`)).body)).toEqual([
        created.id
      ])
    }
  })
})
