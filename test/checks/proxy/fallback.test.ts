import { createMock } from '../../../src/doors/program/mock.js'
import { ask, message } from '../../doors/listener/wire.js'
import { startTestMock } from '../../mock.js'
import { override } from '../../rules/control/overriding.js'
import { json, startService } from './service.js'

const service = await startService((response, { method, url }) => {
  const headers = {
    'Content-Type': 'application/json',
    'Access-Control-Allow-Origin': 'https://other.example',
    'X-Own': 'yes'
  }
  response.writeHead(url.endsWith('/teapot') ? 418 : 200, headers).end(JSON.stringify({ method, url }))
})
const mock = await startTestMock({ fallback: `${service.url}/base` })
beforeEach(async () => {
  await mock.reset()
  service.got.length = 0
})

const lastEntry = async () => (await mock.call('GET', '/__mock/requests?limit=1')).body.requests[0]

test('an unknown path goes to the service, below its base path, and its answer returns unchanged', async () => {
  const { status, body, headers } = await mock.call('POST', '/api/notes/7?x=a%20b', { body: { text: 'Hi' } })
  expect([status, body]).toEqual([200, { method: 'POST', url: '/base/api/notes/7?x=a%20b' }])
  expect(headers.get('x-own')).toBe('yes')
  expect(headers.get('x-mock-request-id')).not.toBeNull()
  expect(service.got[0]?.body.toString()).toBe('{"text":"Hi"}')
  expect((await mock.call('GET', '/api/teapot', { as: null })).status).toBe(418)
})

test('the journal marks it as forwarded, and as unknown to the interface', async () => {
  await mock.call('GET', '/api/notes')
  const entry = await lastEntry()
  expect(entry).toMatchObject({ operation: null, forwarded: true, status: 200 })
  expect(entry.suggestions.map((it: { do: string }) => it.do)).toEqual(['override', 'operation'])
  const { requests } = (await mock.call('GET', '/__mock/requests?unmatched=true')).body
  expect(requests.map(({ id }: { id: string }) => id)).toEqual([entry.id])
})

test.each([
  ['GET', '/api/persona/1', 200],
  ['PUT', '/api/persona/1', 405],
  ['GET', '/api/user/projects', 307],
  ['GET', '/docs', 200],
  ['GET', '/', 302],
  ['GET', '/__mock/nothing', 404]
])('%s %s is not forwarded', async (method, path, status) => {
  expect((await mock.call(method, path)).status).toBe(status)
  expect(service.got).toEqual([])
})

test('a matching override of the path answers first, and another passes the request on unchanged', async () => {
  await override(mock, { path: '/api/me', body: 'mine' })
  await override(mock, { path: '/api/notes', match: { body: { kind: 'a' } }, body: 'A' })
  expect((await mock.call('GET', '/api/me')).body).toBe('mine')
  expect(service.got).toEqual([])
  const body = '{ "kind":  "ü" }'
  expect((await mock.call('POST', '/api/notes', { body })).body.url).toBe('/base/api/notes')
  expect(service.got[0]?.body.toString()).toBe(body)
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array([0, 255, 1])]), 'a.bin')
  await mock.call('POST', '/api/notes', { form })
  expect(service.got[1]?.body.includes(Buffer.from([0, 255, 1]))).toBe(true)
})

test('the mock decides which origins may read the answer', async () => {
  const Origin = 'http://localhost:5173'
  const headers = { Origin, 'Access-Control-Request-Method': 'GET' }
  expect((await mock.call('OPTIONS', '/api/notes', { as: null, headers: { ...headers } })).status).toBe(204)
  expect(service.got).toEqual([])
  const answer = await mock.call('GET', '/api/notes', { headers: { Origin } })
  expect(answer.headers.get('access-control-allow-origin')).toBe(Origin)
})

test('hop-by-hop headers are not forwarded, and no dots lead above the base path', async () => {
  const headers = { Connection: 'close, X-Hop', 'X-Hop': '1', 'X-Mock-Sandbox': 'mine', 'X-End': '2' }
  await ask(mock.url, message('GET /api/../../../secret', headers))
  const [got] = service.got
  expect(got?.url).toBe('/base/secret')
  const names = got?.headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
  expect(names).toEqual(expect.arrayContaining(['x-end', 'via']))
  expect(names).not.toEqual(expect.arrayContaining(['x-hop']))
  expect(names).not.toEqual(expect.arrayContaining(['x-mock-sandbox']))
})

test('a wrong host is refused before anything is forwarded', async () => {
  const reply = await ask(mock.url, message('GET /api/notes', { Host: 'evil.example' }))
  expect([reply.status, service.got]).toEqual([403, []])
})

test('an unreachable service is a 502 with the reason, and the mock still answers', async () => {
  const gone = await startTestMock({ fallback: 'http://127.0.0.1:1' })
  const { status, body } = await gone.call('GET', '/api/notes')
  expect([status, body.detail]).toEqual([502, 'http://127.0.0.1:1 gave no answer: nothing listens there.'])
  expect((await gone.call('GET', '/api/persona/1')).status).toBe(200)
})

test('a service that calls the mock back ends the circle', async () => {
  let url = ''
  let calls = 0
  const back = await startService(async (response, got) => {
    calls += 1
    const headers: [string, string][] = []
    for (let at = 0; at < got.headers.length; at += 2)
      headers.push([got.headers[at] as string, got.headers[at + 1] as string])
    const answer = await fetch(url + got.url, { headers: headers.filter(([name]) => /^via$/i.test(name)) })
    json(await answer.json(), answer.status)(response, got, undefined as never)
  })
  const round = await startTestMock({ fallback: back.url })
  url = round.url
  const { status, body } = await round.call('GET', '/api/notes')
  expect([status, body]).toEqual([508, { detail: 'The service of --fallback sent the request back to this mock.' }])
  expect(calls).toBe(1)
})

test.each(['nothing', 'ftp://a', 'http://a?b=c', 'http://a#b', '', 'http://user:pa55@a', 'http://user@a'])(
  '--fallback %j is refused, without its secrets',
  (fallback) => {
    const good = 'give the address of a service, without a query and without a user or password'
    expect(() => createMock({ fallback })).toThrow(new RegExp(`^fallback cannot be used: ${good}, such as http://127`))
  }
)

test('the cookies of the mock are not forwarded, and those of the service are', async () => {
  const cookieTo = async (cookie: string, on = mock) => {
    await on.call('GET', '/api/notes', { as: null, headers: { Cookie: cookie } })
    const { headers } = service.got.at(-1) as { headers: string[] }
    const at = headers.findIndex((it) => it.toLowerCase() === 'cookie')
    return at < 0 ? undefined : headers[at + 1]
  }
  expect(await cookieTo('theme=dark; kcm-token=basic~box; kcm-visitor=v.x; id=7')).toBe('theme=dark; id=7')
  expect(await cookieTo('kcm-token=admin')).toBeUndefined()
  const shared = await startTestMock({ fallback: service.url, tokenCookie: 'session' })
  expect(await cookieTo('session=basic%7Ebox; a=b', shared)).toBe('a=b')
  expect(await cookieTo('session=~box; a=b', shared)).toBe('a=b')
  expect(await cookieTo('session=3f9a; a=b', shared)).toBe('session=3f9a; a=b')
})
