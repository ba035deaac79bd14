import { performance } from 'node:perf_hooks'
import type { WriteStream } from 'node:tty'
import type { CheckResult } from '../../checks/verify/results.js'

/** Milliseconds between updates of the line. */
const interval = 100

/** One line that shows the progress. Only on a terminal, and not in CI. */
export function createProgress(stream: WriteStream): { tick: (result: CheckResult) => void; end: () => void } {
  const isShown = stream.isTTY && !process.env.CI
  let made = 0
  let broken = 0
  let written = 0
  return {
    tick({ operation, outcome, times }) {
      made++
      if (outcome === 'broken' && times === 1) broken++
      const now = performance.now()
      if (!isShown || now - written < interval) return
      written = now
      stream.write(`\r\x1b[K${made} checks${broken > 0 ? `, ${broken} broken` : ''}  ${operation}`)
    },
    end() {
      if (isShown) stream.write('\r\x1b[K')
    }
  }
}
