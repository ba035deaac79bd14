import { decode } from '../../contract/match.js'

const blanked = '***'

/** Headers with secrets. */
const secretHeaders = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-mock-control-token',
  'x-api-key',
  'api-key',
  'x-auth-token',
  'x-csrf-token',
  'x-xsrf-token'
] as const

/** No contract has secrets in URLs, but clients send some. They are detected by name. */
const secretParameter = /token|secret|passw|api[-_]?key|credential|authorization|signature/i

/** The headers of a request or an answer without secrets. Their names are in lower case. */
export function redactHeaders(headers: Record<string, string>): Record<string, string> {
  const kept = { ...headers }
  for (const name of secretHeaders) if (name in kept) kept[name] = blanked
  for (const name in kept) if (name.startsWith('x-') && secretParameter.test(name)) kept[name] = blanked
  if (kept.referer !== undefined) kept.referer = redactUrl(kept.referer)
  return kept
}

/** The value of one header, as it may be kept; of cookies, those without a secret name. */
export function redactHeader(name: string, value: string): string {
  if (name === 'cookie') return value.split('; ').map(redactParameter).join('; ')
  return secretParameter.test(name) || secretHeaders.some((it) => it === name) ? blanked : value
}

/** A request's target, or a reference to one, without secrets in its query and without user info. */
export function redactUrl(url: string): string {
  const mark = url.indexOf('?')
  const start = mark < 0 ? url : url.slice(0, mark)
  const origin = start.startsWith('/') ? start : start.replace(/^(\w+:\/\/)[^/@]*@/, `$1${blanked}@`)
  if (mark < 0) return origin
  const query = url.slice(mark + 1)
  if (!query.includes('%') && !secretParameter.test(query)) return `${origin}?${query}`
  const parameters = query.split('&')
  return `${origin}?${parameters.map(redactParameter).join('&')}`
}

function redactParameter(parameter: string): string {
  const mark = parameter.indexOf('=')
  if (mark < 0 || !secretParameter.test(decode(parameter.slice(0, mark)))) return parameter
  return parameter.slice(0, mark + 1) + blanked
}
