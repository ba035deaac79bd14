import type { SentCall } from '../calls/client.js'
import type { Redaction } from '../calls/redact.js'

/** The longest text of a body in an archive. */
const mostText = 64 * 1024

/** An HTTP Archive 1.2 of a run, without its secrets. */
export function harOf(calls: readonly SentCall[], redaction: Redaction, version: string): object {
  for (const { reply } of calls) for (const it of tokensIn(reply?.body)) redaction.hide(it)
  const pairs = (headers: object) =>
    Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((it) => ({
        name,
        value: /^(authorization|cookie|set-cookie)$/i.test(name) ? '***' : redaction.archived(String(it))
      }))
    )
  const text = (it: string) => redaction.archived(it.slice(0, 2 * mostText)).slice(0, mostText)
  const entryOf = ({ call, url, headers, reply, start, took }: SentCall) => {
    const { searchParams } = new URL(url)
    const type = call.headers['Content-Type']
    const mimeType = String(reply?.headers['content-type'] ?? '')
    return {
      startedDateTime: new Date(start).toISOString(),
      time: took,
      comment: call.operation.id,
      request: {
        method: call.method,
        url: redaction.archived(url),
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: pairs(headers),
        queryString: [...searchParams].map(([name, value]) => ({ name, value: redaction.archived(value) })),
        ...(call.body && { postData: { mimeType: type ?? '', text: text(call.body.toString('utf8')) } }),
        headersSize: -1,
        bodySize: call.body?.length ?? 0
      },
      response: {
        status: reply?.status ?? 0,
        statusText: reply ? '' : 'no answer',
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: pairs(reply?.headers ?? {}),
        content: { size: reply?.text.length ?? 0, mimeType, text: reply ? text(redaction.whole(reply)) : '' },
        redirectURL: redaction.archived(String(reply?.headers.location ?? '')),
        headersSize: -1,
        bodySize: -1
      },
      cache: {},
      timings: { send: 0, wait: took, receive: 0 }
    }
  }
  return {
    log: { version: '1.2', creator: { name: 'knowledge-chat-mock verify', version }, entries: calls.map(entryOf) }
  }
}

const token = /^(access|refresh|api|auth|bearer|session|id)?[_-]?(token|jwt)$/i

/** The tokens that a sign-in answers with. */
function tokensIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, it]) =>
    typeof it === 'string' && token.test(name) ? [it] : tokensIn(it)
  )
}
