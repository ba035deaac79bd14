import { tokensOf } from '../contract/json.js'
import { isObject, type Json } from '../contract/load.js'
import { decode } from '../contract/match.js'
import { blanked } from '../contract/message/redaction.js'
import type { InputError } from '../contract/model.js'

/** Names of secrets in headers, cookies, queries, forms and JSON. `session_id` is an id that people need. */
const secretNames = [
  /token|secret|passw|passphrase|pwd|credential|authori[sz]ation|authentication|signature|jwt|bearer|assertion|csrf|xsrf/i,
  /(api|access|private|auth|account|encryption|signing|subscription|functions|master|shared)[-_]?key/i,
  /saml(request|response)|code[-_]?verifier|recovery[-_]?code|remember[-_]?me|connection[-_]?string|database[-_]?url/i,
  /x[-_]session[-_]id|^(j|php|connect\.)?s(ess(ion)?)?id$|sec-websocket-protocol|oidc-data|honeycomb-team|smtp[-_]pass/i,
  /^(sig|auth|x-auth|session|x-session|cookie|set-cookie|pass|otp|pin|pem|pat|hmac)$/i
]
/** Outside JSON, where these names mean something else. */
const shortName = /^(code|key)$/i
/** Objects that are shown, without the secrets in them. */
const openName = /credential|token/i

const isSecretField = (name: string) => secretNames.some((it) => it.test(name))
const isSecret = (name: string) => isSecretField(name) || shortName.test(name)

/** The headers of a request or an answer without secrets. Their names are in lower case. */
export function redactHeaders(headers: Record<string, string>): Record<string, string> {
  const copy = { ...headers }
  for (const name in copy) if (isSecretHeader(name)) copy[name] = blanked
  if (copy.referer !== undefined) copy.referer = redactUrl(copy.referer)
  return copy
}

/** The value of one header, as it may be kept. Only cookies without a secret name are kept. */
export function redactHeader(name: string, value: string): string {
  if (name === 'cookie') return value.split('; ').map(redactParameter).join('; ')
  return isSecretHeader(name) ? blanked : value
}

function isSecretHeader(name: string): boolean {
  // `Access-Control-Allow-Credentials` is not a secret.
  return isSecret(name) && !name.startsWith('access-control-')
}

/** A body without the texts whose names say that they are secrets. `type`: its media type. */
export function redactBody(body: unknown, type = ''): unknown {
  if (typeof body !== 'string') return withoutNamed(body)
  return type.startsWith('application/x-www-form-urlencoded') ? redactParameters(body) : redactText(body)
}

/** A text of any kind: a form, or nearly JSON. */
function redactText(text: string): string {
  return redactParameters(withoutNamedTexts(text))
}

/** A problem without the sent value, if its name says that it is a secret. */
export function redactProblem(problem: InputError): InputError {
  const { loc, input } = problem
  if (loc.some((step) => isSecretField(String(step)))) return { ...problem, input: blanked }
  // A form instead of JSON is one text.
  return { ...problem, input: typeof input === 'string' ? redactText(input) : (withoutNamed(input) as Json) }
}

function withoutNamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNamed)
  if (!isObject(value)) return value
  if (Array.isArray(value.loc) && 'input' in value) return redactProblem(value as unknown as InputError)
  const fields = Object.entries(value).map(([name, field]) => {
    if (!isSecretField(name)) return [name, withoutNamed(field)]
    return [name, typeof field === 'string' || !openName.test(name) ? withoutTexts(field) : withoutNamed(field)]
  })
  return Object.fromEntries(fields)
}

/** A value without any text in it. Numbers stay: a token budget is not a secret. */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, withoutTexts(it)]))
  return typeof value === 'string' && value !== '' ? blanked : value
}

/** A text that may be nearly JSON, without the values of secret names. */
function withoutNamedTexts(text: string): string {
  let shown = ''
  let at = 0
  let last = ''
  let isNext = false
  let depth = 0
  let hiddenFrom = Number.POSITIVE_INFINITY
  for (const token of tokensOf(text)) {
    const start = text.indexOf(token, at)
    let piece = token
    if (token === '{' || token === '[') {
      depth += 1
      if (isNext) hiddenFrom = Math.min(hiddenFrom, depth)
      isNext = false
    } else if (token === '}' || token === ']') {
      if (depth === hiddenFrom) hiddenFrom = Number.POSITIVE_INFINITY
      depth -= 1
    } else if (token === ':') isNext = isSecretField(last)
    else if (token === ',') isNext = false
    else if (isNext || depth >= hiddenFrom) {
      piece = `"${blanked}"`
      isNext = false
    }
    shown += text.slice(at, start) + piece
    at = start + token.length
    last = token.replaceAll('"', '')
  }
  return shown + text.slice(at)
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
