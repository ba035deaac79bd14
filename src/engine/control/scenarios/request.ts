import type { Contract } from '../../contract/contract.js'
import { decode } from '../../contract/match.js'
import type { Operation } from '../../contract/model.js'
import type { Call } from '../../contract/types.gen.js'

export interface StepRequest {
  method: string
  target: string
  headers: Record<string, string>
  body?: StepBody
}

export type StepBody = { json: unknown } | { text: string } | { base64: string } | { form: Record<string, unknown> }

/** Whether clients that follow the standard of fetch can send a method. */
export function canBeSent(method: string): boolean {
  return /^[A-Z]+$/.test(method) && !['CONNECT', 'TRACE', 'TRACK'].includes(method)
}

/** The base of a URL that should be a path of the mock. */
const here = 'http://mock.invalid'

/**
 * Why a call may not go to an address: it leads to another server, or to the control API, where a scenario could play
 * itself. Clients and proxies resolve dots, backslashes, repeated slashes and encoded characters.
 */
export function whyElsewhere(target: string): string | undefined {
  let path = target
  for (let times = 0; times < mostEncoded; times++) {
    const url = path.startsWith('/') && URL.canParse(path, here) ? new URL(path, here) : undefined
    if (url?.origin !== here) return 'This leads to another server: give a path that begins with one slash.'
    if (/^\/+__mock(\/|$)/.test(url.pathname)) {
      return 'Calls of the control API are control steps, and no step plays a scenario.'
    }
    const next = decode(url.pathname).replace(/^\/+/, '/')
    if (next === path) return undefined
    path = next
  }
  return 'Its characters are encoded too many times.'
}

const mostEncoded = 10

/** The request of a `call`. The contract has its operation. */
export function requestOfCall(contract: Contract, call: Call): StepRequest {
  const { user = contract.api.users.common[0] ?? 'admin', headers = {} } = call
  const operation = call.operation === undefined ? undefined : contract.operations.get(call.operation)
  const body = bodyOf(call, operation?.form === true)
  return {
    method: operation?.method ?? call.method ?? 'GET',
    target: operation ? targetOf(operation, call) : `${call.url ?? '/'}`,
    headers: { ...(user !== null && { Authorization: `Bearer ${user}` }), ...headers },
    ...(body && { body })
  }
}

function bodyOf({ text, base64, body }: Call, isForm: boolean): StepBody | undefined {
  if (text !== undefined) return { text }
  if (base64 !== undefined) return { base64 }
  if (body === undefined) return undefined
  return isForm ? { form: body as Record<string, unknown> } : { json: body }
}

export function requestOfControl(
  contract: Contract,
  id: string,
  { body, ...address }: { path?: object; query?: object; body?: unknown }
): StepRequest {
  const operation = contract.control.get(id) as Operation
  const { method } = operation
  const target = targetOf(operation, address)
  return { method, target, headers: {}, ...(operation.input.body && { body: { json: body ?? {} } }) }
}

/** Path and query of an operation's call, from values by name. */
export function targetOf(
  operation: Operation,
  { path = {}, query = {} }: { path?: object; query?: object | undefined }
): string {
  const values = path as Record<string, unknown>
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inUrl(values[name])))
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap((it) => (it === undefined ? [] : [[name, inUrl(it)] as [string, string]]))
  )
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`
}

/** A value as in a URL. An object has no reliable text, and half a character cannot be written. */
function inUrl(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}
