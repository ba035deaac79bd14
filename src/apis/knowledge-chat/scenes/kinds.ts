import type { RowKind } from '../../../tools/verify/api.js'

/** The kinds of rows, in the order in which `verify` looks for them. */
export const kinds = {
  persona: { name: 'persona_id', read: 'getPersona', remove: 'deletePersona', likely: [0, 1, 2, 3, 4], needed: 1 },
  connector: { name: 'connector_id', read: 'getConnector', likely: [1, 2, 3], needed: 2 },
  credential: { name: 'credential_id', read: 'getCredential', likely: [1, 2] },
  project: { name: 'project_id', read: 'getProjectDetails', likely: [1, 2, 3], isOwned: true, needed: 2 },
  file: {
    name: 'file_id',
    read: 'getFile',
    remove: 'deleteFile',
    check: 'file_readable_in_any_status',
    isOwned: true,
    needed: 4
  },
  tool: { name: 'tool_id', remove: 'deleteTool', needed: 2 },
  limit: { name: 'token_rate_limit_id', remove: 'deleteTokenRateLimit', needed: 2 },
  user: {
    name: 'user_email',
    remove: 'deleteUser',
    unknown: (seed: number) => `nobody-${seed}@example.com`,
    needed: 2
  }
} as const satisfies Record<string, RowKind>

export type Kind = keyof typeof kinds
