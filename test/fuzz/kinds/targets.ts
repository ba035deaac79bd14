import type { Random } from '../../property/random.js'
import type { Generator } from '../case.js'
import { contract } from '../contract.js'
import { type Headers, json, message } from '../message.js'
import { text, wellFormed } from '../values.js'

const paths = [...contract.operations.values(), ...contract.control.values()]
  .filter((it) => !it.stream)
  .map(({ path }) => path)

/** The target, the host and the user of a request: path, query, method, host, origin, token, sandbox. */
export const aim: Generator = (random, sandbox) => {
  const headers: Headers = []
  const isWrong = random.chance(0.5)
  let target = targetOf(random)
  let method = random.pick(['GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])
  if (isWrong) {
    const what = random.pick(['host', 'token', 'path', 'sandbox', 'method'])
    if (what === 'host')
      headers.push([
        'Host',
        random.pick(['evil.example', 'localhost.evil.example', 'a@127.0.0.1', '', 'x'.repeat(3000)])
      ])
    if (what === 'token') {
      // The control API needs no token, so only the platform refuses a wrong one.
      target = `/api/${plain(target)}`
      headers.push([
        'Authorization',
        random.pick(['', 'Bearer', 'Basic YWRtaW46', 'Bearer nobody', 'Bearer admin x', `Bearer ${'x'.repeat(5000)}`])
      ])
    }
    if (what === 'path') target = `/${plain(text(random))}/${plain(target)}`
    if (what === 'sandbox')
      headers.push(['X-Mock-Sandbox', random.pick(['', 'a b', '../x', 'x'.repeat(65), '__proto__ '])])
    if (what === 'method') method = random.pick(['PROPFIND', 'TRACE', 'LOCK', 'PURGE', 'SEARCH'])
  }
  if (random.chance(0.2))
    headers.push([
      'Origin',
      random.pick(['null', 'http://localhost:3000', 'https://evil.example', '', 'http://localhost.evil'])
    ])
  if (random.chance(0.2))
    headers.push(['Prefer', random.pick(['code=', 'code=99', 'example=x', 'a;b=";', ',,,', 'code=200, code=422', '='])])
  if (random.chance(0.1))
    headers.push(['Last-Event-ID', plain(text(random))], ['If-None-Match', '*'], ['Range', 'bytes=0-'])
  if (random.chance(0.1))
    headers.push(['Access-Control-Request-Method', 'PATCH'], ['Access-Control-Request-Headers', 'a,b'])
  const body = random.chance(0.2) ? '{}' : undefined
  const bytes = message(method, target, sandbox, {
    headers: body ? [...json, ...headers] : headers,
    body,
    as: random.pick(['admin', 'basic'])
  })
  return { isWrong, method, bytes }
}

function targetOf(random: Random): string {
  const path = random.pick(paths).replace(/\{\w+\}/g, () => piece(random))
  const search = Array.from({ length: random.pick([0, 0, 1, 3, 200]) }, () => `${piece(random)}=${piece(random)}`)
  const asked = search.length > 0 ? `${path}?${search.join('&')}` : path
  return random.pick([
    asked,
    asked,
    asked,
    `http://localhost${asked}`,
    `${path}/`,
    `/${path}`,
    path.toUpperCase(),
    '*',
    '/',
    `${path}/../x`,
    `${path};a=b`,
    `${path}?${'a&'.repeat(3000)}`
  ])
}

function piece(random: Random): string {
  return random.pick([
    () => encodeURIComponent(wellFormed(text(random))).slice(0, 2000),
    () => plain(text(random)),
    () => '%',
    () => '%ff%fe',
    () => '%00',
    () => '..',
    () => '1',
    () => '__proto__'
  ])()
}

/** Only what a request line may contain. */
function plain(given: string): string {
  return given.replace(/[^\x21-\x7e]/g, '_').slice(0, 2000)
}
