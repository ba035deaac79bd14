import type { JournalDetail, JournalMessage } from '../../../../contract/types.gen.js'

/** Headers that a client makes for each request. */
const ownHeaders =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|accept-language|user-agent|origin|referer|keep-alive|te|upgrade|expect|cookie|x-mock-sandbox|sec-.*|proxy-.*|x-mock-control-token)$/

/** The headers to send a request again. The journal hides the token, but it is the user's key. */
export function headersOf({ request, user }: JournalDetail, sandbox: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) if (!ownHeaders.test(name)) headers[name] = value
  if (user !== null) headers.authorization = `Bearer ${user}`
  if (sandbox !== 'default') headers['x-mock-sandbox'] = sandbox
  return headers
}

/** The body as it was sent, as far as the journal has it. */
export function bodyText({ request: { body } }: JournalDetail): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
}

/** Whether a request is a form with files. The journal keeps only their names. */
export function isUpload({ headers }: JournalMessage): boolean {
  return /^multipart\//i.test(headers['content-type'] ?? '')
}
