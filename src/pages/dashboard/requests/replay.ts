import type { JournalDetail } from '../../../contract/types.gen.js'
import { base, Gone } from '../client.js'
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

/** Sends a request again; returns the status and the id of the new exchange. */
export async function replay(exchange: JournalDetail, sandbox: string): Promise<{ status: number; id?: string }> {
  const { method, url } = exchange
  const body = ['GET', 'HEAD'].includes(method) ? undefined : bodyText(exchange)
  const sent: RequestInit = { method, headers: headersOf(exchange, sandbox), redirect: 'manual', cache: 'no-store' }
  if (body !== undefined) sent.body = body
  const response = await fetch(base + url, sent).catch(() => {
    throw new Gone()
  })
  const id = response.headers.get('x-mock-request-id')
  return { status: response.status, ...(id !== null && { id }) }
}
