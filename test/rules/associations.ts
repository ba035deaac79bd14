import type { Rows } from '../../src/apis/knowledge-chat/types.gen.js'
import type { TestMock } from '../mock.js'

/*
 * Rows of credentials, connectors and their associations, for states that no operation can create.
 */

const times = { time_created: '2026-01-01T00:00:00.000Z', time_updated: '2026-01-01T00:00:00.000Z' }

/** Removes everything that the functions below add. */
export function clear(...mocks: TestMock[]): void {
  for (const { sandbox } of mocks) {
    const { credentials, connectors, connectorCredentials, indexAttempts, documentSets } = sandbox.rows
    for (const collection of [credentials, connectors, connectorCredentials, indexAttempts, documentSets]) {
      for (const row of [...collection.all()]) collection.remove(row.id)
    }
  }
}

export function idOf({ sandbox }: TestMock, key: string): string {
  return sandbox.rows.users.first('byKey', key)?.id as string
}

/** A credential of the user with this key, or without an owner. */
export function putCredential(
  mock: TestMock,
  id: number,
  owner: string | null,
  own: Partial<Rows['credentials']> = {}
): Rows['credentials'] {
  return mock.sandbox.rows.credentials.put({
    id,
    credential_json: { api_token: 'abcdefghijklmnop' },
    admin_public: false,
    source: 'imap',
    name: `credential ${id}`,
    curator_public: false,
    groups: [],
    user_id: owner === null ? null : idOf(mock, owner),
    ...times,
    ...own
  })
}

export function putConnector(
  { sandbox }: TestMock,
  id: number,
  own: Partial<Rows['connectors']> = {}
): Rows['connectors'] {
  return sandbox.rows.connectors.put({
    id,
    name: `connector ${id}`,
    source: 'web',
    input_type: 'poll',
    connector_specific_config: { base_url: 'https://wiki.example.com' },
    refresh_freq: 1800,
    prune_freq: null,
    indexing_start: null,
    ...times,
    ...own
  })
}

/** An association; without other numbers, of the connector and the credential with its number. */
export function putPair({ sandbox }: TestMock, id: number, own: Partial<Rows['connectorCredentials']> = {}): void {
  sandbox.rows.connectorCredentials.put({
    id,
    connector_id: id,
    credential_id: id,
    name: `pair ${id}`,
    access_type: 'public',
    status: 'ACTIVE',
    groups: [],
    auto_sync_options: null,
    docs_indexed: 0,
    last_success: null,
    in_repeated_error_state: false,
    ...own
  })
}

type Indexed = Partial<Rows['connectorCredentials']> & { source?: Rows['connectors']['source']; owner?: string | null }

/** An association with a new connector and credential. */
export function putIndexed(mock: TestMock, id: number, own: Indexed = {}): void {
  const { source = 'web', owner = 'admin', ...pair } = own
  putConnector(mock, id, { source })
  putCredential(mock, id, owner, { source, admin_public: true })
  putPair(mock, id, pair)
}

/** A moment this many seconds after the time of the tests. */
export function at(seconds: number): string {
  return new Date(Date.parse('2026-03-02T10:00:00Z') + seconds * 1000).toISOString()
}

export function moveTo({ sandbox }: TestMock, seconds: number): void {
  sandbox.clock.set({ now: Date.parse(at(seconds)) })
}

/** An attempt of a pair, by default one that succeeded 40 seconds ago. */
export function putAttempt({ sandbox }: TestMock, pair: number, own: Partial<Rows['indexAttempts']> = {}): void {
  const { indexAttempts } = sandbox.rows
  indexAttempts.put({
    id: Number(indexAttempts.lastId() ?? 0) + 1,
    connector_credential_id: pair,
    secondary_index: false,
    time_created: at(-60),
    starts_at: at(-50),
    settles_at: at(-40),
    settles_as: 'success',
    docs_indexed: 5,
    ...own
  })
}

/** A document set over these pairs and federated connectors. */
export function putDocumentSet(
  { sandbox }: TestMock,
  id: number,
  cc_pair_ids: number[],
  federated: [id: number, name: string, source: string][] = []
): void {
  sandbox.rows.documentSets.put({
    id,
    name: `set ${id}`,
    description: null,
    cc_pair_ids,
    is_up_to_date: true,
    is_public: true,
    users: [],
    groups: [],
    federated_connector_summaries: federated.map(([id, name, source]) => ({ id, name, source, entities: {} }))
  })
}
