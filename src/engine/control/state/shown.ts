import { pairAt } from '../../../apis/knowledge-chat/rules/connectors/attempts.js'
import { isGone, statusOf } from '../../../apis/knowledge-chat/rules/files/files.js'
import { attemptsOf } from '../../../apis/knowledge-chat/rules/indexing/refreshes.js'
import type { StatusContext } from '../../../apis/knowledge-chat/rules/rule.js'
import type { JsonObject } from '../../contract/load.js'
import type { Rows } from '../../contract/types.gen.js'
import { timestamp } from '../../sandbox/clock.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { CollectionName, Store } from '../../store/rows.js'

/** A row as the interface shows it now, or undefined if it is gone. */
export type ShowRow = (collection: CollectionName, row: JsonObject) => JsonObject | undefined

/** Shows the rows of a sandbox, or of a state that is to replace it, as they are at a moment. */
export function showing(
  { choices, ids, clock }: Pick<Sandbox, 'choices' | 'ids' | 'clock'>,
  rows: Store,
  now = clock.now
): ShowRow {
  const at: StatusContext = { rows, now: timestamp(now), seed: ids.seed, assume: (id) => choices[id] as never }
  return (collection, row) => {
    const view = views[collection] as ((at: StatusContext, row: JsonObject) => JsonObject | undefined) | undefined
    return view ? view(at, row) : row
  }
}

/** Collections whose rows change without a write: by the clock, or by the number of reads. */
const views: { [C in CollectionName]?: (at: StatusContext, row: Rows[C]) => Rows[C] | undefined } = {
  userFiles: (at, row) => (isGone(row, at.now) ? undefined : changed(row, { status: statusOf(at, row) })),
  projectFiles: (at, row) => (isGoneFile(at, row.user_file_id) ? undefined : row),
  personas: (at, row) =>
    row.user_file_ids.some((id) => isGoneFile(at, id))
      ? { ...row, user_file_ids: row.user_file_ids.filter((id) => !isGoneFile(at, id)) }
      : row,
  connectorCredentials: (at, row) => changed(row, pairAt(at, row, attemptsOf(at, row)))
}

function isGoneFile({ rows, now }: StatusContext, id: string): boolean {
  const file = rows.userFiles.get(id)
  return file !== undefined && isGone(file, now)
}

/** Returns the same row if nothing changes. */
function changed<Row extends object>(row: Row, fields: Partial<Row>): Row {
  const isSame = Object.entries(fields).every(([name, value]) => row[name as keyof Row] === value)
  return isSame ? row : { ...row, ...fields }
}

/**
 * What is stored of a row in addition to what is shown: some fields, or the whole row if it is gone. Undefined if
 * nothing.
 */
export function storedBeside(row: JsonObject, shown: JsonObject | undefined): JsonObject | undefined {
  if (shown === row) return undefined
  if (shown === undefined) return row
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => value !== shown[name]))
}
