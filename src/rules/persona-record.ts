import type { DocumentSet, FederatedSummary, PairSummary, Persona, Rows, UserReference } from '../contract/types.gen.js'
import { isGone } from './files.js'
import type { Context } from './rule.js'

/** An agent as responses show it (2.7): ids become what they name, and what is gone is left out. */
export function personaRecord(context: Context, row: Rows['personas']): Persona {
  const { rows, now } = context
  const { tool_ids, label_ids, owner_id, user_ids, document_set_ids, user_file_ids, ...own } = row
  return {
    ...own,
    user_file_ids: user_file_ids.filter((id) => {
      const file = rows.userFiles.get(id)
      return file && !isGone(file, now)
    }),
    tools: tool_ids.flatMap((id) => rows.tools.get(id) ?? []),
    labels: label_ids.flatMap((id) => rows.labels.get(id) ?? []),
    owner: owner_id === null ? null : (userReference(context, owner_id)[0] ?? null),
    users: user_ids.flatMap((id) => userReference(context, id)),
    document_sets: document_set_ids.flatMap((id) => documentSet(context, id))
  }
}

function userReference({ rows }: Context, id: string): UserReference[] {
  const user = rows.users.get(id)
  return user ? [{ id: user.id, email: user.email }] : []
}

/** 2.9 */
function documentSet(context: Context, id: number): DocumentSet[] {
  const row = context.rows.documentSets.get(id)
  if (!row) return []
  const { cc_pair_ids, users, ...own } = row
  return [
    {
      ...own,
      cc_pair_summaries: cc_pair_ids.flatMap((pairId) => pairSummary(context, pairId)),
      users: users.filter((userId) => context.rows.users.get(userId)),
      federated_connector_summaries: row.federated_connector_summaries.map((it) => federatedSummary(context, it))
    }
  ]
}

/** A pair whose connector has a source that the contract in force does not know is not shown. */
function pairSummary({ rows, sources }: Context, id: number): PairSummary[] {
  const pair = rows.connectorCredentials.get(id)
  const connector = pair && rows.connectors.get(pair.connector_id)
  if (!connector || (sources && !sources.has(connector.source))) return []
  return [{ id: pair.id, name: pair.name, source: connector.source, access_type: pair.access_type }]
}

function federatedSummary(context: Context, summary: FederatedSummary): FederatedSummary {
  return context.assume('document-set.entities') === 'stored' ? summary : { ...summary, entities: {} }
}
