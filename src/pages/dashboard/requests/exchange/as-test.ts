import type { JournalDetail } from '../../../../contract/types.gen.js'
import { headersOf, outgoingOf } from '../../outgoing/outgoing.js'

/** Longer bodies are left out. */
const longest = 20_000

/** Values that differ between runs, or that the journal hides. */
const moment = /"\d{4}-\d\d-\d\dT[\d:.]+Z"/g
const secret = /"\*\*\*"/g

/** A Jest test that sends this request to a new mock and expects the same answer. */
export function asTest(exchange: JournalDetail): string {
  const { method, url, status, request, response } = exchange
  const options = [`method: ${literal(method)}`, `headers: ${literal(headersOf(outgoingOf(exchange), 'default'), 2)}`]
  if (request.body !== undefined) options.push(`body: ${bodyLiteral(request.body)}`)
  const expected = literal(response.body, 1).replace(moment, 'expect.any(String)').replace(secret, 'expect.anything()')
  const isExpected = response.body !== undefined && typeof response.body !== 'string' && expected.length <= longest
  return [
    "import { startMock } from 'knowledge-chat-mock'",
    '',
    'let mock',
    'beforeAll(async () => {',
    '  mock = await startMock({ port: 0 })',
    '})',
    'afterAll(() => mock.close())',
    '',
    `test(${literal(`${method} ${url} answers ${status}`)}, async () => {`,
    `  const response = await fetch(mock.url + ${literal(url)}, {`,
    `    ${options.join(',\n    ')}`,
    '  })',
    `  expect(response.status).toBe(${status})`,
    ...(isExpected ? [`  expect(await response.json()).toEqual(${expected})`] : []),
    '})',
    ''
  ].join('\n')
}

function bodyLiteral(body: unknown): string {
  return typeof body === 'string' ? literal(body) : `JSON.stringify(${literal(body, 2)})`
}

/** Valid JSON is valid JavaScript. `indent` is the number of steps for nested lines. */
function literal(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, undefined, indent === 0 ? undefined : 2) ?? 'undefined'
  return text.replaceAll('\n', `\n${'  '.repeat(indent)}`)
}
