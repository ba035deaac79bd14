/** The kinds of rows that verify can be given. Paths and bodies name each by its id. */
export const kinds = ['persona', 'connector', 'credential', 'project', 'file', 'tool', 'limit', 'user'] as const
export type RowKind = (typeof kinds)[number]
export type Id = number | string

/** Ids of rows by kind, as in the options: `{persona: [7]}`. */
export type RowIds = Partial<Record<RowKind, Id[]>>

/** The kind of row that a parameter or field names. */
export const kindOfName: Record<string, RowKind> = {
  persona_id: 'persona',
  connector_id: 'connector',
  credential_id: 'credential',
  project_id: 'project',
  file_id: 'file',
  tool_id: 'tool',
  token_rate_limit_id: 'limit',
  user_email: 'user'
}

/** The operation that reads a row, by kind. The other kinds cannot be read separately. */
export const readers: Partial<Record<RowKind, string>> = {
  persona: 'getPersona',
  connector: 'getConnector',
  credential: 'getCredential',
  project: 'getProjectDetails',
  file: 'getFile'
}

/** Ids that should not exist: within the range of a database's integer, and a UUID of this run. */
export const unknownNumber = 1_987_654_321
export const unknownUuid = '5eedbeef-0000-4000-8000-00000000dead'
