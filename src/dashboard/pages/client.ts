import { signal } from '@preact/signals'
import type { Operations, Problem } from '../../engine/contract/types.gen.js'
import { route } from './route.js'

export type ControlId = {
  [Id in keyof Operations]: Operations[Id]['resource'] extends 'control' ? Id : never
}[keyof Operations]

/** Method and path of every control operation. The build inserts them. */
declare const CONTROL_ROUTES: Record<ControlId, { method: string; path: string }>

/** The input of a control operation. Parts without required fields are optional. */
export type Input<Id extends ControlId> = Partial<Operations[Id]['input']> & {
  /** The ETag of the row that this changes: the call is refused if another client has changed it. */
  ifMatch?: string
}
export type Reply<Id extends ControlId> = Operations[Id]['reply']

/** The address where the mock is mounted, without a trailing slash. */
export const base = new URL('..', location.href.replace(/[?#].*/, '')).href.replace(/\/$/, '')

/** Whether the mock requires its control token. */
export const isLocked = signal(false)

const tokenKey = 'control-token'

export function giveToken(token: string): void {
  sessionStorage.setItem(tokenKey, token)
}

/** Continues after the token was accepted. */
export function unlock(): void {
  isLocked.value = false
}

/** Whether the token of this tab was refused. */
export function isTokenRefused(): boolean {
  return isLocked.value && sessionStorage.getItem(tokenKey) !== null
}

/** A control request that was refused, with its problem document. */
export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail)
  }

  /** The errors of each field, or the general error if there are none. */
  get reasons(): string {
    return this.problem.errors?.map(({ detail }) => detail).join(' ') ?? this.problem.detail
  }
}

/** The mock did not answer. */
export class Gone extends Error {
  constructor() {
    super('The mock does not answer.')
  }
}

/** Calls the control API, for the current sandbox if none is given. Rejects with Refused or Gone. */
export async function call<Id extends ControlId>(
  id: Id,
  input: Input<Id> = {},
  sandbox = route.value.sandbox
): Promise<Reply<Id>> {
  const response = await send(id, input, { sandbox })
  return (await response.json()) as Reply<Id>
}

/** The same for an answer that is read as a stream. */
export async function send<Id extends ControlId>(
  id: Id,
  input: Input<Id> = {},
  { signal, sandbox = route.value.sandbox }: { signal?: AbortSignal; sandbox?: string } = {}
): Promise<Response> {
  const { method, path } = CONTROL_ROUTES[id]
  const { path: params = {}, query = {}, body } = input as { path?: object; query?: object; body?: unknown }
  const { ifMatch } = input
  const values = params as Record<string, string>
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] as string))
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  const headers: Record<string, string> = { 'X-Mock-Sandbox': sandbox }
  const token = sessionStorage.getItem(tokenKey)
  if (token !== null) headers['X-Mock-Control-Token'] = token
  if (ifMatch !== undefined) headers['If-Match'] = ifMatch
  if (method !== 'GET') headers['Content-Type'] = 'application/json'
  const sent: RequestInit = { method, headers, cache: 'no-store' }
  if (body !== undefined) sent.body = JSON.stringify(body)
  // It arrives even if the page is left.
  if (method === 'DELETE') sent.keepalive = true
  if (signal) sent.signal = signal
  const response = await fetch(`${base}${url}${search && `?${search}`}`, sent).catch(() => {
    throw new Gone()
  })
  if (response.ok) return response
  const problem = (await response.json().catch(() => unreadable(response))) as Problem
  if (response.status === 401) isLocked.value = true
  throw new Refused(problem)
}

function unreadable({ status, statusText }: Response): Problem {
  return { type: 'about:blank', title: statusText, status, detail: `The mock answered ${status} ${statusText}.` }
}
