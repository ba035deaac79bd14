import { gzipSync } from 'node:zlib'
import { readLedger } from '../../src/engine/contract/ledger.js'
import { invalidAt, startTestMock } from '../mock.js'
import { unchanged } from './unchanged.js'

const mock = await startTestMock()
const tight = await startTestMock({ assume: { 'limits.upload': 'files:2,total:1,json:1,entries:10,unpacked:1' } })

const credentials = '/api/manage/credential'
const chats = '/api/chat/create-chat-session'
const instructions = '/api/user/projects/1/instructions'
const json = { 'Content-Type': 'application/json' }

/** Sends these bytes as the administrator. */
async function post(
  path: string,
  body: RequestInit['body'] | undefined,
  headers: Record<string, string> = {},
  to = mock
) {
  const response = await fetch(to.url + path, {
    method: 'POST',
    body,
    headers: { Authorization: 'Bearer admin', ...headers },
    duplex: 'half',
    signal: AbortSignal.timeout(300_000)
  } as RequestInit)
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: JSON.parse(text) }
}

function refused(path: string, body: RequestInit['body'] | undefined, headers: Record<string, string> = json) {
  return unchanged(mock, async () => {
    const answer = await post(path, body, headers)
    return [answer.status, answer.body]
  })
}

/** The fields of 422 items that only chat has. */
const inChat = { input: null, ctx: { error: {} } }

test.each([
  ['{"instructions":', 16, 'Expecting value'],
  ['{instructions: 1}', 1, 'Expecting property name enclosed in double quotes'],
  ['{"instructions": "a",}', 21, 'Expecting property name enclosed in double quotes'],
  ["{'instructions': 'a'}", 1, 'Expecting property name enclosed in double quotes'],
  ['{"instructions": "a"}}', 21, 'Extra data'],
  ['{"instructions": "a\n"}', 19, 'Invalid control character at'],
  ['{"instructions": NaN}', 17, 'Expecting value'],
  ['\ufeff{"instructions": "a"}', 0, 'Unexpected UTF-8 BOM (decode using utf-8-sig)'],
  ['"größe" x', 8, 'Extra data']
])('malformed JSON: %j is refused at its place', async (text, offset, error) => {
  const item = { type: 'json_invalid', loc: ['body', offset], msg: 'JSON decode error' }
  expect(await refused(instructions, text)).toEqual([422, { detail: [item] }])
  expect(await refused(chats, text)).toEqual([422, { detail: [{ ...item, input: {}, ctx: { error } }] }])
})

test('malformed JSON is reported before the token is checked', async () => {
  const answer = await unchanged(mock, () => post(chats, '{', { ...json, Authorization: 'Bearer nobody' }))
  expect([answer.status, answer.body.detail[0].type]).toEqual([422, 'json_invalid'])
})

const notAnObject = {
  type: 'model_attributes_type',
  loc: ['body'],
  msg: 'Input should be a valid dictionary or object to extract fields from'
}

test.each([
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'application/jsonp',
  'json',
  'multipart/form-data'
])('the media type: %s makes a body text, not JSON', async (type) => {
  const headers = { 'Content-Type': type }
  expect(await refused(instructions, '{"instructions": "a"}', headers)).toEqual([422, { detail: [notAnObject] }])
  expect(await refused(chats, '{}', headers)).toEqual([422, { detail: [{ ...notAnObject, input: '{}', ctx: {} }] }])
  expect(await refused(chats, '{', headers)).toEqual([422, { detail: [{ ...notAnObject, input: '{', ctx: {} }] }])
})

test.each([
  'application/json;charset=utf-8',
  'APPLICATION/JSON',
  'application/problem+json',
  'application/vnd.example.v1+json ; q=1'
])('the media type: %s is JSON', async (type) => {
  const answer = await post(instructions, JSON.stringify({ instructions: type }), { 'Content-Type': type })
  expect([answer.status, answer.body]).toEqual([200, { instructions: type }])
  expect(mock.sandbox.rows.projects.get(1)?.instructions).toBe(type)
})

test.each(['iso-8859-1', 'utf-16', 'windows-1252'])(
  'the media type with the charset %s is read as UTF-8',
  async (charset) => {
    const type = { 'Content-Type': `application/json; charset=${charset}` }
    const answer = await post(instructions, Buffer.from('{"instructions": "Überblick"}'), type)
    expect([answer.status, answer.body]).toEqual([200, { instructions: 'Überblick' }])
    const encoded = await post(instructions, Buffer.from('{"instructions": "Überblick"}', 'latin1'), type)
    expect([encoded.status, encoded.headers.get('x-mock-assumed')]).toEqual([
      422,
      expect.stringMatching(/^errors\.unreadable-body,/)
    ])
  }
)

test('the media type may be left out', async () => {
  const answer = await post(instructions, Buffer.from('{"instructions": "untyped"}'))
  expect([answer.status, answer.headers.get('x-mock-assumed')]).toEqual([200, 'requests.no-content-type'])
})

test.each([undefined, '', 'null', ' null '])('a body that is %j counts as missing', async (body) => {
  const item = { type: 'missing', loc: ['body'], msg: 'Field required' }
  expect(await refused(instructions, body)).toEqual([422, { detail: [item] }])
  expect(await refused(chats, body)).toEqual([422, { detail: [{ ...item, input: null, ctx: {} }] }])
})

test.each([[[]], [[{ instructions: 'a' }]], ['text'], [7], [true]])(
  'a body that is %j is not an object',
  async (body) => {
    const [status, { detail }] = await refused(instructions, JSON.stringify(body))
    expect([status, detail[0].type, detail[0].loc]).toEqual([422, 'model_attributes_type', ['body']])
  }
)

test.each([[[]], ['text'], [null]])('a body that is %j has no emails', async (body) => {
  const answer = await unchanged(mock, () =>
    mock.call('PUT', '/api/manage/admin/users', { body: JSON.stringify(body) })
  )
  const item = { type: 'missing', loc: ['body', 'emails'], msg: 'Field required' }
  expect([answer.status, answer.body]).toEqual([422, { detail: [item] }])
})

test.each([[[0xff]], [[0x22, 0xc3, 0x22]], [[0x22, 0xed, 0xa0, 0x80, 0x22]]])(
  'a body with the bytes %j is not UTF-8',
  async (bytes) => {
    const wrong = invalidAt(['body'], 'There was an error parsing the body', inChat)
    expect(await refused(chats, Buffer.from(bytes))).toEqual([422, wrong])
  }
)

test('a body may contain a lone surrogate, NUL and all of Unicode', async () => {
  const text = '\ud800\u0000\u2028😀'
  const answer = await post(instructions, '{"instructions": "\\ud800\\u0000\u2028😀"}', json)
  expect([answer.status, answer.body, mock.sandbox.rows.projects.get(1)?.instructions]).toEqual([
    200,
    { instructions: text },
    text
  ])
})

test('a body that is compressed is refused, and one that is marked as uncompressed is read', async () => {
  const packed = gzipSync('{"instructions": "a"}')
  expect(await refused(instructions, packed, { ...json, 'Content-Encoding': 'gzip' })).toEqual([
    415,
    { detail: 'Content-Encoding gzip is not supported: send the body uncompressed.' }
  ])
  const answer = await post(instructions, '{"instructions": "a"}', { ...json, 'Content-Encoding': 'identity' })
  expect(answer.status).toBe(200)
})

test('a body of an operation without a body is ignored', async () => {
  for (const [method, path] of [
    ['GET', '/api/get-user-role'],
    ['POST', '/api/user/projects/1/files/a87ff679-a2f3-471d-9181-a67b7542122c'],
    ['DELETE', '/api/manage/connector/9999/credential/1']
  ] as const) {
    const { status } = await mock.call(
      method === 'GET' ? 'GET' : method,
      path,
      method === 'GET' ? {} : { body: '{"a":' }
    )
    expect([path, status]).toEqual([path, path.includes('9999') ? 404 : 200])
  }
})

test('the shape of JSON is refused quickly when it nests 100,000 levels deep', async () => {
  const deep = `${'['.repeat(1e5)}${']'.repeat(1e5)}`
  const text = 'The body nests deeper than 500 levels.'
  const tooDeep = [422, invalidAt(['body'], text, inChat)]
  expect(await refused(chats, deep)).toEqual(tooDeep)
  expect(await refused(chats, '['.repeat(1e5))).toEqual(tooDeep)
  expect(await refused(chats, '{"a":'.repeat(1e5))).toEqual(tooDeep)
  const body = `{"admin_public": true, "source": "web", "credential_json": {"a": ${deep}}}`
  expect(await refused(credentials, body)).toEqual([422, invalidAt(['body'], text)])
})

test('the shape of JSON of a text of another type is not read: the journal and its archive show the text', async () => {
  const deep = `${'[{"a":'.repeat(3000)}1${'}]'.repeat(3000)}`
  const { headers } = await post(chats, deep, { 'Content-Type': 'text/plain' })
  const exchange = await mock.call('GET', `/__mock/requests/${headers.get('x-mock-request-id')}`)
  expect([exchange.status, exchange.body.request.body]).toEqual([200, deep])
  expect((await mock.call('GET', '/__mock/har')).status).toBe(200)
})

test('the shape of JSON may nest 400 levels deep, and is shown that way', async () => {
  const deep = `${'['.repeat(400)}"deep enough to be masked"${']'.repeat(400)}`
  const body = `{"admin_public": true, "source": "web", "credential_json": {"a": ${deep}}}`
  const { status, body: made } = await post(credentials, body, json)
  const shown = await mock.call('GET', `${credentials}/${made.id}`)
  expect([status, shown.status]).toEqual([200, 200])
  expect(JSON.stringify(shown.body.credential_json.a)).toBe(`${'['.repeat(400)}"deep...sked"${']'.repeat(400)}`)
})

test('the shape of JSON counts each member and item once, wherever it is', async () => {
  // With the three fields of the body they are as many as the limit allows.
  const fill = Array(19_990).fill(0)
  const send = async (own: string) =>
    (await post(credentials, `{"admin_public": true, "source": "web", "credential_json": ${own}}`, json)).status
  const room = (own: string) => `{"fill": [${fill}], ${own}}`
  const values = ['"a": [ ], "b": "{,:["', '"a": {"b": {"c": [1, 2, 3]}}', '"a": [1, 2, 3, 4, 5]']
  expect(await Promise.all(values.map((it) => send(room(it))))).toEqual([200, 200, 200])
  const tooMany = [
    '"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7',
    '"a": [1, 2, 3, 4, 5, 6]',
    '"a": [[[[[[1]]]]]]'
  ]
  expect(await Promise.all(tooMany.map((it) => send(room(it))))).toEqual([413, 413, 413])
})

test('the shape of JSON may be wide: 19,000 fields, items, and fields that the contract does not have', async () => {
  const fields = Object.fromEntries(Array.from({ length: 19_000 }, (_, at) => [`f${at}`, at]))
  const base = { admin_public: true, source: 'web' }
  const stored = await post(credentials, JSON.stringify({ ...base, credential_json: fields }), json)
  expect(Object.keys(stored.body.credential.credential_json)).toHaveLength(19_000)
  // Only the first thousand are reported.
  const unknown = await post(credentials, JSON.stringify({ ...base, credential_json: {}, ...fields }), json)
  expect([unknown.status, unknown.headers.get('x-mock-violations')]).toEqual([200, '1000'])
  const groups = Array(19_000).fill('x')
  const { status, body } = await post(credentials, JSON.stringify({ ...base, groups }), json)
  expect([status, body.detail.length]).toEqual([422, 1000])
})

test('the shape of JSON may have 20,000 values, counted where texts end, and is refused before it is read', async () => {
  const text = ',:"\\'.repeat(400)
  const detail = 'The body has more than 20000 values.'
  const bodyOf = (count: number) => JSON.stringify({ instructions: text, ids: Array(count).fill(0) })
  const good = await post(instructions, bodyOf(19_998), json)
  expect([good.status, mock.sandbox.rows.projects.get(1)?.instructions]).toEqual([200, text])
  const refusal = await unchanged(mock, () => post(instructions, bodyOf(19_999), json))
  expect([refusal.status, refusal.body]).toEqual([413, { detail }])
  const unlimited = await startTestMock({ assume: { 'limits.upload': 'none' } })
  expect((await unchanged(unlimited, () => post(instructions, bodyOf(19_999), json, unlimited))).status).toBe(413)
  const { none } = readLedger().find(({ id }) => id === 'limits.upload')?.choices ?? {}
  expect(none).toContain('20000 values')
  const usual = await unchanged(mock, () => post(instructions, '['.padEnd(150_000, '1,'), json))
  expect([usual.status, usual.body.detail]).toEqual([413, detail])
})

test('the shape of JSON uses the last of several fields with the same name', async () => {
  const answer = await post(instructions, '{"instructions": 7, "instructions": "a", "instructions": "b"}', json)
  expect([answer.status, answer.body]).toEqual([200, { instructions: 'b' }])
})

describe('names with a meaning in JavaScript', () => {
  afterEach(() => {
    expect(({} as Record<string, unknown>).admin).toBeUndefined()
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    '%s is an ordinary field',
    async (name) => {
      const values = `{"${name}": {"admin": true}, "user_id": null}`
      const body = `{"credential_json": ${values}, "admin_public": true, "source": "web", "${name}": {"admin": true}}`
      const { status, headers, body: made } = await post(credentials, body, json)
      expect([status, headers.get('x-mock-violations')]).toEqual([200, '1'])
      expect(JSON.stringify(made.credential.credential_json)).toBe(`{"${name}":{"admin":true},"user_id":null}`)
      expect(Object.keys(made.credential)).not.toContain(name)

      const before = await mock.call('GET', '/api/persona/2')
      const patched = await mock.call('PATCH', '/api/persona/2', { body: `{"${name}": {"name": "x"}}` })
      expect([patched.status, patched.body]).toEqual([200, before.body])

      const filtered = await refused(
        '/api/manage/admin/connector/indexing-status',
        `{"source_to_page": {"${name}": 1}}`
      )
      expect([filtered[0], filtered[1].detail[0].loc]).toEqual([422, ['body', 'source_to_page', name, '[key]']])
      const listed = await unchanged(mock, () => mock.call('GET', `/api/chat/search?${name}=1&page_size=1`))
      expect([listed.status, listed.headers.get('x-mock-violations')]).toEqual([200, '1'])
    }
  )

  test('are not values of an enumeration, sources, tokens or existing sandboxes', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const body = { credential_json: {}, admin_public: true, source: name }
      expect((await refused(credentials, JSON.stringify(body)))[0]).toBe(422)
      expect((await mock.call('GET', `/api/manage/admin/similar-credentials/${name}`)).status).toBe(422)
      expect((await mock.call('GET', '/api/get-user-role', { as: name })).status).toBe(401)
      expect((await mock.call('GET', '/api/get-user-role', { as: `admin~${name}` })).body).toEqual({ role: 'admin' })
    }
  })
})

describe('numbers', () => {
  const update = (text: string) => mock.call('PATCH', '/api/persona/2', { body: `{"num_chunks": ${text}}` })

  test.each(['1e400', '-1e400', '1.5', '1e-7'])('%s is not an integer', async (text) => {
    const { status, body } = await unchanged(mock, () => update(text))
    expect([status, body.detail]).toEqual([
      422,
      [{ type: 'int_type', loc: ['body', 'num_chunks'], msg: 'Input should be a valid integer' }]
    ])
    const chat = await refused(chats, `{"persona_id": ${text}}`)
    expect([chat[0], chat[1].detail[0].type]).toEqual([422, 'int_type'])
  })

  test.each([
    ['-0', 0],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', Number.MIN_SAFE_INTEGER]
  ])('%s is the integer %d', async (text, value) => {
    const { status, body } = await update(text)
    expect([status, body.num_chunks]).toEqual([200, value])
    expect((await mock.call('GET', '/api/persona/2')).body.num_chunks).toBe(value)
  })

  test.each(['9007199254740993', '1e20', '-9223372036854775809'])(
    '%s is refused, because it would be rounded',
    async (text) => {
      const { status, body } = await unchanged(mock, () => update(text))
      expect([status, body.detail]).toEqual([422, [expect.objectContaining({ loc: ['body', 'num_chunks'] })]])
    }
  )

  test.each(['9007199254740993', '-9223372036854775809', '9'.repeat(4000), '1e5', '0x1', '-0'])(
    'an id of %s gets an answer, in a path and in a body',
    async (text) => {
      const path = await unchanged(mock, () => mock.call('GET', `/api/persona/${text}`))
      expect([text, path.status]).toEqual([text, text === '-0' ? 200 : 422])
      const missing = await unchanged(mock, () => mock.call('GET', `/api/manage/credential/${text}`))
      expect([200, 422]).toContain(missing.status)
      const inBody = await post(chats, `{"project_id": ${text}}`, json)
      expect([text, inBody.status]).toEqual([text, /^(-?9\d{9,}|.*x.*)$/.test(text) ? 422 : 404])
    }
  )
})

const detail = 'The body is larger than 1048576 bytes (limits.upload: json).'
const text = (bytes: number) => JSON.stringify({ instructions: 'x'.repeat(bytes - '{"instructions":""}'.length) })
const limit = 1024 * 1024

async function* inChunks(body: string) {
  for (let at = 0; at < body.length; at += 60_000) yield Buffer.from(body.slice(at, at + 60_000))
}

test.each([
  ['with its length', (body: string) => body],
  ['in chunks', (body: string) => inChunks(body) as unknown as RequestInit['body']]
])('a body over the limit is refused %s, and one at the limit is accepted', async (_, form) => {
  for (const bytes of [limit + 1, 2 * limit, 40 * limit]) {
    const { status, headers, body } = await unchanged(tight, () => post(instructions, form(text(bytes)), json, tight))
    expect([bytes, status, body]).toEqual([bytes, 413, { detail }])
    expect([headers.get('connection'), headers.get('x-mock-assumed')]).toEqual(['close', 'limits.upload'])
  }
  expect((await post(instructions, form(text(limit)), json, tight)).status).toBe(200)
})

test('a body over the limit is refused before the token is checked, but an unknown path is still a 404', async () => {
  const headers = { ...json, Authorization: 'Bearer nobody' }
  expect((await post(instructions, text(2 * limit), headers, tight)).status).toBe(413)
  expect((await post('/api/unknown', text(8 * limit), headers, tight)).status).toBe(404)
})
