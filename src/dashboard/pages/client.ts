import { computed, signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Operations, Problem } from '../../engine/contract/types.gen.js'
import { say } from './parts/actions.js'
import { go, href, route, searchOf } from './route.js'

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
export const base = location.href.replace(/[?#].*/, '').replace(/\/(__mock\/|docs)$/, '')

export const isLocked = signal(false)

/** Whether the mock has the control API. */
export const isOff = document.documentElement.dataset.control === 'off'

/** Whether this page may call the control API. Without it, only the explorer works. */
export const hasControl = computed(() => !isOff && !isLocked.value)

export const tokenKey = 'control-token'

export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail)
  }

  /** The errors of each field, or the general error if there are none. */
  get reasons(): string {
    return this.problem.errors?.map(({ detail }) => detail).join(' ') ?? this.problem.detail
  }
}

export class Gone extends Error {
  override message = 'The mock does not answer.'
}

const closed = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'The control API is not available.' }

/** Calls the control API, for the current sandbox if none is given. Rejects with Refused or Gone. */
export async function call<Id extends ControlId>(id: Id, input: Input<Id> = {}, sandbox?: string): Promise<Reply<Id>> {
  return (await send(id, input, { sandbox })).json()
}

/** The same for an answer that is read as a stream. */
export async function send<Id extends ControlId>(
  id: Id,
  input: Input<Id> = {},
  { signal, sandbox = route.value.sandbox }: { signal?: AbortSignal; sandbox?: string | undefined } = {}
): Promise<Response> {
  // The clock shows whether a token unlocks it.
  if (!hasControl.value && id !== 'getClock') throw new Refused(closed)
  const { method, path } = CONTROL_ROUTES[id]
  const { path: params = {}, query = {}, body } = input as { path?: object; query?: object; body?: unknown }
  const values = params as Record<string, string>
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] as string))
  const token = sessionStorage.getItem(tokenKey)
  const headers = {
    'X-Mock-Sandbox': sandbox,
    ...(token !== null && { 'X-Mock-Control-Token': token }),
    ...(input.ifMatch !== undefined && { 'If-Match': input.ifMatch }),
    ...(method !== 'GET' && { 'Content-Type': 'application/json' })
  }
  const response = await fetch(base + url + searchOf(query), {
    method,
    headers,
    cache: 'no-store',
    body: JSON.stringify(body) ?? null,
    // It arrives even if the page is left.
    keepalive: method === 'DELETE',
    signal: signal ?? null
  }).catch(() => {
    throw new Gone()
  })
  if (response.ok) return response
  if (response.status === 401) isLocked.value = true
  const { status, statusText: title } = response
  const detail = `The mock answered ${status} ${title}.`
  throw new Refused(await response.json().catch((): Problem => ({ type: 'about:blank', title, status, detail })))
}

export const connection = signal<'connecting' | 'live' | 'gone' | 'refused'>('connecting')

/** Whether the sandbox was dropped because it was unused. Reading does not create it again. */
export const isExpired = signal(false)

/** Increases when exchanges arrive, at most a few times per second. */
const exchanges = signal(0)

/** Increases when something else changes: by another tab, a program, or this page. */
export const changes = signal(0)

/** Increases when the journal is emptied, gets its old exchanges back, or the end of a stream. */
export const emptied = signal(0)

/** Increases on every reconnect, because anything may have changed in the meantime. */
export const epoch = signal(0)

export let latestExchange = 0

/** Milliseconds between two updates. */
const pace = 200
const [firstPause, longestPause] = [500, 4000]
/** The mock sends something every 15 seconds. */
const longestSilence = 40_000

/** Whether the page is visible. A hidden page closes its connection, because browsers limit their number. */
export const isSeen = signal(document.visibilityState === 'visible')
document.addEventListener('visibilitychange', () => {
  isSeen.value = document.visibilityState === 'visible'
})

/** Follows the journal of the current sandbox and reconnects when the connection is lost, until it is stopped. */
export function follow(): () => void {
  const ended = new AbortController()
  void (async () => {
    let pause = firstPause
    while (!ended.signal.aborted) {
      const reached = () => {
        connection.value = 'live'
        latestExchange = 0
        epoch.value += 1
        pause = firstPause
      }
      const isDropped = await listen(ended.signal, reached).catch(refuse)
      if (ended.signal.aborted || isLocked.value) return
      if (isDropped) {
        say(`Sandbox ${route.value.sandbox} was dropped.`)
        return go(href('sandboxes', [], {}, 'default'))
      }
      if (connection.value !== 'refused') connection.value = 'gone'
      await new Promise((resolve) => setTimeout(resolve, pause))
      pause = Math.min(pause * 2, longestPause)
    }
  })()
  return () => ended.abort()
}

function refuse(error: Error): void {
  isExpired.value = error instanceof Refused && error.problem.type.endsWith(':idle-sandbox')
  if (error instanceof Refused) connection.value = 'refused'
  else if (connection.value === 'refused') connection.value = 'gone'
}

/** Resolves when the mock ends the stream, to whether the sandbox was dropped. Rejects when the connection is lost. */
async function listen(ended: AbortSignal, reached: () => void): Promise<boolean> {
  const silent = new AbortController()
  const wait = () => setTimeout(() => silent.abort(), longestSilence)
  let silence = wait()
  try {
    const signal = AbortSignal.any([ended, silent.signal])
    const response = await send('streamEvents', { query: { every: pace, control: true } }, { signal })
    reached()
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let line = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return false
      clearTimeout(silence)
      silence = wait()
      const lines = (line + decoder.decode(value, { stream: true })).split('\n')
      line = lines.pop() as string
      for (const text of lines) {
        const [field, value] = text.split(': ')
        if (field === 'id') latestExchange = Number(value?.slice(1))
        if (field === 'data' && value === '{"operation":"restoreRequests"}') emptied.value += 1
        if (field !== 'event') continue
        if (value === 'dropped') return true
        if (value === 'exchange' || value === 'waiting') exchanges.value += 1
        if (value === 'ended') emptied.value += 1
        if (value === 'cleared') {
          latestExchange = 0
          emptied.value += 1
        }
        if (value === 'control') announce()
      }
    }
  } finally {
    clearTimeout(silence)
  }
}

let isAnnounced = false

function announce(): void {
  if (isAnnounced) return
  isAnnounced = true
  setTimeout(() => {
    isAnnounced = false
    changes.value += 1
  }, pace)
}

export type LoadState<T> = { value?: T; error?: Error }

type Options = { live?: boolean; every?: number | undefined }

export function useCall<Id extends ControlId>(id: Id, input: Input<Id> = {}, options?: Options): LoadState<Reply<Id>> {
  return useLoad(() => call(id, input), `${id} ${JSON.stringify(input)}`, options)
}

/** Loads again when `key` or the mock changes, and at intervals; with `live`, on new exchanges too. One load at a time. */
export function useLoad<T>(load: () => Promise<T>, key: string, { live = false, every }: Options = {}): LoadState<T> {
  const [state, set] = useState<LoadState<T>>({})
  const now = useRef({ load, isBusy: false, isWanted: false })
  now.current.load = load

  const reload = async (): Promise<void> => {
    const { current } = now
    current.isWanted = true
    if (current.isBusy) return
    current.isBusy = true
    while (current.isWanted) {
      current.isWanted = false
      const next: LoadState<T> = await current.load().then(
        (value) => ({ value }),
        (error: Error) => ({ error })
      )
      // The old value stays while the mock is gone, which the banner shows. A refusal replaces the old value.
      const isGone = next.error && !(next.error instanceof Refused)
      set((before) => (isGone ? { ...before, ...next } : next))
    }
    current.isBusy = false
  }

  useLayoutEffect(() => void reload(), [key, live ? exchanges.value : 0, changes.value, emptied.value, epoch.value])
  useEffect(() => {
    if (every === undefined) return
    const timer = setInterval(() => void reload(), every)
    return () => clearInterval(timer)
  }, [every])
  return state
}
