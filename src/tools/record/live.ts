import { performance } from 'node:perf_hooks'
import { clearTimeout, setTimeout } from 'node:timers'
import type { Recorder, Written } from './recorder.js'
import type { Traffic } from './traffic.js'

/** Records exchanges as they happen. */
export interface LiveRecording {
  /** Never throws. The exchange is read later, so that no answer waits for it. */
  add(exchange: () => Traffic, size: number): void
  /** Writes what was added. */
  close(): void
}

/** The file is written when there was no exchange for so many milliseconds, or after the longest time without a quiet one. */
const quiet = 500
const longest = 10_000

/** So many exchanges, and bytes of them, wait to be read. */
const most = 2000
const mostBytes = 32 * 1024 * 1024

/** Keeps the file up to date. `say` gets what cannot be read or written, and at the end a summary. */
export function recordLive(
  recorder: Recorder,
  say: (text: string) => void,
  summaryOf: (written: Written) => string
): LiveRecording {
  let waiting: (() => Traffic)[] = []
  let timer: NodeJS.Timeout | undefined
  let bytes = 0
  let latest = 0
  let problem = ''
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work()
    } catch (error) {
      const { message } = error as Error
      if (message !== problem) say(`record: ${message}\n`)
      problem = message
      return undefined
    }
  }
  const read = () => {
    const all = waiting
    waiting = []
    bytes = 0
    for (const exchange of all) attempt(() => recorder.add(exchange()))
  }
  const write = () => {
    timer = undefined
    read()
    return attempt(() => recorder.write())
  }
  return {
    add(exchange, size) {
      waiting.push(exchange)
      bytes += size
      if (waiting.length >= most || bytes > mostBytes) read()
      if (!timer) {
        timer = setTimeout(write, quiet)
        latest = performance.now() + longest
      } else if (performance.now() < latest) timer.refresh()
    },
    close() {
      clearTimeout(timer)
      const written = write()
      if (written) say(summaryOf(written))
    }
  }
}
