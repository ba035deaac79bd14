import type { Random } from '../../property/random.js'
import type { Connection, Generator } from '../case.js'
import { hidden, json, message } from '../message.js'

const start = 'POST /api/user/projects/1/instructions HTTP/1.1\r\n'
const body = '{"instructions": "smuggled"}'

/**
 * Messages whose end two readers may see in different places, with a request hidden where one of them would look for
 * it; and bytes that are not a message at all. No hidden request may be executed after a refusal.
 */
export const breakFraming: Generator = (random, sandbox): Connection => {
  const make = random.pick(shapes)
  const own = `Host: localhost\r\nAuthorization: Bearer admin\r\nX-Mock-Sandbox: ${sandbox}\r\nContent-Type: application/json\r\n`
  const text = make({ random, own, secret: hidden(random, sandbox).toString('latin1') })
  const bytes = Buffer.from(text, 'latin1')
  const cut = random.int(1, bytes.length)
  const steps = random.chance(0.3) ? [bytes.subarray(0, cut), random.int(0, 3), bytes.subarray(cut)] : [bytes]
  const first = random.chance(0.3) ? [message('GET', '/api/get-user-role', sandbox, { headers: json })] : []
  return { isWrong: true, steps: [...first, ...steps], finally: random.pick(['end', 'end', 'reset']) }
}

interface Place {
  random: Random
  /** The headers that every request has. */
  own: string
  secret: string
}

const withHeader = (header: (place: Place) => string, content?: (place: Place) => string) => (place: Place) =>
  `${start}${place.own}${header(place)}\r\n\r\n${content ? content(place) : place.secret}`
const length = (text: string) => `Content-Length: ${text.length}`
const chunkedFrom = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`

const shapes: ((place: Place) => string)[] = [
  withHeader(
    ({ secret }) => `${length(secret)}\r\nTransfer-Encoding: chunked`,
    ({ secret }) => `0\r\n\r\n${secret}`
  ),
  withHeader(() => 'Content-Length: 5\r\nContent-Length: 6'),
  withHeader(() => 'Content-Length: 5, 5'),
  withHeader(() => 'Content-Length: +5'),
  withHeader(() => 'Content-Length: 0x5'),
  withHeader(() => 'Content-Length: -1'),
  withHeader(() => 'Content-Length: 5 5'),
  withHeader(() => 'Content-Length: 99999999999999999999999'),
  withHeader(() => 'Content-Length :5'),
  withHeader(() => 'Content-Length: 5\x0b'),
  ...[
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding : chunked',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: identity',
    'Transfer-Encoding: \x0bchunked',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip',
    'Transfer-Encoding: "chunked"',
    ' Transfer-Encoding: chunked',
    'Transfer_Encoding: chunked\r\nTransfer-Encoding: x',
    'Transfer-Encoding:\r\n x'
  ].map((header) =>
    withHeader(
      () => header,
      ({ secret }) => `0\r\n\r\n${secret}`
    )
  ),
  ...['zz', '-1', '0x5', 'fffffffffffffffff', '5\n', ' 5', '5 ; a', '', '5;\x00', '1\r'].map((size) =>
    withHeader(
      () => 'Transfer-Encoding: chunked',
      ({ secret }) => `${size}\r\n${secret}\r\n0\r\n\r\n`
    )
  ),
  withHeader(
    () => 'Transfer-Encoding: chunked',
    ({ secret }) => `5\r\n${body}\r\n0\r\n\r\n${secret}`
  ),
  withHeader(
    () => 'Transfer-Encoding: chunked',
    ({ secret }) => `1;${'a'.repeat(20_000)}\r\nx\r\n0\r\n\r\n${secret}`
  ),
  withHeader(
    () => 'Transfer-Encoding: chunked',
    ({ secret }) => `0\r\nX: ${'a'.repeat(40_000)}\r\n\r\n${secret}`
  ),
  withHeader(
    () => `Host: evil.example\r\n${length(body)}`,
    ({ secret }) => body + secret
  ),
  withHeader(
    () => `X-A: a\x00b\r\n${length(body)}`,
    ({ secret }) => body + secret
  ),
  withHeader(
    () => `X-A: a\rb\r\n${length(body)}`,
    ({ secret }) => body + secret
  ),
  withHeader(
    () => `no colon\r\n${length(body)}`,
    ({ secret }) => body + secret
  ),
  withHeader(
    () => `X A: b\r\n${length(body)}`,
    ({ secret }) => body + secret
  ),
  withHeader(
    () => `: empty\r\n${length(body)}`,
    ({ secret }) => body + secret
  ),
  ({ own, secret }) => `${start}${length(body)}\r\n${own.replace('localhost', 'evil.example')}\r\n${body}${secret}`,
  ({ own, secret }) => `POST /api/unknown HTTP/1.1\r\n${own}${length(secret)}\r\n\r\n${secret}`,
  ({ own, secret }) =>
    `GET /api/persona/4711 HTTP/1.1\r\n${own}Transfer-Encoding: chunked\r\n\r\n${chunkedFrom(secret)}`,
  ({ own, secret }) => `${start}${own}${length(secret)}\r\nContent-Encoding: gzip\r\n\r\n${secret}`,
  ({ own, secret }) => `POST  /api/x HTTP/1.1\r\n${own}${length(secret)}\r\n\r\n${secret}`,
  ({ own, secret }) => `POST /api/x HTTP/9.9\r\n${own}\r\n${secret}`,
  ({ own, secret }) => `POST /api/x HTTP/0.9\r\n${own}\r\n${secret}`,
  ({ own, secret }) => `POST /api/x HTTPS/1.1\r\n${own}\r\n${secret}`,
  ({ own, secret }) => `BREW /api/x HTTP/1.1\r\n${own}\r\n${secret}`,
  ({ own, secret }) => `\u00ff\u00fe / HTTP/1.1\r\n${own}\r\n${secret}`,
  ({ own, secret }) => `CONNECT localhost:80 HTTP/1.1\r\n${own}\r\n${secret}`,
  ({ secret }) => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${secret}`,
  ({ secret }) => `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${secret}`,
  ({ random, secret }) =>
    `${Array.from({ length: random.int(1, 200) }, () => String.fromCharCode(random.int(0, 255))).join('')}\r\n\r\n${secret}`
]
