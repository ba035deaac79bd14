import { isObject, type Json } from '../../contract/load.js'
import { decode } from '../../contract/match.js'
import { blanked } from '../../contract/message/redaction.js'
import type { InputError } from '../../contract/model.js'

/** Names of secrets in headers, cookies, queries, forms and JSON. `session_id` is an id that people need. */
const secretName =
  /token|secret|passw|passphrase|pwd|(api|access|private)[-_]?key|credential|authori[sz]ation|authentication|signature|jwt|x[-_]session[-_]id|^(j|php)?sess(ion)?id$|sec-websocket-protocol/i
/** More of them outside JSON, where these names mean something else. */
const shortName = /^(code|sig|sid|auth|session|x-session|cookie|set-cookie)$/i

const isSecret = (name: string) => secretName.test(name) || shortName.test(name)

/** The headers of a request or an answer without secrets. Their names are in lower case. */
export function redactHeaders(headers: Record<string, string>): Record<string, string> {
  const kept = { ...headers }
  for (const name in kept) if (isSecretHeader(name)) kept[name] = blanked
  if (kept.referer !== undefined) kept.referer = redactUrl(kept.referer)
  return kept
}

/** The value of one header, as it may be kept; of cookies, those without a secret name. */
export function redactHeader(name: string, value: string): string {
  if (name === 'cookie') return value.split('; ').map(redactParameter).join('; ')
  return isSecretHeader(name) ? blanked : value
}

function isSecretHeader(name: string): boolean {
  // `Access-Control-Allow-Credentials` is no secret.
  return isSecret(name) && !name.startsWith('access-control-')
}

/** A body without the texts whose names say that they are secrets. `type`: its media type. */
export function redactBody(body: unknown, type = ''): unknown {
  if (typeof body !== 'string') return withoutNamed(body)
  return type.startsWith('application/x-www-form-urlencoded') ? redactParameters(body) : body
}

/** A problem without the value that was sent, where its name says that it is a secret. */
export function redactProblem(problem: InputError): InputError {
  const { loc, input } = problem
  if (loc.some((step) => secretName.test(String(step)))) return { ...problem, input: blanked }
  // A form in the place of JSON is one text.
  return { ...problem, input: typeof input === 'string' ? redactParameters(input) : (withoutNamed(input) as Json) }
}

function withoutNamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNamed)
  if (!isObject(value)) return value
  if (Array.isArray(value.loc) && 'input' in value) return redactProblem(value as unknown as InputError)
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    typeof field === 'string' && field !== '' && secretName.test(name) ? blanked : withoutNamed(field)
  ])
  return Object.fromEntries(fields)
}

/** A request's target, or a reference to one, without secrets in its query and without user info. */
export function redactUrl(url: string): string {
  const mark = url.indexOf('?')
  const start = mark < 0 ? url : url.slice(0, mark)
  const origin = start.startsWith('/') ? start : start.replace(/^(\w+:\/\/)[^/@]*@/, `$1${blanked}@`)
  if (mark < 0) return origin
  const query = url.slice(mark + 1)
  return `${origin}?${redactParameters(query)}`
}

function redactParameters(text: string): string {
  return text.split('&').map(redactParameter).join('&')
}

function redactParameter(parameter: string): string {
  const mark = parameter.indexOf('=')
  if (mark < 0 || !isSecret(decode(parameter.slice(0, mark)))) return parameter
  return parameter.slice(0, mark + 1) + blanked
}
