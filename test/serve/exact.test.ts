import { type CallOptions, startTestMock } from '../mock.js'
import { zipOf } from '../zip.js'

const text = { type: 'string' }
const measure = { type: 'object', properties: { id: { type: 'integer' }, mass: { type: 'number' }, more: {} } }
const own = {
  openapi: '3.1.0',
  info: { title: 'Measures', version: '1' },
  paths: {
    '/measures': {
      post: {
        parameters: [{ name: 'least', in: 'query', schema: { type: 'number' } }],
        requestBody: { content: { 'application/json': { schema: measure } } },
        responses: { 200: { description: 'ok', content: { 'application/json': { schema: text } } } }
      }
    }
  }
}
const mock = await startTestMock({ with: [own] })
const assume = async (choices: object) => {
  expect((await mock.call('PATCH', '/__mock/assumptions', { body: choices })).status).toBe(200)
}
afterEach(() => mock.call('POST', '/__mock/reset', { body: {} }))

const create = '/api/chat/create-chat-session'
const credential = (json: string): CallOptions => ({
  body: `{"credential_json": ${json}, "admin_public": true, "source": "web"}`
})
const places = (detail: { loc: unknown[] }[]) => detail.map(({ loc }) => loc.join('.'))

test.each([
  ['9007199254740992', 'body.credential_json'],
  ['-9007199254740992', 'body.credential_json'],
  ['1e25', 'body.credential_json'],
  ['1e400', 'body.credential_json'],
  ['12345678901234567890.5', 'body.credential_json'],
  ['{"a": [1, [{"b": 9007199254740993}]]}', 'body.credential_json.a.1.0.b'],
  ['{"__proto__": {"b:\\"": 9007199254740993}}', 'body.credential_json.__proto__.b:"']
])('an integer beyond 2^53 - 1 is refused in a free-form field with its place: %s', async (json, place) => {
  const object = json.startsWith('{') ? json : `{"it": ${json}}`
  const before = mock.sandbox.rows.credentials.size
  const { status, body, headers } = await mock.call('POST', '/api/manage/credential', credential(object))
  expect([status, places(body.detail)]).toEqual([422, [json.startsWith('{') ? place : `${place}.it`]])
  expect(headers.get('x-mock-assumed')).toContain('requests.integers')
  expect(mock.sandbox.rows.credentials.size).toBe(before)
})

test('an integer beyond 2^53 - 1 is refused with the bound in the words of pydantic', async () => {
  const { body } = await mock.call('POST', create, { body: '{"persona_id": -90071992547409931}' })
  const msg = 'Input should be greater than or equal to -9007199254740991'
  const loc = ['body', 'persona_id']
  const ctx = { ge: -9007199254740991 }
  expect(body.detail).toEqual([{ type: 'greater_than_equal', loc, msg, input: '-90071992547409931', ctx }])
})

test('an integer beyond 2^53 - 1 is refused in paths and queries', async () => {
  const agent = await mock.call('GET', '/api/persona/9007199254740993')
  expect([agent.status, places(agent.body.detail)]).toEqual([422, ['path.persona_id']])
  const list = await mock.call('GET', '/api/chat/get-user-chat-sessions?project_id=9007199254740993')
  expect([list.status, places(list.body.detail)]).toEqual([422, ['query.project_id']])
})

test('an integer beyond 2^53 - 1 is refused in the JSON of a form field and in the metadata of a zip', async () => {
  const key = new FormData()
  for (const name of ['field_key', 'type_definition_key']) key.append(name, 'key')
  key.append('credential_json', '{"a": {"id": 9007199254740993}}')
  key.append('uploaded_file', new Blob(['a key']), 'key.pem')
  const replaced = await mock.call('PUT', '/api/manage/admin/credential/private-key/1', { form: key })
  expect([replaced.status, places(replaced.body.detail)]).toEqual([422, ['body.credential_json.a.id']])
  const files = new FormData()
  const zip = zipOf([{ path: '.wiki_metadata.json', data: '{"page": 9007199254740993}' }])
  files.append('files', new Blob([new Uint8Array(zip)]), 'wiki.zip')
  const uploaded = await mock.call('POST', '/api/manage/admin/connector/file/upload', { form: files })
  expect([uploaded.status, places(uploaded.body.detail)]).toEqual([422, ['body.files.0.page']])
})

test('an integer beyond 2^53 - 1 is refused when the control API receives rows and answers', async () => {
  const label = await mock.call('PUT', '/__mock/state/labels/1', { body: '{"id": 9007199254740993, "name": "x"}' })
  expect([label.status, label.body.errors[0].field]).toEqual([400, 'id'])
  const body = '{"operation": "getUserRole", "body": {"n": [1, 9007199254740993]}}'
  const override = await mock.call('POST', '/__mock/overrides', { body })
  expect([override.status, override.body.errors[0].field]).toEqual([400, 'body.n.1'])
})

test('an integer beyond 2^53 - 1 is rounded under the choice rounded, with a violation, and the state can be put back', async () => {
  await assume({ 'requests.integers': 'rounded' })
  const { status, headers, body } = await mock.call(
    'POST',
    '/api/manage/credential',
    credential('{"a": 9007199254740993}')
  )
  expect([status, headers.get('x-mock-violations')]).toEqual([200, '1'])
  expect(mock.sandbox.rows.credentials.get(body.id)?.credential_json).toEqual({ a: 9007199254740992 })
  const state = await mock.call('GET', '/__mock/state')
  expect((await mock.call('PUT', '/__mock/state', { body: state.text })).status).toBe(200)
})

test('an integer beyond 2^53 - 1 is refused in a user’s document as well, but a number that is not an integer may be large', async () => {
  const sent = async (body: string, query = '') => (await mock.call('POST', `/measures${query}`, { body })).status
  expect(await sent('{"mass": 1.989e30}', '?least=1e300')).toBe(200)
  expect(await sent('{"mass": 1.989e30, "id": 9007199254740993}')).toBe(422)
  expect(await sent('{"more": [9007199254740993]}')).toBe(422)
})

test.each(['9007199254740991', '-9007199254740991', '0.1234567890123456789', '"9007199254740993"', '1e-400'])(
  'an integer beyond 2^53 - 1 differs from %s, which is accepted',
  async (json) => {
    expect((await mock.call('POST', '/api/manage/credential', credential(`{"it": ${json}}`))).status).toBe(200)
  }
)

test('an integer beyond 2^53 - 1 is the only refused number: others become the nearest double', async () => {
  const sent = credential('{"small": 1e-400, "whole": 1.0, "long": 0.1000000000000000055}')
  const { body } = await mock.call('POST', '/api/manage/credential', sent)
  const kept = { small: 0, whole: 1, long: 0.1 }
  expect(mock.sandbox.rows.credentials.get(body.id)?.credential_json).toEqual(kept)
})

describe('another spelling of a UUID', () => {
  const id = '2d1f3c58-4b0e-4f6a-9d8e-6f0a0e9b7c11'
  const spellings = [id.toUpperCase(), id.replaceAll('-', ''), `{${id}}`, `urn:uuid:${id}`]

  test.each(spellings)('%s becomes the canonical one, and the answer names the assumption', async (spelling) => {
    const sent = { body: { incognito_session_id: spelling } }
    const { status, headers } = await mock.call('POST', create, sent)
    expect([status, headers.get('x-mock-assumed')]).toEqual([200, expect.stringContaining('requests.uuid-spelling')])
    const plain = await mock.call('POST', create, { body: { incognito_session_id: id } })
    expect(plain.headers.get('x-mock-assumed')).not.toContain('requests.uuid-spelling')
  })

  test.each(spellings)('%s is refused with its place under canonical, in bodies and paths', async (spelling) => {
    await assume({ 'requests.uuid-spelling': 'canonical' })
    const sent = await mock.call('POST', create, { body: { incognito_session_id: spelling } })
    expect([sent.status, places(sent.body.detail)]).toEqual([422, ['body.incognito_session_id']])
    const path = `/api/user/projects/file/${encodeURIComponent(spelling)}`
    const read = await mock.call('GET', path)
    expect([read.status, places(read.body.detail)]).toEqual([422, ['path.file_id']])
    expect((await mock.call('POST', create, { body: { incognito_session_id: id } })).status).toBe(200)
  })
})

test('a hundred of many deep numbers are reported, so that the answer stays short', async () => {
  const json = `${'{"a":'.repeat(400)}[${Array(5000).fill('9007199254740993').join()}]${'}'.repeat(400)}`
  const { status, body } = await mock.call('POST', '/api/manage/credential', credential(json))
  expect([status, body.detail.length]).toEqual([422, 100])
})

test('1.0 is an integer, unless requests.whole-numbers is refused: then only where the contract has an integer', async () => {
  const body = '{"persona_id": 1.0, "description": "1.0"}'
  const { status, headers } = await mock.call('POST', create, { body })
  expect([status, headers.get('x-mock-assumed')]).toEqual([200, expect.stringContaining('requests.whole-numbers')])
  await assume({ 'requests.whole-numbers': 'refused' })
  const refused = await mock.call('POST', create, { body: '{"persona_id": 1e0}' })
  expect([refused.status, refused.body.detail[0].type, places(refused.body.detail)]).toEqual([
    422,
    'int_type',
    ['body.persona_id']
  ])
  const lists = await mock.call('PATCH', '/api/persona/1', { body: '{"tool_ids": [1, 2.0, 3.5]}' })
  expect(places(lists.body.detail).sort()).toEqual(['body.tool_ids.1', 'body.tool_ids.2'])
  const free = await mock.call('POST', '/api/manage/credential', credential('{"a": 1.0}'))
  expect([free.status, free.headers.get('x-mock-assumed')]).toEqual([200, expect.not.stringContaining('whole-numbers')])
})

test('the last value of a repeated name counts, unless requests.repeated-names is refused', async () => {
  const body = '{"description": "a:b", "persona_id": 999, "persona_id": 1}'
  const { status, headers } = await mock.call('POST', create, { body })
  expect([status, headers.get('x-mock-assumed')]).toEqual([200, expect.stringContaining('requests.repeated-names')])
  await assume({ 'requests.repeated-names': 'refused' })
  const refused = await mock.call('POST', create, { body })
  expect([refused.status, places(refused.body.detail)]).toEqual([422, ['body.persona_id']])
  const nested = await mock.call('POST', '/api/manage/credential', credential('{"a": [{"b": 1, "\\u0062": 2}]}'))
  expect([nested.status, places(nested.body.detail)]).toEqual([422, ['body.credential_json.a.0.b']])
  const once = await mock.call('POST', create, { body: { description: '{"a": 1, "a": 2}' } })
  expect([once.status, once.headers.get('x-mock-assumed')]).toEqual([
    200,
    expect.not.stringContaining('repeated-names')
  ])
})

test('a time without an offset is UTC, unless requests.times-without-offset is refused', async () => {
  const search = (search_start_date: string) => mock.call('PATCH', '/api/persona/1', { body: { search_start_date } })
  const stored = async () => (await mock.call('GET', '/api/persona/1')).body.search_start_date
  const read = await search('2026-01-01T09:00')
  expect(await stored()).toBe('2026-01-01T09:00:00.000Z')
  expect(read.headers.get('x-mock-assumed')).toContain('requests.times-without-offset')
  await assume({ 'requests.times-without-offset': 'refused' })
  const refused = await search('2026-01-01T09:00')
  expect([refused.status, refused.body.detail[0].type]).toEqual([422, 'timezone_aware'])
  const list = await mock.call('GET', '/api/chat/get-user-chat-sessions?before=2026-01-01')
  expect([list.status, places(list.body.detail)]).toEqual([422, ['query.before']])
  for (const time of ['2026-01-01T09:00Z', '2026-01-01T09:00:00+02:00', '2026-01-01t09:00:00.5-0930']) {
    expect((await search(time)).status).toBe(200)
  }
})

test('a body that an operation does not read is ignored, unless requests.unread-bodies is refused', async () => {
  const role = (options: CallOptions = {}) => mock.call('DELETE', '/api/manage/connector/1/credential/1', options)
  const plain = await role()
  expect(plain.headers.get('x-mock-assumed')).not.toContain('requests.unread-bodies')
  const { status, headers } = await role({ body: 'no JSON' })
  expect([status, headers.get('x-mock-assumed')]).toEqual([200, expect.stringContaining('requests.unread-bodies')])
  await assume({ 'requests.unread-bodies': 'refused' })
  const refused = await role({ body: {} })
  expect([refused.status, places(refused.body.detail)]).toEqual([422, ['body']])
  expect((await role()).status).toBe(200)
})

test('the name of a file loses its folders, unless upload.folders is kept', async () => {
  const upload = async () => {
    const form = new FormData()
    form.append('files', new Blob(['text']), '../reports/june.txt')
    return mock.call('POST', '/api/manage/admin/connector/file/upload', { form })
  }
  const { body, headers } = await upload()
  expect([body.file_names, headers.get('x-mock-assumed')]).toEqual([['june.txt'], expect.stringContaining('folders')])
  await assume({ 'upload.folders': 'kept' })
  expect((await upload()).body.file_names).toEqual(['../reports/june.txt'])
})

test('a text of nine million characters is read, together with a colon, an escape or a large number', async () => {
  const long = 'a'.repeat(9_000_000)
  for (const instructions of [`a: ${long}`, `${long}\\"`]) {
    const { status } = await mock.call('POST', '/api/user/projects/1/instructions', { body: { instructions } })
    expect(status).toBe(200)
  }
  const body = `{"instructions": "${long}", "other": 12345678901234567890, "x": "\\\\"}`
  const refused = await mock.call('POST', '/api/user/projects/1/instructions', { body })
  expect([refused.status, places(refused.body.detail)]).toEqual([422, ['body.other']])
})
