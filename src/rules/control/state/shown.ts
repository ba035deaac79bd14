import type { JsonObject } from '../../../contract/load.js'
import type { Rows } from '../../../contract/types.gen.js'
import { timestamp } from '../../../mock/sandbox/clock.js'
import type { Sandbox } from '../../../mock/sandbox/sandbox.js'
import type { CollectionName, Store } from '../../../store/rows.js'
import { pairAt } from '../../connectors/attempts.js'
import { isGone, statusOf } from '../../files/files.js'
import { attemptsOf } from '../../indexing/refreshes.js'
import type { Looking } from '../../rule.js'

/** How the interface shows a row now; undefined: it is gone. */
export type Show = (collection: CollectionName, row: JsonObject) => JsonObject | undefined

/** What shows the rows of a sandbox, or of a state that is to become its own, as they stand at a moment. */
export function showing(
  { choices, ids, clock }: Pick<Sandbox, 'choices' | 'ids' | 'clock'>,
  rows: Store,
  now = clock.now
): Show {
  const at: Looking = { rows, now: timestamp(now), seed: ids.seed, assume: (id) => choices[id] as never }
  return (collection, row) => {
    const view = views[collection] as ((at: Looking, row: JsonObject) => JsonObject | undefined) | undefined
    return view ? view(at, row) : row
  }
}

/** The collections whose rows change without being written: by the clock, or by how often they are read. */
const views: { [C in CollectionName]?: (at: Looking, row: Rows[C]) => Rows[C] | undefined } = {
  userFiles: (at, row) => (isGone(row, at.now) ? undefined : changed(row, { status: statusOf(at, row) })),
  projectFiles: (at, row) => (isGoneFile(at, row.user_file_id) ? undefined : row),
  personas: (at, row) =>
    row.user_file_ids.some((id) => isGoneFile(at, id))
      ? { ...row, user_file_ids: row.user_file_ids.filter((id) => !isGoneFile(at, id)) }
      : row,
  connectorCredentials: (at, row) => changed(row, pairAt(at, row, attemptsOf(at, row)))
}

function isGoneFile({ rows, now }: Looking, id: string): boolean {
  const file = rows.userFiles.get(id)
  return file !== undefined && isGone(file, now)
}

/** The same row where nothing is other. */
function changed<Row extends object>(row: Row, fields: Partial<Row>): Row {
  const isSame = Object.entries(fields).every(([name, value]) => row[name as keyof Row] === value)
  return isSame ? row : { ...row, ...fields }
}

/** What is stored of a row other than it is shown: some fields, or all of a row that is gone; undefined: nothing. */
export function storedBeside(row: JsonObject, shown: JsonObject | undefined): JsonObject | undefined {
  if (shown === row) return undefined
  if (shown === undefined) return row
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => value !== shown[name]))
}
