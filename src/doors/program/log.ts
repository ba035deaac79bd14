import { lazily } from '../../engine/contract/lazy.js'
import type { JournalEntry } from '../../engine/contract/types.gen.js'
import { hush } from '../../engine/serve/message/contain.js'

export const logForms = ['silent', 'info', 'json'] as const
export type LogForm = (typeof logForms)[number]

/** The log of a running mock on stderr. Exchanges arrive without secrets. */
export interface Log {
  exchange(entry: JournalEntry): void
  /** Changes of contracts and fixtures. */
  message(line: string): void
  /** Errors outside of an exchange, and errors found in the data. */
  problem(line: string): void
  /** Start and stop. A terminal does not show it, because its user knows. */
  turn(line: string): void
  /** Help for people who watch the log. */
  hints(lines: string[]): void
}

const silent: Log = { exchange() {}, message() {}, problem() {}, turn() {}, hints() {} }

export function createLog(form: LogForm): Log {
  if (form === 'silent') return silent
  return form === 'json' ? createJsonLog() : human
}

const human: Log = {
  exchange(entry) {
    if (levelOf(entry) !== 'info') console.error(sentence(entry))
  },
  message: (line) => console.error(line),
  problem: (line) => console.error(line),
  turn() {},
  hints: (lines) => console.error(lines.map((line) => `  ${line}`).join('\n'))
}

/** Lines of pino, written synchronously so that none is lost when the process ends. */
function createJsonLog(): Log {
  const pino = lazily('pino') as typeof import('pino')
  const lines = pino.destination({ dest: 2, sync: true })
  // If stderr cannot be written, requests must still be answered.
  hush(lines)
  const logger = pino.default({}, lines)
  return {
    exchange(entry) {
      // The time that pino adds is the real one, not the sandbox's.
      const { time: clock, real_time: _, ...rest } = entry
      logger[levelOf(entry)]({ ...rest, clock }, sentence(entry))
    },
    message: (line) => logger.info(line),
    problem: (line) => logger.error(line),
    turn: (line) => logger.info(line),
    hints() {}
  }
}

function levelOf({ operation, status, violations, failure }: JournalEntry): 'info' | 'warn' | 'error' {
  if (failure !== undefined || status >= 500) return 'error'
  return operation === null || status >= 400 || violations.length > 0 ? 'warn' : 'info'
}

/** The longest URL of a line, in characters. The journal has it in full. */
const longestUrl = 200

function sentence({ id, method, url, status, violations, failure, refusal }: JournalEntry): string {
  const reasons = failure ?? (violations.join('; ') || refusal)
  const shown = url.length > longestUrl ? `${url.slice(0, longestUrl)}…` : url
  return `${id} ${method} ${shown} ${status}${reasons === undefined ? '' : `: ${reasons}`}`
}
