import type { IndexingStatusGroup } from '../../../src/contract/types.gen.js'
import { type Probe, seen } from '../probe.js'
import type { Opened } from '../sandboxes.js'

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

  'upload.zip': ({ call }) => {
    const form = new FormData()
    form.append('files', new Blob(['not a zip']), 'pages.zip')
    return seen(call('POST', '/api/manage/admin/connector/file/upload', { form }))
  }
}

async function report({ call }: Opened, body: object): Promise<IndexingStatusGroup[]> {
  return (await call('POST', '/api/manage/admin/connector/indexing-status', { body })).body
}

/** The last statuses of all that was never indexed before. */
async function statuses(on: Opened): Promise<unknown[]> {
  const items = (await report(on, { get_all_connectors: true })).flatMap((group) => group.indexing_statuses)
  return items.flatMap((item) => ('last_status' in item && !item.last_success ? (item.last_status ?? []) : []))
}
