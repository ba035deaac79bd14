import type { Call, JournalDetail, JournalMessage } from '../../../engine/contract/types.gen.js'
import { jsonIn } from '../json/values.js'

export interface Outgoing {
  method: string
  url: string
  /** The key of the user. Null: no token is added. */
  user: string | null
  /** By name in lower case, without the token of the user and the sandbox. */
  headers: Record<string, string>
  body?: { text: string } | { form: FormPart[] }
}

/** A field of a form: a text, or a file, of which the page may have the name only. */
export interface FormPart {
  name: string
  text?: string
  file?: File | string
}

/** Headers that a client sets for each request. */
const clientHeaders =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|accept-language|user-agent|origin|referer|keep-alive|te|upgrade|expect|cookie|x-mock-sandbox|sec-.*|proxy-.*|x-mock-control-token)$/

/** The request of an exchange again. The journal hides the token, but it is the user's key; without a user it stays hidden. */
export function outgoingOf({ method, url, user, request }: JournalDetail): Outgoing {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) if (!clientHeaders.test(name)) headers[name] = value
  if (user !== null) delete headers.authorization
  else if (headers.authorization === '***') headers.authorization = 'Bearer hidden'
  const outgoing: Outgoing = { method, url, user, headers }
  if (request.body === undefined) return outgoing
  const { body } = request
  if (!isUpload(request)) return { ...outgoing, body: { text: typeof body === 'string' ? body : JSON.stringify(body) } }
  // The sender chooses the boundary of a form.
  delete headers['content-type']
  return { ...outgoing, body: { form: partsOf(body) } }
}

export function headersOf({ headers, user }: Outgoing, sandbox: string): Record<string, string> {
  return {
    ...headers,
    ...(user !== null && { authorization: `Bearer ${user}` }),
    ...(sandbox !== 'default' && { 'x-mock-sandbox': sandbox })
  }
}

/** The call of the control API that sends a request. It has no forms. */
export function callOf({ method, url, headers, user, body }: Outgoing): Call {
  const hasText = body !== undefined && 'text' in body && !['GET', 'HEAD'].includes(method)
  return { method, url, headers, user, ...(hasText && { text: body.text }) }
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

function partsOf(body: unknown): FormPart[] {
  return Object.entries(body ?? {}).flatMap(([name, value]) =>
    [value].flat().map((item: { name?: string } | string): FormPart => {
      const isFile = typeof item === 'object' && item !== null && item.name !== undefined
      return isFile ? { name, file: String(item.name) } : { name, text: String(item) }
    })
  )
}

/** A value as JavaScript, which is JSON without quotes around names. `indent` is the number of steps for nested lines. */
export function literal(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, undefined, 2) ?? 'undefined'
  return text.replace(/^( *)"([A-Za-z_]\w*)":/gm, '$1$2:').replaceAll('\n', `\n${'  '.repeat(indent)}`)
}

export function bodyExpression(body: NonNullable<Outgoing['body']>, indent: number): string {
  if ('form' in body) return 'form'
  const value = jsonIn(body.text)
  return typeof value === 'string' ? literal(body.text) : `JSON.stringify(${literal(value, indent)})`
}
