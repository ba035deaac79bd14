import type { JournalEntry } from '../../engine/contract/types.gen.js'
import { program } from './kinds.js'
import { limitTable } from './limits.js'
import type { Options, Settled, Table } from './option.js'
import { accessTable, startTable } from './start.js'

/** The options of a mock without a listener. */
export const mockTable = {
  ...startTable,
  ...accessTable,
  ...limitTable,
  onProblem: {
    is: program<(text: string) => void>('(text: string) => void'),
    otherwise: 'written to stderr',
    help: 'called with errors outside of an exchange, and with errors found in the data',
    only: 'program'
  },
  onExchange: {
    is: program<(exchange: JournalEntry) => void>('(exchange: JournalEntry) => void'),
    help: 'called after every answer',
    only: 'program'
  }
} as const satisfies Table

/** The options of a mock. Every field has a default. */
export type MockOptions = Options<typeof mockTable>
export type SettledMock = Settled<typeof mockTable>
