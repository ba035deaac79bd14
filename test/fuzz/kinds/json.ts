import { isObject, type Json, type JsonObject } from '../../../src/engine/contract/load.js'
import type { Random } from '../../property/random.js'
import type { Generator } from '../case.js'
import { contract } from '../contract.js'
import { chunked, type Headers, message } from '../message.js'
import { inherited, value } from '../values.js'

const targets = [...contract.operations.values(), ...contract.control.values()].filter(
  ({ input, form, id }) => input.body && !form && id !== 'verifyServer'
)

/** A JSON body as text or bytes: broken, deep, wide, not UTF-8, of another media type, compressed. */
export const sendJson: Generator = (random, sandbox) => {
  const operation = random.pick(targets)
  const { path = {}, body } = random.pick(Object.values(operation.examples))
  const target = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(path[name])))
  const bytes = bytesOf(random, body ?? {})
  const headers: Headers = [['Content-Type', random.chance(0.9) ? 'application/json' : random.pick(types)]]
  if (random.chance(0.03))
    headers.push(['Content-Encoding', random.pick(['gzip', 'br', 'deflate', 'x', 'identity, gzip'])])
  const inChunks = random.chance(0.2)
  if (inChunks) headers.push(['Transfer-Encoding', 'chunked'])
  const sent = message(operation.method, target, sandbox, { headers, body: inChunks ? chunked(random, bytes) : bytes })
  return { isWrong: !isJson(bytes), isControl: operation.control, method: operation.method, bytes: sent }
}

const types = [
  'application/json; charset=utf-16',
  'application/problem+json',
  'text/plain',
  'application/jsonp',
  'application/json, text/plain',
  'multipart/form-data; boundary=X',
  '\u0001',
  'application/x-www-form-urlencoded'
]

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return true
  } catch {
    // No bytes may mean a missing body.
    return bytes.length === 0
  }
}

function bytesOf(random: Random, body: Json): Buffer {
  const text = JSON.stringify(body)
  const shapes: [weight: number, make: () => string | Buffer][] = [
    [20, () => text.slice(0, random.int(0, text.length))],
    [20, () => spliced(random, text)],
    [15, () => flipped(random, Buffer.from(text))],
    [10, () => text.replace(/"(?=[^"]*$)/, () => random.pick(['"\\ud800', '\\u0000"', '\\x', '\u0001"', '\\u00']))],
    [10, () => withText(random, body)],
    [5, () => JSON.stringify(value(random))],
    [
      5,
      () =>
        random.pick([
          'NaN',
          '-Infinity',
          '01',
          '1.',
          '.5',
          '+1',
          "'a'",
          '{a:1}',
          '[1,]',
          '{"a":1,}',
          '//',
          '\ufeff{}',
          'nul',
          '"',
          '\\'
        ])
    ],
    [4, () => deep(random, 10 ** random.int(1, 5))],
    [4, () => wide(random, 10 ** random.int(1, 4))],
    [0.05, () => wide(random, 10 ** 5)],
    [0.02, () => huge(random)],
    [3, () => ` ${' \n\t\r'.repeat(random.int(0, 1000))}${text}`],
    [2, () => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])],
    [2, () => Array.from({ length: 200 }, () => text).join(random.pick(['', ',', '\n']))]
  ]
  let left = random.next() * shapes.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, make] of shapes) {
    left -= weight
    if (left < 0) return Buffer.from(make() as string)
  }
  return Buffer.from(text)
}

function spliced(random: Random, text: string): string {
  const at = random.int(0, text.length)
  const wedge = random.pick([
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    'null',
    '1e999',
    '\u0000',
    '"a":',
    '{}',
    '\u2028'
  ])
  return text.slice(0, at) + wedge + text.slice(at + random.int(0, 2))
}

function flipped(random: Random, bytes: Buffer): Buffer {
  for (let count = random.int(1, 4); count > 0 && bytes.length > 0; count--) {
    bytes[random.int(0, bytes.length - 1)] = random.int(0, 255)
  }
  return bytes
}

/** The example with a member that all objects have, and a repeated name. */
function withText(random: Random, body: Json): string {
  const name = random.pick(inherited)
  const inner = random.pick(['{"isAdmin":true}', '1', 'null', '[]', '{"__proto__":{"a":1}}'])
  const members = isObject(body) ? JSON.stringify(body).slice(1, -1) : ''
  const first = Object.keys(isObject(body) ? body : ({} as JsonObject))[0] ?? 'a'
  return `{"${name}":${inner},${members}${members && ','}"${first}":${inner}}`
}

function deep(random: Random, levels: number): string {
  const [open, close, core] = random.pick([
    ['[', ']', '1'],
    ['{"a":', '}', '1'],
    ['[{"a":', '}]', 'null']
  ] as const)
  return open.repeat(levels) + core + close.repeat(random.chance(0.7) ? levels : random.int(0, levels))
}

function wide(random: Random, count: number): string {
  const members = Array.from({ length: count }, (_, at) => (random.chance(0.001) ? '"__proto__":1' : `"k${at}":${at}`))
  return random.chance(0.5)
    ? `{${members.join()}}`
    : `{"emails":[${members.map((_, at) => `"a${at}@example.com"`).join()}]}`
}

/** About as much as a body may be, or more. */
function huge(random: Random): string {
  const size = random.pick([9, 10, 11]) * 1024 * 1024
  return random.pick([
    () => `{"description":"${'x'.repeat(size - 100)}"}`,
    () => ' '.repeat(size),
    () => '['.repeat(size)
  ])()
}
