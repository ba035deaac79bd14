import { performance } from 'node:perf_hooks'
import { clearTimeout, setTimeout } from 'node:timers'
import { setImmediate } from 'node:timers/promises'
import type { Recorder, Written } from './recorder.js'
import type { Traffic } from './traffic.js'

/** Follows exchanges as they happen, so that no answer waits for it. */
export interface Live {
  /** Never throws. `broken`: what breaks the contract in the answer. */
  add(exchange: Traffic, broken: readonly string[]): void
  /** Follows what was added, and ends. */
  close(): Promise<void>
}

export interface LiveOptions {
  /** Exchanges are followed when there was none for so many milliseconds, or after the longest time without a quiet one. */
  quiet: number
  longest: number
  follow(exchange: Traffic, broken: readonly string[]): unknown
  /** Is called when all exchanges so far were followed. */
  rest?(): void
  fail(error: Error): void
}

/** So many exchanges, and characters of them, wait to be followed. */
const most = 2000
const mostCharacters = 32 * 1024 * 1024

/** Follows exchanges one after the other. An error is reported once, and ends nothing. */
export function followLive({ quiet, longest, follow, rest = () => {}, fail }: LiveOptions): Live {
  const waiting: [exchange: Traffic, broken: readonly string[]][] = []
  let working = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let latest = 0
  let characters = 0
  let problem = ''
  const attempt = async (work: () => unknown) => {
    try {
      await work()
    } catch (error) {
      if ((error as Error).message !== problem) fail(error as Error)
      problem = (error as Error).message
    }
  }
  const followAll = async () => {
    characters = 0
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [exchange, broken] = next
      await attempt(() => follow(exchange, broken))
      await setImmediate()
    }
  }
  const start = () => {
    working = working.then(followAll)
    return working
  }
  const work = async () => {
    clearTimeout(timer)
    timer = undefined
    await start()
    await attempt(rest)
  }
  return {
    add(exchange, broken) {
      waiting.push([exchange, broken])
      characters += exchange.body.length + exchange.text.length
      if (waiting.length >= most || characters >= mostCharacters) void start()
      if (!timer) {
        timer = setTimeout(work, quiet)
        latest = performance.now() + longest
      } else if (performance.now() < latest) timer.refresh()
    },
    close: work
  }
}

/** Keeps the file of a recorder up to date. `say` gets what cannot be read or written, and at the end a summary. */
export function recordLive(
  recorder: Recorder,
  say: (text: string) => void,
  summaryOf: (written: Written) => string
): Live {
  let output: Written | undefined
  const live = followLive({
    quiet: 500,
    longest: 10_000,
    follow: (exchange) => recorder.add(exchange),
    rest() {
      output = undefined
      output = recorder.write()
    },
    fail: ({ message }) => say(`record: ${message}\n`)
  })
  return {
    ...live,
    async close() {
      await live.close()
      if (output) say(summaryOf(output))
    }
  }
}
