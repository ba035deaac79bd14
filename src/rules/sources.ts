import type { Context } from './rule.js'

/** Whether the contract in force knows the row's source (2.1). Rows of other sources appear in no response. */
export function isKnown({ sources }: Context, row: { source: string }): boolean {
  return sources === null || sources.has(row.source)
}
