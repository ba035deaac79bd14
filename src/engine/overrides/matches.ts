import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../contract/load.js'
import { decode } from '../contract/match.js'
import type { Body } from '../contract/message/body.js'
import type { Override } from './overrides.js'

/** Means any operation, instead of an id. */
export const anyOperation = '*'

/** The parts of a request that are known before its body is read. */
export interface MatchedRequest {
  /** The id of its operation. Undefined: none matches. */
  operation: string | undefined
  params: Record<string, string>
  method: string
  path: string
  query: Record<string, string>
}

/** Whether an override matches a request, ignoring its body. An override that is off matches none. */
export function matchesAddress(override: Override, call: MatchedRequest): boolean {
  const { match = {}, off = false } = override
  const params = off ? undefined : paramsOf(override, call)
  return params !== undefined && haveTexts(params, match.path) && haveTexts(call.query, match.query)
}

export function matchesBody({ match = {} }: Override, body: Body | undefined): boolean {
  return match.body === undefined || (body !== undefined && 'value' in body && contains(body.value, match.body))
}

/** The path parameters of a request whose address the override matches. Undefined if it does not match. */
function paramsOf({ operation, method, path }: Override, call: MatchedRequest): Record<string, string> | undefined {
  if (operation === anyOperation) return call.operation === undefined ? undefined : call.params
  if (operation !== undefined) return operation === call.operation ? call.params : undefined
  if (path === undefined) return undefined
  const isOfMethod = method === undefined || method === call.method || (method === 'GET' && call.method === 'HEAD')
  return isOfMethod ? paramsIn(path, call.path) : undefined
}

/** The values of the `{name}`s in a path. Undefined if the path does not match. A name matches one whole segment. */
function paramsIn(template: string, path: string): Record<string, string> | undefined {
  const mark = template.indexOf('{')
  if (mark < 0) return template === path ? {} : undefined
  if (!path.startsWith(template.slice(0, mark))) return undefined
  const [segments, texts] = [template.split('/'), path.split('/')]
  if (segments.length !== texts.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, segment] of segments.entries()) {
    const text = texts[at] as string
    if (segment.startsWith('{') && text !== '') params[segment.slice(1, -1)] = decode(text)
    else if (segment !== text) return undefined
  }
  return params
}

/** Parameters are texts, so texts are compared. */
function haveTexts(values: Record<string, string>, expected: Record<string, unknown> = {}): boolean {
  return Object.entries(expected).every(([name, value]) => values[name] === String(value))
}

/** An object matches if it has the wanted fields. Other values must be equal. */
function contains(value: unknown, expected: unknown): boolean {
  if (!isObject(expected)) return isDeepStrictEqual(value, expected)
  return (
    isObject(value) &&
    Object.entries(expected).every(([name, item]) => Object.hasOwn(value, name) && contains(value[name], item))
  )
}
