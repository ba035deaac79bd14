import { STATUS_CODES } from 'node:http'
import type { JournalMessage, Operations } from '../../contract/types.gen.js'
import type { Recorded } from '../../journal/recorded.js'
import type { Steps } from '../../store/steps.js'
import type { ControlContext } from '../rule.js'
import { readRequests } from './requests.js'

type Har = Operations['getHar']['reply']

/** The exchanges of a filter as an HTTP Archive, oldest first. The journal has no secrets, so the archive has none. */
export function* readHar(input: Operations['getHar']['input'], context: ControlContext): Steps<Har> {
  const { requests } = yield* readRequests(input, context)
  const { sandbox, server, about } = context
  const entries: Har['log']['entries'] = []
  for (const { id } of requests.reverse()) {
    const recorded = sandbox.journal.find(id)
    if (recorded) entries.push(harEntry(recorded, server))
    yield
  }
  return { log: { version: '1.2', creator: { name: 'knowledge-chat-mock', version: about.version }, entries } }
}

function harEntry({ entry, request, response }: Recorded, server: string): Record<string, unknown> {
  const { id, time, real_time, method, url, status, duration_ms, user, operation, fault } = entry
  const sent = bodyOf(request)
  const answered = bodyOf(response)
  const search = new URLSearchParams(url.split('?').slice(1).join('?'))
  return {
    startedDateTime: new Date(Date.parse(real_time) - duration_ms).toISOString(),
    time: duration_ms,
    request: {
      method,
      url: /^https?:/i.test(url) ? url : server + url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headersOf(request),
      queryString: [...search].map(([name, value]) => ({ name, value })),
      ...(sent !== undefined && { postData: { mimeType: typeOf(request), text: sent } }),
      headersSize: -1,
      bodySize: -1
    },
    response: {
      status,
      statusText: STATUS_CODES[status] ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headersOf(response),
      content: {
        size: answered === undefined ? 0 : Buffer.byteLength(answered),
        mimeType: typeOf(response),
        ...(answered !== undefined && { text: answered }),
        ...(response.omitted !== undefined && { comment: `Left out: ${response.omitted}.` })
      },
      redirectURL: headerOf(response, 'location') ?? '',
      headersSize: -1,
      bodySize: -1
    },
    cache: {},
    timings: { send: 0, wait: duration_ms, receive: 0 },
    comment: `${id}, as ${user ?? 'nobody'}${fault === undefined ? '' : `, ${fault}`}`,
    _id: id,
    _operation: operation,
    _user: user,
    _mockTime: time
  }
}

function bodyOf({ body }: JournalMessage): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
}

/** Without the length, which differs in bodies without secrets, and without compression, which is not used here. */
function headersOf({ headers }: JournalMessage): { name: string; value: string }[] {
  return Object.entries(headers)
    .filter(([name]) => !/^content-(length|encoding)$/i.test(name))
    .map(([name, value]) => ({ name, value }))
}

function typeOf(message: JournalMessage): string {
  return headerOf(message, 'content-type') ?? 'application/json'
}

function headerOf({ headers }: JournalMessage, header: string): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === header)?.[1]
}
