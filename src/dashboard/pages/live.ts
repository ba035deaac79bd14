import { signal } from '@preact/signals'
import { isLocked, Refused, send } from './client.js'
import { say } from './parts/toasts.js'
import { go, href, route } from './route.js'

/** The connection to the mock. */
export const connection = signal<'connecting' | 'live' | 'gone' | 'refused'>('connecting')

/** Whether the sandbox was dropped because it was unused. Reading does not create it again. */
export const isExpired = signal(false)

/** Increases when exchanges arrive, at most a few times per second. */
export const exchanges = signal(0)

/** Increases when something else changes: by another tab, a program, or this page. */
export const changes = signal(0)

/** Increases when the journal is emptied, or gets its old exchanges back. */
export const emptied = signal(0)

let latest = 0

/** The number of the latest exchange in the stream. */
export function latestExchange(): number {
  return latest
}

/** Increases on every reconnect, because anything may have changed in the meantime. */
export const epoch = signal(0)

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
        latest = 0
        epoch.value += 1
        pause = firstPause
      }
      const isDropped = await listen(ended.signal, reached).catch(refuse)
      if (ended.signal.aborted || isLocked.value) return
      if (isDropped) return leave()
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

/** Leaves a dropped sandbox. */
function leave(): void {
  say(`Sandbox ${route.value.sandbox} was dropped.`)
  go(href('sandboxes', [], {}, 'default'))
}

/** Resolves when the mock ends the stream, to whether the sandbox was dropped. Rejects when the connection is lost. */
async function listen(ended: AbortSignal, reached: () => void): Promise<boolean> {
  const silent = new AbortController()
  let silence = setTimeout(() => silent.abort(), longestSilence)
  try {
    const response = await send(
      'streamEvents',
      { query: { every: pace, control: true } },
      { signal: AbortSignal.any([ended, silent.signal]) }
    )
    reached()
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let line = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return false
      clearTimeout(silence)
      silence = setTimeout(() => silent.abort(), longestSilence)
      const lines = (line + decoder.decode(value, { stream: true })).split('\n')
      line = lines.pop() as string
      for (const text of lines) {
        const [field, value] = text.split(': ')
        if (field === 'id') latest = Number(value?.slice(1))
        if (field === 'data' && value === '{"operation":"restoreRequests"}') emptied.value += 1
        if (field !== 'event') continue
        if (value === 'dropped') return true
        if (value === 'exchange') exchanges.value += 1
        if (value === 'cleared') {
          latest = 0
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
