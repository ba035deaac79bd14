import type { Connector, Pair } from '../data/rows.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { impossible, invalid, notFound, Refused } from '../refused.js'
import { pause, type Service } from '../state.js'

/** The credentials of a connector. */
function credentialsOf(service: Service, connector: Connector): number[] {
  const { credentials, pairs } = service.rows
  if (service.broken('E15-everybodys')) {
    return credentials.filter(({ source }) => source === connector.source).map(({ id }) => id)
  }
  return pairs.filter((it) => it.connector === connector.id).map((it) => it.credential)
}

function snapshotOf(service: Service, connector: Connector) {
  const { id, name, source, input_type, config, created, updated } = connector
  return {
    name,
    source,
    input_type,
    connector_specific_config: config,
    id,
    credential_ids: credentialsOf(service, connector),
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

  const firstPair = rows.pairs[0]?.id
  const otherSources = () =>
    service.chose('E13-source-422')
      ? invalid({ loc: ['path', 'credential_id'], msg: 'It has another source.', type: 'other_source' })
      : impossible('Connector and credential have other sources.')

  const dataOf = (pair: Pair) =>
    service.chose('E13-data-null') ? null : service.chose('E13-data-credential') ? pair.credential : pair.id

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
    async answer({ path: { connector_id, credential_id }, body }) {
      const connector = rows.connectors.find((it) => it.id === connector_id)
      if (!connector && service.broken('E13-unknown')) return { success: true, message: 'Linked.', data: connector_id }
      if (!connector) throw notFound('connector')
      const credential = rows.credentials.find((it) => it.id === credential_id)
      if (!credential) {
        if (service.broken('E13-half')) rows.pairs.push(newPair(connector, credential_id))
        if (service.broken('E13-no-credential')) throw new Error('no row')
        throw notFound('credential')
      }
      if (connector.source !== credential.source && !service.chose('E13-any-source')) throw otherSources()
      const known = pairOf(connector_id, credential_id)
      if (known && service.broken('E13-twice-fails')) throw new Error('a second row')
      if (known && !service.broken('E13-twice')) {
        if (service.chose('E13-again-409'))
          throw new Refused(409, { error: { code: 'linked', text: 'Linked before.' } })
        if (service.chose('E13-again-failed')) return { success: false, message: 'They are linked.', data: null }
        return { success: true, message: 'They were linked before.', data: dataOf(known) }
      }
      if (service.broken('race-E13')) await pause()
      // No other pair is without a name.
      const later = service.chose('E16-pairs-later') ? '' : undefined
      const name = service.chose('E13-own-names') ? connector.name : body?.name
      const pair = newPair(connector, credential_id, later ?? name)
      if (service.broken('E13-moves')) rows.pairs = rows.pairs.filter((it) => it.credential !== credential_id)
      if (service.broken('E13-removes')) rows.pairs = rows.pairs.filter(({ id }) => id !== firstPair)
      if (!service.broken('E13-lost')) rows.pairs.push(pair)
      return { success: true, message: 'Linked.', data: dataOf(pair) }
    }
  })

  const newPair = (connector: Connector, credential: number, name = connector.name): Pair => ({
    id: service.nextId(),
    connector: connector.id,
    credential,
    name,
    access: 'public',
    status: 'not_started',
    finished: null,
    docs: 0,
    latest: 0,
    succeeded: null
  })

  door.add({
    id: 'E14',
    method: 'DELETE',
    url,
    path,
    answer({ path: { connector_id, credential_id } }) {
      const pair = pairOf(connector_id, credential_id)
      if (!pair && service.chose('E14-missing-status')) return { success: false, message: 'Not linked.', data: null }
      if (!pair && service.chose('deletes-twice')) return { success: true, message: 'Unlinked.', data: null }
      if (!pair) throw notFound('link')
      const goes = (it: Pair) =>
        (it === pair && !service.broken('E14-kept')) ||
        (service.broken('E14-all-of-connector') && it.connector === connector_id) ||
        (service.broken('E14-all-of-credential') && it.credential === credential_id)
      rows.pairs = rows.pairs.filter((it) => !goes(it))
      if (service.broken('E14-deletes')) rows.credentials = rows.credentials.filter(({ id }) => id !== credential_id)
      return { success: true, message: 'Unlinked.', data: connector_id }
    }
  })

  const firstRead = new Map<number, object>()

  door.add({
    id: 'E15',
    method: 'GET',
    url: '/api/manage/connector/:connector_id',
    path: { connector_id: kinds.pathInteger },
    answer({ path: { connector_id } }) {
      const connector = rows.connectors.find((it) => it.id === connector_id)
      if (!connector && service.broken('E15-unknown')) throw new Error('no row')
      if (!connector && service.chose('E15-status')) {
        return { success: false, message: 'There is no such connector.', data: connector_id }
      }
      if (!connector) throw notFound('connector')
      const snapshot = snapshotOf(service, connector)
      if (!service.broken('E15-stale')) return snapshot
      if (!firstRead.has(connector_id)) firstRead.set(connector_id, snapshot)
      return firstRead.get(connector_id)
    }
  })
}
