import type { IndexingStatusGroup, Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import type { Answer } from '../../mock.js'
import { zipOf } from '../../zip.js'
import { type Probe, seen, statusOf } from '../probe.js'
import type { Opened } from '../sandboxes.js'

const status = '/api/manage/admin/connector/indexing-status'
const upload = '/api/manage/admin/connector/file/upload'

export const connectorProbes: Record<string, Probe> = {
  'connector.missing': ({ call }) => seen(call('GET', '/api/manage/connector/999')),

  'indexing.operator-name': async (on) =>
    (await report(on, { docs_count_operator: '>', docs_count_value: 1_000_000 })).map((group) => group.source),

  'indexing.paging': async (on) =>
    (await report(on, { source_to_page: { web: 99 } })).filter((group) => group.source === 'web').length,

  'indexing.source': async (on) => (await report(on, { source: 'web' })).map((group) => group.source),

  'indexing.federated-filters': async (on) =>
    (await report(on, { access_type_filters: ['public'], get_all_connectors: true })).flatMap((group) =>
      group.indexing_statuses.filter((item) => !('cc_pair_id' in item))
    ),

  'indexing.lifecycle': async (on) => {
    const before = await statuses(on)
    on.sandbox.clock.set({ now: on.sandbox.clock.now + 60_000 })
    return [before, await statuses(on)]
  },

  'indexing.refresh': async (on) => {
    on.sandbox.clock.set({ now: on.sandbox.clock.now + 2 * 86_400_000 })
    const items = (await report(on, { get_all_connectors: true })).flatMap((group) => group.indexing_statuses)
    return items.map((item) => 'last_success' in item && item.last_success)
  },

  'indexing.federated': async (on) =>
    (await report(on, { get_all_connectors: true })).flatMap((group) =>
      group.indexing_statuses.filter((item) => !('cc_pair_id' in item))
    ),

  'connector.credential-ids': async ({ call, sandbox: { rows } }) => {
    const row = rows.credentials.get(1) as Rows['credentials']
    rows.credentials.put({ ...row, user_id: null, curator_public: false })
    return (await call('GET', '/api/manage/connector/1', { as: 'basic' })).body.credential_ids
  },

  'indexing.filters': async (on) => (await report(on, { docs_count_value: 999_999_999 })).map((group) => group.source),

  'indexing.name-filter': async (on) => {
    const [group] = await report(on, {})
    const name = String(group?.indexing_statuses[0]?.name)
    return (await report(on, { name_filter: name.slice(1).toUpperCase() })).length
  },

  'indexing.secondary': async (on) =>
    (await report(on, { secondary_index: true })).flatMap((group) =>
      group.indexing_statuses.map((item) => ('last_status' in item ? item.last_status : null))
    ),

  'indexing.visibility': async ({ call, sandbox: { rows } }) => {
    for (const row of [...rows.connectorCredentials.all()]) {
      rows.connectorCredentials.put({ ...row, access_type: 'private' })
    }
    const { body } = await call('POST', status, { as: 'curator', body: { get_all_connectors: true } })
    return (body as IndexingStatusGroup[]).flatMap((group) => group.indexing_statuses).length
  },

  'indexing.summary': async (on) => {
    const rows = on.sandbox.rows.connectorCredentials
    const like = [...rows.where('byConnector', 1)][0] as Rows['connectorCredentials']
    for (let id = 900; id < 912; id++) rows.put({ ...like, id, name: 'Frost' })
    const groups = await report(on, { name_filter: 'frost' })
    return groups.map((group) => group.summary.total_connectors)
  },

  'indexing.active': async (on) => {
    const rows = on.sandbox.rows.connectorCredentials
    const like = [...rows.where('byConnector', 1)][0] as Rows['connectorCredentials']
    rows.put({ ...like, id: 900, status: 'SCHEDULED', last_success: null })
    return (await report(on, {})).map((group) => group.summary.active_connectors)
  },

  'upload.zip-entries': async (on) =>
    (await uploaded(on, ['a.txt', '.b.txt', '__MACOSX/c.txt', '.files_metadata.json'])).body.file_names,

  'upload.zips': (on) => statusOf(uploaded(on, ['a.txt'], ['b.txt'])),

  'upload.same-names': async (on) => (await uploaded(on, ['x/a.txt', 'y/a.txt'])).body.file_names,

  'upload.zip': ({ call }) => {
    const form = new FormData()
    form.append('files', new Blob(['not a zip']), 'pages.zip')
    return seen(call('POST', upload, { form }))
  }
}

async function report({ call }: Opened, body: object): Promise<IndexingStatusGroup[]> {
  return (await call('POST', status, { body })).body
}

/** The last statuses of everything that was never indexed before. */
async function statuses(on: Opened): Promise<unknown[]> {
  const items = (await report(on, { get_all_connectors: true })).flatMap((group) => group.indexing_statuses)
  return items.flatMap((item) => ('last_status' in item && !item.last_success ? (item.last_status ?? []) : []))
}

/** Uploads zips with entries at these paths. */
function uploaded({ call }: Opened, ...zips: string[][]): Promise<Answer> {
  const form = new FormData()
  for (const paths of zips) {
    const bytes = zipOf(paths.map((path) => ({ path, data: '{}' })))
    form.append('files', new Blob([new Uint8Array(bytes)]), `${zips.indexOf(paths)}.zip`)
  }
  return call('POST', upload, { form })
}
