import { signal } from '@preact/signals'
import { isLocked, Refused, send } from './client.js'
import { say } from './parts/toasts.js'
import { go, href, route } from './route.js'

/** How the page stands with the mock. */
export const connection = signal<'connecting' | 'live' | 'gone' | 'refused'>('connecting')

/** Goes up when exchanges came: a few times in a second at most, however many there are. */
export const exchanges = signal(0)

/** Goes up whenever the mock was reached anew, since anything may have changed before. */
export const epoch = signal(0)

const pace = 200
const [firstPause, longestPause] = [500, 4000]
/** The mock sends something every 15 seconds. */
const longestSilence = 40_000

/** Whether anybody can see the page: one in the background holds no connection, of which a browser has few. */
export const isSeen = signal(document.visibilityState === 'visible')
document.addEventListener('visibilitychange', () => {
  isSeen.value = document.visibilityState === 'visible'
})

/** Follows the journal of the sandbox that is looked at, and comes back to it when it was lost, until it is ended. */
export function follow(): () => void {
  const ended = new AbortController()
  void (async () => {
    let pause = firstPause
    while (!ended.signal.aborted) {
      const reached = () => {
        connection.value = 'live'
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
  if (error instanceof Refused) connection.value = 'refused'
  else if (connection.value === 'refused') connection.value = 'gone'
}

/** To look at a sandbox makes it, so one that somebody dropped is left. */
function leave(): void {
  say(`Sandbox ${route.value.sandbox} was dropped.`)
  go(href('sandboxes', [], {}, 'default'))
}

/** Ends when the mock ends the stream, and says whether because the sandbox was dropped; rejects when it is lost. */
async function listen(ended: AbortSignal, reached: () => void): Promise<boolean> {
  const silent = new AbortController()
  let silence = setTimeout(() => silent.abort(), longestSilence)
  try {
    const response = await send('streamEvents', {}, AbortSignal.any([ended, silent.signal]))
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
      const events = lines.filter((text) => text.startsWith('event: '))
      if (events.includes('event: dropped')) return true
      if (events.length > 0) announce()
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
    exchanges.value += 1
  }, pace)
}
