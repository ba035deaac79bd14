import type { Connector, Credential, Pair, Rows } from './rows.js'

const minute = 60_000
const accesses = ['public', 'private', 'sync'] as const
const states = ['success', 'in_progress', 'failed', 'not_started', 'canceled', 'completed_with_errors'] as const

/** The kinds of source that name no third party, and two others. */
const perSource = { web: 27, file: 6, imap: 4, ingestion_api: 2, mock_connector: 1 }

/** Connectors, credentials, and pairs of both for each source. */
export function seedPairs(now: number, ada: string, bob: string): Pick<Rows, 'connectors' | 'credentials' | 'pairs'> {
  const sources = Object.keys(perSource)
  const credential = (id: number, source: string, n: number): Credential => ({
    id,
    user: n === 2 ? bob : ada,
    name: `${source} key`,
    source,
    secret: { api_token: `s3cr3t-of-${source}-${id}`, region: 'north' },
    admin_public: n !== 3,
    curator_public: n === 1,
    groups: n === 1 ? [4] : [],
    created: now - id * minute,
    updated: now - id * minute + 1000
  })
  const credentials = [...sources, 'web', 'web'].map((source, n) => credential(301 + n, source, n))
  const connectors: Connector[] = []
  const pairs: Pair[] = []
  for (const [place, [source, count]] of Object.entries(perSource).entries()) {
    for (let n = 0; n < count; n++) {
      const id = 201 + connectors.length
      connectors.push({
        id,
        name: `${source} feed ${n}`,
        source,
        input_type: source === 'web' ? 'load_state' : 'poll',
        config: { base_url: `https://${source}-${n}.example/` },
        created: now - id * minute,
        updated: now - id * minute
      })
      const status = states[n % states.length] as string
      pairs.push({
        id: 701 + pairs.length,
        connector: id,
        credential: 301 + place,
        name: `${source} pair ${n}`,
        access: accesses[n % accesses.length] as Pair['access'],
        status,
        finished: status === 'in_progress' ? 'success' : status === 'not_started' ? null : status,
        docs: (n % 5) * 25,
        latest: n % 5,
        succeeded: status === 'not_started' ? null : now - (n + 1) * 60 * minute
      })
    }
  }
  const loose = { input_type: 'load_state', config: {}, created: now, updated: now }
  for (const id of [291, 292, 293]) connectors.push({ ...loose, id, name: `spare feed ${id}`, source: 'web' })
  return { connectors, credentials, pairs }
}
