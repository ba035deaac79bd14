import { Maker } from '../../../fixtures/maker.js'
import { tool } from '../../../fixtures/tools.js'
import type { ServerOptions } from '../../../src/doors/options/table.js'
import { createContract } from '../../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../../src/engine/contract/ledger.js'
import { readDocuments } from '../../../src/engine/contract/load.js'
import type { Operation } from '../../../src/engine/contract/model.js'
import { ended, ready, start } from '../../cli.js'
import { type CallOptions, startTestMock, type TestMock, testNow } from '../../mock.js'
import { putCredential } from '../associations.js'
import { Stream } from './stream.js'

/** Texts that must not appear. A mask keeps the first four characters, so only the others reveal a secret. */
const planted = (place: string) => `xyzzy-${place}-0123456789`
const trace = /xyzz/

const credential = { credential_json: { api_token: planted('created') }, admin_public: true, source: 'web' }
const pfx = Buffer.from('MIIBAgIBAzCB+gYJKoZIhvcNAQcB', 'base64')

function form(own: Record<string, string | Blob | null> = {}): FormData {
  const fields = {
    name: 'Intranet',
    credential_json: JSON.stringify({ client_secret: planted('form') }),
    uploaded_file: new Blob([pfx]),
    field_key: 'private_key',
    type_definition_key: 'sharepoint_pfx_file',
    ...own
  }
  const made = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Blob) made.append(name, value, 'key.pfx')
    else if (value !== null) made.append(name, value)
  }
  return made
}

const create = '/api/manage/credential'
const replace = '/api/manage/admin/credential/private-key/1'

/** Requests with secrets in right and wrong places, and requests whose answers have some. */
const requests: [title: string, method: string, path: string, options: CallOptions][] = [
  ['a credential', 'POST', create, { body: credential }],
  [
    'a credential with secrets of every type',
    'POST',
    create,
    {
      body: { ...credential, credential_json: { a: [planted('list'), { b: planted('deep') }], c: null, d: true } }
    }
  ],
  ['a credential without a field', 'POST', create, { body: { credential_json: { key: planted('missing') } } }],
  ['a credential with a wrong value', 'POST', create, { body: { ...credential, source: 7 } }],
  [
    'secrets in a field of another name',
    'POST',
    create,
    {
      body: { ...credential, credentialJson: { key: planted('misspelt') }, api_key: planted('unknown') }
    }
  ],
  ['a text in place of the secrets', 'POST', create, { body: { ...credential, credential_json: planted('text') } }],
  ['secrets where a text should be', 'POST', create, { body: { ...credential, name: { key: planted('misplaced') } } }],
  ['a list in place of the body', 'POST', create, { body: [planted('array')] }],
  ['a text in place of the body', 'POST', create, { body: JSON.stringify(planted('scalar')) }],
  ['a body that is not JSON', 'POST', create, { body: `{"credential_json": {"key": "${planted('malformed')}"` }],
  [
    'a body of another type',
    'POST',
    create,
    {
      body: `credential_json=${planted('typed')}`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' }
    }
  ],
  [
    'the same field twice',
    'POST',
    create,
    {
      body: `{"credential_json":{"k":"${planted('first')}"},"credential_json":{},"admin_public":true,"source":"web"}`
    }
  ],
  ['a credential of nobody', 'POST', create, { body: credential, as: null }],
  ['a credential to a path that differs', 'POST', `${create}s`, { body: credential }],
  ['a credential with a wrong method', 'PUT', create, { body: credential }],
  ['a key file', 'PUT', replace, { form: form() }],
  ['a key as text', 'PUT', replace, { form: form({ uploaded_file: planted('key') }) }],
  ['a file in place of the secrets', 'PUT', replace, { form: form({ credential_json: new Blob([planted('file')]) }) }],
  ['secrets that are not JSON', 'PUT', replace, { form: form({ credential_json: planted('unparsed') }) }],
  ['secrets without a key', 'PUT', replace, { form: form({ field_key: null, secret: planted('field') }) }],
  ['a key as JSON', 'PUT', replace, { body: { credential_json: planted('json') } }],
  ['a stored credential', 'GET', '/api/manage/credential/1', {}],
  ['all credentials', 'GET', '/api/manage/admin/credential', {}],
  ['all credentials of a source', 'GET', '/api/manage/admin/similar-credentials/imap', {}],
  ['a tool with headers', 'GET', '/api/persona/1', {}],
  ['a changed agent with that tool', 'PATCH', '/api/persona/1', { body: { name: 'Scribe' } }],
  [
    'a secret in the query',
    'GET',
    `/api/chat/search?api_key=${planted('query')}&Access%5FToken=${planted('token')}`,
    {}
  ],
  ['a secret in the query of an unknown path', 'GET', `/api/nothing?client_secret=${planted('lost')}`, {}],
  ['a secret in a query that is redirected', 'GET', `/api/user/projects?token=${planted('redirected')}`, {}],
  [
    'secrets in headers',
    'GET',
    '/api/get-user-role',
    {
      headers: {
        Cookie: `session=${planted('cookie')}`,
        'X-Api-Key': planted('header'),
        'Proxy-Authorization': planted('proxy'),
        'X-Mock-Control-Token': planted('control'),
        Referer: `http://localhost/?access_token=${planted('referer')}`
      }
    }
  ],
  [
    'secrets in headers of other products',
    'GET',
    '/api/get-user-role',
    {
      headers: Object.fromEntries(
        [
          'Token',
          'ApiKey',
          'Private-Token',
          'Authentication',
          'Session',
          'X-Session-Id',
          'Cf-Access-Client-Secret',
          'Sec-WebSocket-Protocol',
          'X-Amz-Signature'
        ].map((name) => [name, planted(name)])
      )
    }
  ],
  [
    'secrets in the query of a login',
    'GET',
    `/api/chat/search?${['code', 'sig', 'pwd', 'session', 'Private_Key'].map((it) => `${it}=${planted(it)}`).join('&')}`,
    {}
  ],
  [
    'secrets in a body of an unknown path',
    'POST',
    '/api/login',
    { body: { user: 'ada', password: planted('password'), more: [{ refresh_token: planted('deep-token') }] } }
  ],
  [
    'secrets in a form where JSON is expected',
    'POST',
    '/api/chat/create-chat-session',
    {
      body: `grant_type=code&code=${planted('grant')}&client_secret=${planted('client')}`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' }
    }
  ],
  [
    'a secret that the contract does not have',
    'PATCH',
    '/api/persona/1',
    { body: { name: 'A', apiKey: planted('key') } }
  ],
  [
    'a secret next to a mistake',
    'POST',
    '/api/chat/create-chat-session',
    { body: { persona_id: 'x', token: planted('beside') } }
  ],
  ['an unknown token', 'GET', '/api/get-user-role', { as: planted('bearer') }]
]

const ways: [title: string, options: ServerOptions][] = [
  ['as described', {}],
  [
    'with all that replies may repeat',
    {
      assume: {
        'errors.input-and-ctx': 'always',
        'credential.masking': 'plain',
        'tool.custom-headers': 'free',
        'requests.unknown-fields': 'rejected'
      }
    }
  ],
  [
    'in the words of the older checks',
    { assume: { 'errors.validation-dialect': 'pydantic-1', 'errors.input-and-ctx': 'always' } }
  ],
  ['as observed', { profile: 'observed' }]
]

async function withSecrets(mock: TestMock): Promise<void> {
  await mock.reset()
  putCredential(mock, 1, 'admin', { credential_json: { api_token: planted('stored'), port: 993 } })
  const { tools, personas } = mock.sandbox.rows
  const id = (personas.get(1)?.tool_ids ?? [])[0] as number
  const headers = [{ key: 'Authorization', value: planted('tool') }]
  tools.put(tool(new Maker(1, Date.parse(testNow)), { id, name: 'tickets', custom_headers: headers }))
}

/** What the mock shows of its requests: the details of each, oldest first, and the texts that are about all of them. */
async function recorded(mock: TestMock): Promise<{ details: string[]; others: string[] }> {
  const list = await mock.call('GET', '/__mock/requests')
  const details: string[] = []
  for (const { id } of list.body.requests.toReversed())
    details.push((await mock.call('GET', `/__mock/requests/${id}`)).text)
  const others = [list.text, (await mock.call('GET', '/__mock/coverage')).text]
  const stream = await Stream.open(mock.url, {}, '?since=r0')
  for (const _ of list.body.requests) others.push(JSON.stringify(await stream.next()))
  stream.close()
  return { details, others }
}

describe.each(ways)('%s, the journal has no secret', (_, options) => {
  const log: string[] = []
  const replies: string[] = []
  let shown: Awaited<ReturnType<typeof recorded>>
  beforeAll(async () => {
    const mock = await startTestMock({ ...options, onExchange: (entry) => log.push(JSON.stringify(entry)) })
    await withSecrets(mock)
    // Bodies of unknown paths are read if an override matches a part of them.
    const override = { method: 'POST', path: '/api/login', match: { body: {} }, status: 200, body: {} }
    expect((await mock.call('POST', '/__mock/overrides', { body: override })).status).toBe(201)
    for (const [, method, path, call] of requests) replies.push((await mock.call(method, path, call)).text)
    shown = await recorded(mock)
  })

  test.each(requests.map(([title, , path], at) => [title, path, at] as const))('of %s', (_, path, at) => {
    expect(shown.details[at]).toContain(path.split('?')[0])
    expect(shown.details[at]).not.toMatch(trace)
    expect(log[at]).not.toMatch(trace)
    expect(replies[at]).not.toMatch(/xyzzy-(unparsed|bearer)/)
  })

  test('in its list, in the coverage and in the stream', () => {
    expect([shown.details.length, log.length]).toEqual([requests.length, requests.length])
    expect(shown.others.length).toBe(requests.length + 2)
    for (const text of shown.others) expect(text).not.toMatch(trace)
  })
})

test('the secrets that the journal hides are in the replies of a mock without masks', async () => {
  const mock = await startTestMock({ assume: { 'credential.masking': 'plain', 'errors.input-and-ctx': 'always' } })
  await withSecrets(mock)
  const carried = [
    mock.call('POST', create, { body: credential }),
    mock.call('POST', create, { body: { credential_json: { key: planted('missing') } } }),
    mock.call('GET', '/api/manage/credential/1'),
    mock.call('GET', '/api/persona/1')
  ]
  for (const { text } of await Promise.all(carried)) expect(text).toMatch(trace)
})

test('the names of fields remain, and so does all that is not secret', async () => {
  const mock = await startTestMock()
  const { body } = await mock.call('POST', create, { body: { ...credential, name: 'Wiki' } })
  const { request, response } = (await mock.call('GET', '/__mock/requests/r1')).body
  expect(request.body).toEqual({
    credential_json: { api_token: '***' },
    admin_public: true,
    source: 'web',
    name: 'Wiki'
  })
  expect(response.body).toEqual({ ...body, credential: { ...body.credential, credential_json: { api_token: '***' } } })
  await mock.call('PUT', replace, { form: form() })
  expect((await mock.call('GET', '/__mock/requests/r2')).body.request.body).toEqual({
    name: 'Intranet',
    credential_json: '***',
    uploaded_file: { name: 'key.pfx', type: 'application/octet-stream', size: 21 },
    field_key: 'private_key',
    type_definition_key: 'sharepoint_pfx_file'
  })
  await mock.call('GET', '/api/chat/search?query=release&api_key=k&page=0')
  expect((await mock.call('GET', '/__mock/requests/r3')).body.url).toBe(
    '/api/chat/search?query=release&api_key=***&page=0'
  )
})

test('a wrong value that is not secret is shown, together with a secret one', async () => {
  const mock = await startTestMock()
  await mock.call('POST', create, { body: { credential_json: planted('text'), admin_public: true, source: 'wub' } })
  const { checks } = (await mock.call('GET', '/__mock/requests/r1')).body
  expect(checks[0].problems.map((it: { loc: string[]; input: unknown }) => [it.loc.join('.'), it.input])).toEqual([
    ['body.credential_json', '***'],
    ['body.source', 'wub']
  ])
})

test('a reply without secrets is stored unchanged', async () => {
  const mock = await startTestMock()
  const { text } = await mock.call('GET', '/api/persona/2')
  expect(JSON.stringify(mock.sandbox.journal.find('r1')?.response.body)).toBe(text)
})

test('messages of credentials and tools have secrets, other messages do not', () => {
  const contract = createContract(readDocuments(), defaultChoices(readLedger()))
  const redactionOf = (id: string) => contract.redactionOf(contract.operations.get(id) as Operation)
  for (const id of ['getCredential', 'listCredentials', 'listSimilarCredentials', 'getPersona', 'updatePersona']) {
    expect([id, redactionOf(id)?.takesSecrets]).toEqual([id, false])
  }
  for (const id of ['createCredential', 'replacePrivateKey']) {
    expect([id, redactionOf(id)?.takesSecrets]).toEqual([id, true])
  }
  for (const id of ['getUserRole', 'searchChats', 'createChatSession', 'linkCredential']) {
    expect([id, redactionOf(id)]).toEqual([id, undefined])
  }
})

test('the log of serve has no secret', async () => {
  const child = start(['serve', '--port', '0', '--log', 'json'])
  const end = ended(child)
  const url = await ready(child)
  const headers = { Authorization: `Bearer ${planted('bearer')}`, 'Content-Type': 'application/json' }
  await fetch(`${url}${create}?api_key=${planted('query')}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(credential)
  })
  child.kill('SIGTERM')
  const { stderr } = await end
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const expected = { operation: 'createCredential', status: 401, url: `${create}?api_key=***` }
  expect(lines).toContainEqual(expect.objectContaining(expected))
  expect(stderr).not.toMatch(trace)
})

/** The journal, the HAR and the capsule of a new mock after one call. */
async function shownOf(
  name: string,
  options: CallOptions,
  path = '/api/user/projects/1/instructions'
): Promise<string> {
  const mock = await startTestMock()
  const headers = { 'X-Mock-Sandbox': name }
  await mock.call('POST', path, { ...options, headers: { ...options.headers, ...headers } })
  const parts = ['requests/r1', 'har', 'capsule'].map((part) => mock.call('GET', `/__mock/${part}`, { headers }))
  const texts = (await Promise.all(parts)).map(({ status, text }) => `${status} ${text}`)
  expect(texts.map((text) => text.slice(0, 3))).toEqual(['200', '200', '200'])
  return texts.join()
}

test.each([
  [
    'ocp-apim-subscription-key',
    'x-functions-key',
    'x-auth-key',
    'x-csrf',
    'x-amzn-oidc-data',
    'x-honeycomb-team',
    'session'
  ],
  [
    'smtp_pass',
    'otp',
    'pin',
    'bearer',
    'connection_string',
    'DATABASE_URL',
    'encryption_key',
    'client_assertion',
    'auth'
  ],
  [
    'SAMLResponse',
    'code_verifier',
    'connect.sid',
    'remember_me',
    'hmac',
    'recovery_code',
    'pem',
    'pat',
    'sig',
    'cookie'
  ]
])('%s and others are hidden in headers, queries, forms and JSON', async (...names) => {
  for (const name of names) {
    const value = planted('listed')
    const form = new FormData()
    form.append(name, value)
    form.append('files', new Blob(['x']), 'a.txt')
    const upload = '/api/manage/admin/connector/file/upload'
    const query = `/api/user/projects/1/instructions?${new URLSearchParams({ [name]: value })}`
    const texts = await Promise.all([
      shownOf('json', { body: { [name]: value, instructions: 'x' } }),
      shownOf('deep', { body: { a: [{ [name]: { b: [value] } }] } }),
      shownOf('broken', { body: `{"a": {"${name}": "${value}",}`, headers: { 'Content-Type': 'application/json' } }),
      shownOf('plain', { body: `${name}: ${value}`, headers: { 'Content-Type': 'text/plain' } }),
      shownOf('query', {}, query),
      shownOf('form', { form }, upload),
      ...(/^[\w.-]+$/.test(name) ? [shownOf('header', { headers: { [name]: value } })] : [])
    ])
    for (const text of texts) expect(text).not.toContain(value)
  }
})
