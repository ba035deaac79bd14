import { shownPersona } from '../../contract/rows.gen.js'
import type {
  DocumentSet,
  FederatedSummary,
  PairSummary,
  Persona,
  Rows,
  UserReference
} from '../../contract/types.gen.js'
import { isGone } from '../files/files.js'
import { foundBy } from '../found.js'
import type { Context } from '../rule.js'

/** An agent as responses show it (2.7). Ids are replaced by their rows, and missing rows are left out. */
export function personaReply(context: Context, stored: Rows['personas']): Persona {
  const { rows, now } = context
  const row = inChunks(context, stored)
  return shownPersona(row, {
    user_file_ids: row.user_file_ids.filter((id) => {
      const file = rows.userFiles.get(id)
      return file && !isGone(file, now)
    }),
    tools: foundBy(row.tool_ids, (id) => rows.tools.get(id)),
    labels: foundBy(row.label_ids, (id) => rows.labels.get(id)),
    owner: row.owner_id === null ? null : (userReference(context, row.owner_id) ?? null),
    users: foundBy(row.user_ids, (id) => userReference(context, id)),
    document_sets: foundBy(row.document_set_ids, (id) => documentSet(context, id))
  })
}

/** A fraction may have been stored while num_chunks was a number. */
function inChunks(context: Context, row: Rows['personas']): Rows['personas'] {
  const { num_chunks } = row
  if (num_chunks === null || Number.isInteger(num_chunks)) return row
  return context.assume('persona.num-chunks') === 'number' ? row : { ...row, num_chunks: Math.floor(num_chunks) }
}

function userReference({ rows }: Context, id: string): UserReference | undefined {
  const user = rows.users.get(id)
  return user && { id: user.id, email: user.email }
}

/** 2.9 */
function documentSet(context: Context, id: number): DocumentSet | undefined {
  const row = context.rows.documentSets.get(id)
  return (
    row && {
      id: row.id,
      name: row.name,
      description: row.description,
      cc_pair_summaries: foundBy(row.cc_pair_ids, (pairId) => pairSummary(context, pairId)),
      is_up_to_date: row.is_up_to_date,
      is_public: row.is_public,
      users: row.users.filter((userId) => context.rows.users.get(userId)),
      groups: row.groups,
      federated_connector_summaries: row.federated_connector_summaries.map((it) => federatedSummary(context, it))
    }
  )
}

/** A pair is hidden if the contract in force does not know its connector's source. */
function pairSummary({ rows, sources }: Context, id: number): PairSummary | undefined {
  const pair = rows.connectorCredentials.get(id)
  const connector = pair && rows.connectors.get(pair.connector_id)
  if (!connector || (sources && !sources.has(connector.source))) return undefined
  return { id: pair.id, name: pair.name, source: connector.source, access_type: pair.access_type }
}

function federatedSummary(context: Context, summary: FederatedSummary): FederatedSummary {
  return context.assume('document-set.entities') === 'stored' ? summary : { ...summary, entities: {} }
}
