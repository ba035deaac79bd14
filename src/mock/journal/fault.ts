import type { JournalEntry } from '../../contract/types.gen.js'

export type Fault = 'violation' | 'refused'

/** How an exchange broke the contract, if it did. A redirect to the documented path has no operation, but is not wrong. */
export function faultIn({ violations, operation, status, failure, refused }: JournalEntry): Fault | undefined {
  if (violations.length > 0 || failure !== undefined || (operation === null && status >= 400)) return 'violation'
  return refused && 'refused'
}
