import { invalidAt, startTestMock, type TestMock, testNow } from '../mock.js'
import { clear, idOf, putCredential } from './associations.js'

const mock = await startTestMock({ fixtures: 'empty' })
const observed = await startTestMock({ fixtures: 'empty', profile: 'observed' })

beforeEach(() => clear(mock, observed))

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

test('replacing a private key (E12) merges the values and the file, and makes the caller the owner', async () => {
  putCredential(mock, 5, 'basic', {
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
    user_id: idOf(mock, 'admin'),
    time_created: '2026-01-01T00:00:00.000Z',
    time_updated: testNow
  })
  expect((await mock.call('GET', '/api/manage/credential/5', { as: 'basic' })).body.success).toBe(false)
})

test('replacing a private key (E12) keeps the name if none is given, and shows none if there is none', async () => {
  putCredential(mock, 1, 'admin')
  putCredential(mock, 2, 'admin', { name: null })
  expect((await replace(mock, 1, formOf({ name: null }))).body.name).toBe('credential 1')
  expect((await replace(mock, 2, formOf({ name: '' }))).body).not.toHaveProperty('name')
  expect(mock.sandbox.rows.credentials.get(2)?.name).toBeNull()
})

test.each(['__proto__', 'constructor'])(
  'replacing a private key (E12) stores a file under the key %s and changes no prototype',
  async (field_key) => {
    putCredential(mock, 1, 'admin')
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
  'replacing a private key (E12) refuses %s, which is not a JSON object, and changes nothing',
  async (credential_json) => {
    const row = putCredential(mock, 1, 'admin')
    const { status, headers, body } = await replace(mock, 1, formOf({ credential_json }))
    expect([status, body.detail]).toEqual([422, [expect.objectContaining({ loc: ['body', 'credential_json'] })]])
    expect(body.detail[0].msg).toMatch(/^Value error, Invalid JSON in credential_json: ./)
    expect(headers.get('x-mock-assumed')).toContain('credential.private-key')
    expect(mock.sandbox.rows.credentials.get(1)).toBe(row)
    putCredential(observed, 1, 'admin')
    const running = await replace(observed, 1, formOf({ credential_json }))
    expect([running.status, running.body.detail]).toEqual([
      400,
      expect.stringMatching(/^Invalid JSON in credential_json: ./)
    ])
  }
)

test('replacing a private key (E12) limits the members of credential_json and the length of their names like those of a body', async () => {
  const row = putCredential(mock, 1, 'admin')
  const wide = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [i, i])))
  for (const [credential_json, problem] of [
    [wide(20_001), 'has more than 20000 values'],
    [`{"${'n'.repeat(1001)}":1}`, 'has a field whose name is longer than 1000 characters']
  ] as const) {
    const { status, body } = await replace(mock, 1, formOf({ credential_json }))
    expect([status, body]).toEqual([413, { detail: `credential_json ${problem}.` }])
    expect(mock.sandbox.rows.credentials.get(1)).toBe(row)
  }
  expect((await replace(mock, 1, formOf({ credential_json: wide(20_000) }))).status).toBe(200)
})

test('replacing a private key (E12) refuses values that nest too deep for an answer, but brackets in texts do not count', async () => {
  putCredential(mock, 1, 'admin')
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  expect((await replace(mock, 1, formOf({ credential_json: nested(500) }))).status).toBe(200)
  const texts = JSON.stringify({ text: `\\"${'['.repeat(501)}`, more: '{'.repeat(501) })
  expect((await replace(mock, 1, formOf({ credential_json: texts }))).status).toBe(200)
  for (const levels of [501, 100_000]) {
    const { status, body } = await replace(mock, 1, formOf({ credential_json: nested(levels) }))
    const text = 'Invalid JSON in credential_json: it is nested too deeply'
    expect([status, body]).toEqual([422, invalidAt(['body', 'credential_json'], text)])
  }
})

test('replacing a private key (E12) accepts any file of any kind', async () => {
  putCredential(mock, 1, 'admin')
  const form = formOf({ type_definition_key: 'anything', uploaded_file: new Blob(['']) }, 'notes.txt')
  expect((await replace(mock, 1, form)).status).toBe(200)
  expect(mock.sandbox.rows.credentials.get(1)?.credential_json.private_key).toBe('')
})

test('replacing a private key (E12) accepts only a .pfx file that is PKCS#12 with credential.private-key=pkcs12', async () => {
  const row = putCredential(observed, 1, 'admin')
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

test('replacing a private key (E12) is a 404 for a credential that the caller may not see, and refuses one that the caller may not edit', async () => {
  putCredential(mock, 3, 'basic')
  putCredential(mock, 6, 'basic', { curator_public: true })
  const row = mock.sandbox.rows.credentials.get(6)
  for (const [as, id] of [
    ['admin', 3],
    ['admin', 99]
  ] as const) {
    const { status, body } = await replace(mock, id, formOf(), as)
    expect([status, body]).toEqual([404, { detail: `Credential ${id} does not exist or does not belong to user` }])
  }
  const { status, body } = await replace(mock, 6, formOf(), 'curator')
  expect([status, body]).toEqual([403, { detail: 'You may read credential 6, but not change it.' }])
  expect(mock.sandbox.rows.credentials.get(6)).toBe(row)
  expect((await replace(observed, 99, formOf())).status).toBe(401)
})

test('replacing a private key (E12) names every missing part, and every part that is not a file', async () => {
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

test('replacing a private key (E12) refuses a body that is not multipart with a 422, and a 400 under the profile observed', async () => {
  const headers = { 'Content-Type': 'multipart/form-data' }
  const sent = async (to: TestMock) => {
    const path = '/api/manage/admin/credential/private-key/1'
    const { status, body } = await to.call('PUT', path, { body: 'x', headers: { ...headers } })
    return [status, body]
  }
  const text = 'Missing boundary in multipart.'
  expect(await sent(mock)).toEqual([422, invalidAt(['body'], text)])
  expect(await sent(observed)).toEqual([400, { detail: text }])
})
