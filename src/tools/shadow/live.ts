import { clearTimeout, setTimeout } from 'node:timers'
import { setImmediate } from 'node:timers/promises'
import type { ShadowReport } from '../../engine/contract/types.gen.js'
import type { Traffic } from '../record/traffic.js'
import type { VerifyResult } from '../verify/verify.js'
import type { Follower } from './follower.js'

/** Follows exchanges as they happen. */
export interface LiveShadow {
  /** Never throws. The exchange is followed later, so that no answer waits for it. */
  add(exchange: () => Traffic, size: number, broken: readonly string[]): void
  /** What was compared so far. */
  shadowReport(): ShadowReport
  /** Follows what was added, and reports. */
  close(): Promise<void>
}

/** Exchanges are followed when there was none for so many milliseconds, or when so many, or so many bytes of them, wait. */
const quiet = 200
const most = 2000
const mostBytes = 32 * 1024 * 1024

/** `say` gets what cannot be followed, `report` the result at the end. */
export function followLive(
  follower: Follower,
  say: (text: string) => void,
  report: (result: VerifyResult) => void
): LiveShadow {
  const waiting: [exchange: () => Traffic, broken: readonly string[]][] = []
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> | undefined
  let bytes = 0
  let problem = ''
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [exchange, broken] = next
      try {
        await follower.follow(exchange(), broken)
      } catch (error) {
        const { message, stack } = error as Error
        if (message !== problem) say(`shadow: ${stack}\n`)
        problem = message
      }
      await setImmediate()
    }
    working = undefined
  }
  const start = () => {
    clearTimeout(timer)
    timer = undefined
    bytes = 0
    working ??= work()
  }
  return {
    add(exchange, size, broken) {
      waiting.push([exchange, broken])
      bytes += size
      if (waiting.length >= most || bytes >= mostBytes) start()
      else if (timer) timer.refresh()
      else timer = setTimeout(start, quiet)
    },
    shadowReport: () => follower.shadowReport,
    async close() {
      clearTimeout(timer)
      await working
      await work()
      report(follower.result)
    }
  }
}
