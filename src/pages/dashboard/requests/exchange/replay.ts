import type { JournalDetail } from '../../../../contract/types.gen.js'
import { base, Gone } from '../../client.js'
import { bodyText, headersOf, isUpload } from './again.js'

/** Why a request cannot be sent again. Undefined if it can. */
export function whyNoReplay({ request, method }: JournalDetail): string | undefined {
  if (isUpload(request)) return 'It cannot be replayed: the journal does not keep files.'
  if (request.omitted !== undefined) return `It cannot be replayed: its body was not kept (${request.omitted}).`
  return ['CONNECT', 'TRACE'].includes(method) ? `It cannot be replayed: browsers do not send ${method}.` : undefined
}

/** Whether the journal hides a part of the body. The body is then sent without it. */
export function isHidden({ request: { body } }: JournalDetail): boolean {
  return JSON.stringify(body)?.includes('***') ?? false
}

interface Sent {
  status: number
  /** The id of the new exchange. */
  id?: string
}

/** Sends a request again, perhaps as another user. */
export function replay(exchange: JournalDetail, sandbox: string, user = exchange.user): Promise<Sent> {
  const { method, url } = exchange
  return send(method, url, headersOf({ ...exchange, user }, sandbox), bodyText(exchange))
}

/** Sends the corrected request. */
export function resendCorrected(
  exchange: JournalDetail,
  { url, body }: NonNullable<JournalDetail['corrected']>,
  sandbox: string
): Promise<Sent> {
  return send(exchange.method, url, headersOf(exchange, sandbox), body === undefined ? undefined : JSON.stringify(body))
}

async function send(
  method: string,
  url: string,
  headers: Record<string, string>,
  body: string | undefined
): Promise<Sent> {
  const sent: RequestInit = { method, headers, redirect: 'manual', cache: 'no-store' }
  if (body !== undefined && !['GET', 'HEAD'].includes(method)) sent.body = body
  const response = await fetch(base + url, sent).catch(() => {
    throw new Gone()
  })
  const id = response.headers.get('x-mock-request-id')
  return { status: response.status, ...(id !== null && { id }) }
}
