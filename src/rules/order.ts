import type { Context } from './rule.js'

/** The rows of a list in the order of `lists.order`. They are given in the usual order. */
export function inOrder<Row>(context: Context, rows: Row[]): Row[] {
  if (rows.length < 2) return rows
  return context.assume('lists.order') === 'reversed' ? [...rows].reverse() : rows
}
