import type { ConnectorIndexingStatus, Rows } from '../../types.gen.js'
import { attemptDocs, attemptStatus, isFinished, pairAt } from '../connectors/attempts.js'
import { canEditPair } from '../credentials/credential-access.js'
import { type Context, isKnown } from '../rule.js'

/** The pair that receives documents ingested without a connector. */
const internalPair = 'DefaultCCPair'

/** Whether the report shows the private pairs of others. */
export function showsPrivate(context: Context): boolean {
  return context.assume('indexing.visibility') === 'all'
}

/**
 * A pair as the report shows it (E16, 2.10), with its latest attempts on the current or the secondary index. Undefined
 * if the caller may not see it.
 */
export function statusOf(
  context: Context,
  row: Rows['connectorCredentials'],
  attempts: readonly Rows['indexAttempts'][],
  isSecondary: boolean
): ConnectorIndexingStatus | undefined {
  const connector = context.rows.connectors.get(row.connector_id)
  if (!connector || !isKnown(context, connector) || row.name === internalPair) return undefined
  const is_editable = canEditPair(context, row)
  if (!is_editable && row.access_type === 'private' && !showsPrivate(context)) return undefined
  const ofIndex = attempts.filter((attempt) => attempt.secondary_index === isSecondary)
  const last = ofIndex[0] ? attemptStatus(context, ofIndex[0]) : null
  const finished = ofIndex.find((attempt) => isFinished(attemptStatus(context, attempt)))
  const pair = pairAt(context, row, attempts)
  return {
    cc_pair_id: row.id,
    name: row.name,
    source: connector.source,
    access_type: row.access_type,
    cc_pair_status: pair.status,
    in_progress: last === 'in_progress',
    in_repeated_error_state: pair.in_repeated_error_state,
    last_finished_status: finished ? attemptStatus(context, finished) : null,
    last_status: last,
    last_success: pair.last_success,
    is_editable,
    docs_indexed: pair.docs_indexed,
    latest_index_attempt_docs_indexed: ofIndex[0] ? attemptDocs(context, ofIndex[0]) : null
  }
}
