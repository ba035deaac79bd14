import { styleText } from 'node:util'
import { lazily } from '../../engine/contract/lazy.js'
import { shortened } from '../../engine/contract/message/refusal.js'
import type { JournalEntry } from '../../engine/contract/types.gen.js'
import { hush } from '../../engine/serve/message/contain.js'

export const logForms = ['silent', 'info', 'json'] as const
export type LogForm = (typeof logForms)[number]

/** The log of a running mock on stderr. Exchanges arrive without secrets. */
export interface Log {
  exchange(entry: JournalEntry): void
  message(line: string): void
  /** Errors outside of an exchange, and errors found in the data. */
  problem(line: string): void
  /** Start and stop. A terminal does not show it, because its user knows. */
  turn(line: string): void
  /** Help for people who watch the log. */
  hints(lines: string[]): void
}

const silent: Log = { exchange() {}, message() {}, problem() {}, turn() {}, hints() {} }

/** Describes the operation that an unknown request is nearest to. Undefined: none is near. */
export type Nearest = (entry: JournalEntry) => string | undefined

export function createLog(form: LogForm, nearest: Nearest = () => undefined): Log {
  if (form === 'silent') return silent
  return form === 'json' ? createJsonLog(nearest) : createHumanLog(nearest)
}

function createHumanLog(nearest: Nearest): Log {
  let hasNamedNull = false
  return {
    exchange(entry) {
      const level = levelOf(entry)
      if (level !== 'info') console.error(coloured(level, sentence(entry, nearest)))
      if (hasNamedNull || entry.status !== 422 || !entry.assumptions.includes('requests.null')) return
      hasNamedNull = true
      console.error(
        '  null is refused by requests.null. If your service takes it, start with --assume requests.null=accepted, or with --profile observed.'
      )
    },
    message: (line) => console.error(line),
    problem: (line) => console.error(line),
    turn() {},
    hints: (lines) => console.error(lines.map((line) => `  ${line}`).join('\n'))
  }
}

/** Colours on a terminal only, unless NO_COLOR is set (no-color.org). */
function coloured(level: 'warn' | 'error', text: string): string {
  if (!process.stderr.isTTY || process.env.NO_COLOR) return text
  return styleText(level === 'error' ? 'red' : 'yellow', text)
}

/** Lines of pino, written synchronously so that none is lost when the process ends. */
function createJsonLog(nearest: Nearest): Log {
  const pino = lazily('pino') as typeof import('pino')
  const lines = pino.destination({ dest: 2, sync: true })
  // If stderr cannot be written, requests must still be answered.
  hush(lines)
  const logger = pino.default({}, lines)
  return {
    exchange(entry) {
      // The time that pino adds is the real one, not the sandbox's.
      const { time: clock, real_time: _, ...rest } = entry
      logger[levelOf(entry)]({ ...rest, clock }, sentence(entry, nearest))
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

function sentence(entry: JournalEntry, nearest: Nearest): string {
  const { id, method, url, status, violations, refused = [], failure, refusal } = entry
  const reasons =
    failure ?? ([...refused, ...violations].join('; ') || nearest(entry) || (refusal === 'rule' ? undefined : refusal))
  // The journal has the URL in full.
  return `${id} ${method} ${shortened(url)} ${status}${reasons === undefined ? '' : ` ${reasons}`}`
}
