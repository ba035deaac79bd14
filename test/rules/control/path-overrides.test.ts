import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMock } from '../../../src/doors/program/mock.js'
import type { NewOverride } from '../../../src/engine/contract/types.gen.js'
import { startTestMock } from '../../mock.js'
import { override, overridesOf } from './overriding.js'

const mock = await startTestMock()
beforeEach(() => mock.reset())

const lastEntry = async () => (await mock.call('GET', '/__mock/requests?limit=1')).body.requests[0]

test('an override of a path answers paths that the mock does not know, without a token, and the journal shows it', async () => {
  const { id } = await override(mock, { method: 'GET', path: '/api/me', body: { name: 'Me' } })
  const { status, body, headers } = await mock.call('GET', '/api/me?x=1', { as: null })
  expect([status, body, headers.get('x-mock-violations')]).toEqual([200, { name: 'Me' }, null])
  expect(await lastEntry()).toMatchObject({ operation: null, override: id, status: 200 })
  expect((await mock.call('GET', '/__mock/requests?unmatched=true')).body.total).toBe(0)
  expect((await mock.call('POST', '/api/me')).status).toBe(404)
  expect((await mock.call('GET', '/api/me/')).status).toBe(404)
})

test.each<[Partial<NewOverride>, string, string, boolean]>([
  [{}, 'DELETE', '/api/notes/7', true],
  [{ method: 'GET' }, 'HEAD', '/api/notes/7', true],
  [{ method: 'POST' }, 'GET', '/api/notes/7', false],
  [{}, 'GET', '/api/notes/', false],
  [{}, 'GET', '/api/notes/7/8', false],
  [{ match: { path: { id: 7 } } }, 'GET', '/api/notes/7', true],
  [{ match: { path: { id: 'a b' } } }, 'GET', '/api/notes/a%20b', true],
  [{ match: { path: { id: 7 } } }, 'GET', '/api/notes/8', false],
  [{ match: { query: { page: 2 } } }, 'GET', '/api/notes/7?page=2', true],
  [{ match: { query: { page: 2 } } }, 'GET', '/api/notes/7', false]
])('an override of a path: %j and %s %s: %s', async (more, method, path, isMeant) => {
  await override(mock, { path: '/api/notes/{id}', status: 418, ...more })
  expect((await mock.call(method, path)).status).toBe(isMeant ? 418 : 404)
})

test('an override of a path may match a JSON body, and other requests are answered as usual', async () => {
  await override(mock, { path: '/api/notes', match: { body: { kind: 'a' } }, body: 'A' })
  const statusFor = async (body: unknown) => (await mock.call('POST', '/api/notes', { body })).status
  expect([await statusFor({ kind: 'a', more: 1 }), await statusFor({ kind: 'b' })]).toEqual([200, 404])
  const text = { 'Content-Type': 'text/plain' }
  expect((await mock.call('POST', '/api/notes', { body: '{"kind":"a"}', headers: text })).status).toBe(404)
  expect(await statusFor('{')).toBe(404)
})

test('an override of a path answers a method that a documented path does not have, and a path without its last slash', async () => {
  expect((await mock.call('PUT', '/api/persona/1')).status).toBe(405)
  await override(mock, { method: 'PUT', path: '/api/persona/{id}', status: 204 })
  expect((await mock.call('PUT', '/api/persona/1')).status).toBe(204)
  expect((await mock.call('POST', '/api/persona/1')).status).toBe(405)
  expect((await mock.call('GET', '/api/user/projects')).status).toBe(307)
  await override(mock, { path: '/api/user/projects', body: [] })
  expect((await mock.call('GET', '/api/user/projects')).body).toEqual([])
})

test('an override of a path may replace an operation, whose contract then applies, and a page', async () => {
  await override(mock, { method: 'GET', path: '/api/get-user-role', body: { role: 7 } })
  const { headers } = await mock.call('GET', '/api/get-user-role')
  expect(headers.get('x-mock-violations')).toBe('1')
  expect(await lastEntry()).toMatchObject({ operation: 'getUserRole' })
  await override(mock, { path: '/docs', body: 'mine' })
  expect((await mock.call('GET', '/docs')).body).toBe('mine')
})

test('an override of a path leaves operations unchanged if it matches another body', async () => {
  await override(mock, { path: '/api/persona/{id}', match: { body: { name: 'x' } }, status: 418 })
  const { body } = await mock.call('GET', '/api/persona/1')
  expect(body.id).toBe(1)
  expect((await mock.call('PATCH', '/api/persona/1', { body: { name: 'y' } })).body.name).toBe('y')
  expect((await mock.call('PATCH', '/api/persona/1', { body: { name: 'x' } })).status).toBe(418)
})

test('an override of a path may delay, break or count, like any override', async () => {
  await override(mock, { path: '/api/slow', delay: { type: 'fixed', milliseconds: 1 } })
  expect((await mock.call('GET', '/api/slow')).status).toBe(404)
  expect((await lastEntry()).override).toBe('o1')
  await override(mock, { path: '/api/cut', fault: 'EMPTY_RESPONSE', times: 1 })
  await expect(mock.call('GET', '/api/cut')).rejects.toThrow()
  expect((await mock.call('GET', '/api/cut')).status).toBe(404)
})

test.each<[NewOverride, string, string]>([
  [{}, 'operation', 'Give an operation or a path.'],
  [{ method: 'GET' }, 'operation', 'Give an operation'],
  [{ operation: 'getPersona', path: '/x' }, 'path', 'The operation includes this'],
  [{ operation: 'getPersona', method: 'GET' }, 'method', 'The operation includes this'],
  [{ method: 'get' as 'GET', path: '/x' }, 'method', "Input should be 'GET'"],
  [{ path: 'x' }, 'path', 'begins with a slash'],
  [{ path: '/x?y=1' }, 'path', 'use match.query'],
  [{ path: '/a b' }, 'path', 'URL-encoded'],
  [{ path: '/__mock/state' }, 'path', 'Paths under /__mock belong to the mock.'],
  [{ path: '/__mock' }, 'path', 'Paths under /__mock belong to the mock.'],
  [{ path: '/a{b}' }, 'path', 'A parameter is a whole segment'],
  [{ path: '/{a}/{a}' }, 'path', 'a unique name'],
  [{ path: '/{__proto__}/{}' }, 'path', 'A parameter is a whole segment'],
  [{ path: '/{a}', match: { path: { b: 1 } } }, 'match.path.b', 'The path has no such parameter.'],
  [{ path: '/a', match: { query: { b: [1] as unknown as string } } }, 'match.query.b', 'A parameter is a text'],
  [{ path: '/a', example: 'missing' }, 'example', 'Only operations have examples']
])('an override of a path with %j is refused', async (wanted, field, detail) => {
  const { status, body } = await mock.call('POST', '/__mock/overrides', { body: { status: 200, ...wanted } })
  expect(status).toBe(400)
  expect(body.errors).toContainEqual(expect.objectContaining({ field, detail: expect.stringContaining(detail) }))
  expect(await overridesOf(mock)).toEqual([])
})

test('an override of a path can be added by a program too', async () => {
  const box = mock.handle('mine')
  const made = box.override({ method: 'POST', path: '/api/notes', status: 201, body: { id: 1 } })
  expect((await mock.call('POST', '/api/notes', { as: box.token('basic') })).body).toEqual({ id: 1 })
  made.remove()
  expect((await mock.call('POST', '/api/notes', { as: box.token('basic') })).status).toBe(404)
})

const put = (body: unknown) => mock.call('PUT', '/__mock/overrides', { body })

test('PUT /__mock/overrides replaces all overrides, and the first of the list is tried first', async () => {
  await override(mock, { operation: 'getPersona', status: 503 })
  const list = [
    { path: '/api/me', body: 'first' },
    { path: '/api/me', body: 'second' },
    { path: '/api/you', body: 1 }
  ]
  const { status, body } = await put(list)
  expect([status, body.overrides]).toEqual([200, list.map((it) => expect.objectContaining(it))])
  expect((await mock.call('GET', '/api/me')).body).toBe('first')
  expect((await mock.call('GET', '/api/persona/1')).status).toBe(200)
  expect((await put({ overrides: [] })).body).toEqual({ overrides: [] })
})

test('PUT /__mock/overrides changes nothing if one of them is wrong, and names it', async () => {
  await override(mock, { operation: 'getPersona', status: 503 })
  const before = await overridesOf(mock)
  for (const [body, field] of [
    [
      [
        { path: '/a', status: 200 },
        { path: 'b', status: 200 }
      ],
      '1.path'
    ],
    [{ overrides: [{ path: '/a', status: 200 }, { operation: 'nothing' }] }, 'overrides.1.operation'],
    [
      [
        { path: '/a', status: 200 },
        { path: '/b', status: 99 }
      ],
      '1.status'
    ],
    [[{ path: '/a', status: 200, more: 1 }], '0.more'],
    [[7], '0'],
    [{ overrides: [{ path: 5, status: 200 }] }, 'overrides.0.path'],
    [{ overrides: [{ path: '/a', status: 200, more: 1 }] }, 'overrides.0.more'],
    [{ overrides: 5 }, 'overrides'],
    [{ overrides: [], more: 1 }, 'more'],
    [{}, 'overrides'],
    ['text', 'body']
  ] as const) {
    const answer = await put(body)
    expect([body, answer.status, answer.body.errors?.[0].field]).toEqual([body, 400, field])
  }
  expect((await put(Array(1001).fill({ path: '/a', status: 200 }))).status).toBe(429)
  expect(await overridesOf(mock)).toEqual(before)
})

describe('--overrides', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kcm-overrides-'))
  const write = (list: unknown, name = 'overrides.json') => {
    const file = join(folder, name)
    writeFileSync(file, typeof list === 'string' ? list : JSON.stringify(list))
    return file
  }

  test('applies at the start of each sandbox, also after a reset', async () => {
    const file = write([
      { path: '/api/me', body: 'first' },
      { path: '/api/me', body: 'second' }
    ])
    const other = await startTestMock({ overrides: file })
    const me = async (as: string) => (await other.call('GET', '/api/me', { as })).body
    expect([await me('admin'), await me('admin~new')]).toEqual(['first', 'first'])
    await other.call('DELETE', '/__mock/overrides')
    expect((await other.call('GET', '/api/me')).status).toBe(404)
    await other.call('POST', '/__mock/reset', { body: {} })
    expect(await me('admin')).toBe('first')
    expect((await overridesOf(other)).map(({ start }) => start)).toEqual([true, true])
  })

  test.each([
    [
      [
        { path: '/a', status: 200 },
        { path: '/b', status: 99 }
      ],
      /wrong\.json\[1\] status: Input should be greater/
    ],
    [[{ operation: 'getPersonas', status: 200 }], /wrong\.json\[0\] operation: There is no operation "getPersonas"/],
    [[{ path: '/a', status: 200, more: 1 }], /wrong\.json\[0\] more: Unknown field/],
    [[7], /wrong\.json\[0\]: /],
    [{ overrides: [] }, /wrong\.json: give a list of overrides/],
    ['[{', /wrong\.json:1:3: Expecting property name/]
  ])('%j stops the start', (list, message) => {
    expect(() => createMock({ overrides: write(list, 'wrong.json') })).toThrow(message)
  })

  test('stops the start if the file does not exist', () => {
    expect(() => createMock({ overrides: join(folder, 'none.json') })).toThrow(
      /^overrides is .*none.json: there is no such/
    )
  })

  test('reloads its file with --watch, keeps later overrides, and changes nothing if the file is wrong', async () => {
    const file = write([{ path: '/api/me', body: 'old' }], 'watched.json')
    const lines: string[] = []
    let wake = () => {}
    const onReload = (line: string) => {
      lines.push(line)
      wake()
    }
    const other = await startTestMock({ overrides: file, watch: true, onReload })
    const me = async () => (await other.call('GET', '/api/me')).body
    await override(other, { path: '/api/you', body: 'you' })
    expect(await me()).toBe('old')
    const change = async (list: unknown) => {
      const said = new Promise<void>((resolve) => (wake = resolve))
      write(list, 'watched.json')
      await said
    }
    await change([{ path: '/api/me', body: 'new' }])
    expect([await me(), (await other.call('GET', '/api/you')).body]).toEqual(['new', 'you'])
    await change([{ path: 'me', body: 'wrong' }])
    expect(lines.at(-1)).toMatch(/kept the old overrides: .*watched\.json\[0\] path/)
    expect(await me()).toBe('new')
  })
})

test('a text of another type than JSON is sent unchanged', async () => {
  const answer = { status: 200, body: '<p>Down for a minute</p>', headers: { 'content-type': 'text/html' } }
  await mock.call('POST', '/__mock/overrides', { body: { method: 'GET', path: '/status-page', ...answer } })
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'getUserRole', ...answer } })
  for (const path of ['/status-page', '/api/get-user-role']) {
    const { text, headers } = await mock.call('GET', path)
    expect([text, headers.get('content-type'), headers.get('content-length')]).toEqual([answer.body, 'text/html', '24'])
  }
})
