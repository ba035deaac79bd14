import type { JournalDetail, JournalMessage } from '../../../engine/contract/types.gen.js'

/** Users of every fixture set. */
export const usualUsers = ['admin', 'curator', 'basic']

/** A request as a page sends it or writes it down. */
export interface Outgoing {
  method: string
  /** Path and query. */
  url: string
  /** The key of the user. Null: no token is added. */
  user: string | null
  /** By name in lower case, without the token of the user and the sandbox. */
  headers: Record<string, string>
  body?: { text: string } | { form: FormPart[] }
}

/** A field of a form: a text, a file to send, or the name of a file that the page does not have. */
export type FormPart = { name: string } & ({ text: string } | { file: File } | { fileName: string })

/** Headers that a client sets for each request. */
const ownHeaders =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|accept-language|user-agent|origin|referer|keep-alive|te|upgrade|expect|cookie|x-mock-sandbox|sec-.*|proxy-.*|x-mock-control-token)$/

/** The request of an exchange again. The journal hides the token, but it is the user's key; without a user it stays hidden. */
export function outgoingOf({ method, url, user, request }: JournalDetail): Outgoing {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) if (!ownHeaders.test(name)) headers[name] = value
  if (user !== null) delete headers.authorization
  else if (headers.authorization === '***') headers.authorization = 'Bearer hidden'
  const outgoing: Outgoing = { method, url, user, headers }
  if (request.body === undefined) return outgoing
  if (!isUpload(request)) return { ...outgoing, body: { text: textOf(request.body) } }
  // The sender chooses the boundary of a form.
  delete headers['content-type']
  return { ...outgoing, body: { form: partsOf(request.body) } }
}

/** All headers that are sent. */
export function headersOf({ headers, user }: Outgoing, sandbox: string): Record<string, string> {
  return {
    ...headers,
    ...(user !== null && { authorization: `Bearer ${user}` }),
    ...(sandbox !== 'default' && { 'x-mock-sandbox': sandbox })
  }
}

/** Whether a request is a form with files. The journal keeps only their names. */
export function isUpload({ headers }: JournalMessage): boolean {
  return /^multipart\//i.test(headers['content-type'] ?? '')
}

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

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** The fields of a form in the journal: texts, and files by name and type. */
function partsOf(body: unknown): FormPart[] {
  return Object.entries(body ?? {}).flatMap(([name, value]) =>
    [value].flat().map((item: { name?: string } | string): FormPart => {
      const isFile = typeof item === 'object' && item !== null && item.name !== undefined
      return isFile ? { name, fileName: String(item.name) } : { name, text: String(item) }
    })
  )
}
