import type { Connector, Pair, Rows } from '../data/rows.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { impossible, notFound } from '../refused.js'

function snapshotOf(rows: Rows, connector: Connector) {
  const { id, name, source, input_type, config, created, updated } = connector
  return {
    name,
    source,
    input_type,
    connector_specific_config: config,
    id,
    credential_ids: rows.pairs.filter((it) => it.connector === id).map((it) => it.credential),
    time_created: new Date(created).toISOString(),
    time_updated: new Date(updated).toISOString(),
    refresh_freq: 1800,
    prune_freq: 86_400,
    indexing_start: null
  }
}

export function addPairs(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)
  const path = { connector_id: kinds.pathInteger, credential_id: kinds.pathInteger }
  const url = '/api/manage/connector/:connector_id/credential/:credential_id'
  const pairOf = (connector: number, credential: number) =>
    rows.pairs.find((it) => it.connector === connector && it.credential === credential)

  door.add({
    id: 'E13',
    method: 'PUT',
    url,
    path,
    body: {
      name: kinds.text.optional(),
      auto_sync_options: kinds.object.optional(),
      groups: kinds.integers.optional()
    },
    answer({ path: { connector_id, credential_id }, body }) {
      const connector = rows.connectors.find((it) => it.id === connector_id)
      if (!connector) throw notFound('connector')
      const credential = rows.credentials.find((it) => it.id === credential_id)
      if (!credential) throw notFound('credential')
      if (connector.source !== credential.source) throw impossible('Connector and credential have other sources.')
      const known = pairOf(connector_id, credential_id)
      if (known) return { success: true, message: 'They were linked before.', data: known.id }
      const pair: Pair = {
        id: service.nextId(),
        connector: connector_id,
        credential: credential_id,
        name: body.name ?? connector.name,
        access: 'public',
        status: 'not_started',
        finished: null,
        docs: 0,
        latest: 0,
        succeeded: null
      }
      rows.pairs.push(pair)
      return { success: true, message: 'Linked.', data: pair.id }
    }
  })

  door.add({
    id: 'E14',
    method: 'DELETE',
    url,
    path,
    answer({ path: { connector_id, credential_id } }) {
      const pair = pairOf(connector_id, credential_id)
      if (!pair) throw notFound('link')
      rows.pairs.splice(rows.pairs.indexOf(pair), 1)
      return { success: true, message: 'Unlinked.', data: connector_id }
    }
  })

  door.add({
    id: 'E15',
    method: 'GET',
    url: '/api/manage/connector/:connector_id',
    path: { connector_id: kinds.pathInteger },
    answer({ path: { connector_id } }) {
      const connector = rows.connectors.find((it) => it.id === connector_id)
      if (!connector) throw notFound('connector')
      return snapshotOf(rows, connector)
    }
  })
}
