import type { JournalDetail, JournalMessage } from '../../../contract/types.gen.js'

/** Headers that a client makes anew for each request. */
const ownHeaders =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|accept-language|user-agent|origin|referer|keep-alive|te|upgrade|expect|cookie|x-mock-sandbox|sec-.*|proxy-.*|x-mock-control-token)$/

/**
 * The headers that send a request again. The token that the journal hides is not needed: a user's token is the user's
 * key.
 */
export function headersOf({ request, user }: JournalDetail, sandbox: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) if (!ownHeaders.test(name)) headers[name] = value
  if (user !== null) headers.authorization = `Bearer ${user}`
  if (sandbox !== 'default') headers['x-mock-sandbox'] = sandbox
  return headers
}

/** The body as it was sent, as far as the journal keeps it. */
export function bodyText({ request: { body } }: JournalDetail): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
}

/** Whether a request is a form with files: the journal keeps their names alone. */
export function isUpload({ headers }: JournalMessage): boolean {
  return /^multipart\//i.test(headers['content-type'] ?? '')
}
