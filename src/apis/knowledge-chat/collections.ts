import type { Collection } from '../../engine/store/collection.js'
import type { Collections } from '../../engine/store/rows.js'
import type { Rows } from './types.gen.js'

/** The collections with their look-up indices. The last field of an index makes its entries unique. */
export const collections = {
  users: { indices: { byKey: ['key', 'id'], byEmail: ['lower(email)', 'id'] } },
  personas: {
    indices: {
      byOwner: ['owner_id', 'id'],
      byUser: ['each(user_ids)', 'id'],
      byTool: ['each(tool_ids)', 'id'],
      byDocumentSet: ['each(document_set_ids)', 'id'],
      byFile: ['each(user_file_ids)', 'id']
    }
  },
  tools: { indices: { byUser: ['user_id', 'id'] } },
  documentSets: {
    indices: {
      byPair: ['each(cc_pair_ids)', 'id'],
      byUser: ['each(users)', 'id'],
      federated: ['filled(federated_connector_summaries)', 'id']
    }
  },
  labels: { indices: {} },
  chatSessions: {
    indices: {
      byUpdate: ['user_id', 'time_updated', 'id'],
      byCreation: ['user_id', 'time_created', 'id'],
      byProject: ['project_id', 'time_updated', 'id'],
      byPersona: ['persona_id', 'time_created', 'id']
    }
  },
  credentials: {
    indices: {
      byUser: ['user_id', 'id'],
      bySource: ['source', 'id'],
      ofNobody: ['absent(user_id)', 'id'],
      ofAdmins: ['when(admin_public)', 'id'],
      ofCurators: ['when(curator_public)', 'id']
    }
  },
  connectors: { indices: {} },
  connectorCredentials: {
    indices: { byConnector: ['connector_id', 'credential_id', 'id'], byCredential: ['credential_id', 'id'] }
  },
  indexAttempts: { indices: { byPair: ['connector_credential_id', 'id'] } },
  projects: { indices: { byUser: ['user_id', 'id'] } },
  projectFiles: { indices: { byProject: ['project_id', 'linked_at', 'id'], byFile: ['user_file_id', 'id'] } },
  userFiles: { indices: { byUser: ['user_id', 'id'] } },
  invites: { indices: { byEmail: ['lower(email)', 'id'], byInviter: ['invited_by', 'id'] } },
  tokenRateLimits: { indices: {} }
} as const satisfies Collections & { [C in CollectionName]: object }

export type CollectionName = keyof Rows

/** The collections of one state. An index that does not exist does not compile. */
export type Store = {
  readonly [C in CollectionName]: Collection<Rows[C], keyof (typeof collections)[C]['indices'] & string>
}
