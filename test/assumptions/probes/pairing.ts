import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import { type Probe, seen, statusOf } from '../probe.js'

const associated = '/api/manage/connector/1/credential/1'
const apart = '/api/manage/connector/1/credential/2'

export const pairingProbes: Record<string, Probe> = {
  'pairing.repeated': ({ call }) => seen(call('PUT', associated, { body: {} })),

  'pairing.names': ({ call, sandbox: { rows } }) => {
    const name = [...rows.connectorCredentials.all()].find((it) => it.name)?.name
    return statusOf(call('PUT', apart, { body: { name } }))
  },

  'pairing.removal': async ({ call, sandbox: { rows } }) => {
    const pair = [...rows.connectorCredentials.where('byConnector', 1)].find((it) => it.credential_id === 1)
    const [set] = rows.documentSets.all()
    const id = set?.id as number
    rows.documentSets.put({
      ...(set as Rows['documentSets']),
      is_up_to_date: true,
      cc_pair_ids: [pair?.id as number]
    })
    await call('DELETE', associated)
    return [rows.documentSets.get(id)?.cc_pair_ids, rows.documentSets.get(id)?.is_up_to_date]
  },

  'status-response.message': async ({ call }) => (await call('DELETE', apart)).body.message,

  'pairing.absent': ({ call }) => seen(call('DELETE', apart)),

  'pairing.data': async ({ call }) => [
    (await call('PUT', apart, { body: {} })).body.data,
    (await call('PUT', apart, { body: {} })).body.data
  ],

  'pairing.sources': ({ call, sandbox: { rows } }) => {
    const row = rows.credentials.get(2) as Rows['credentials']
    rows.credentials.put({ ...row, source: 'imap' })
    return statusOf(call('PUT', apart, { body: {} }))
  },

  'pairing.removed-data': async ({ call }) => (await call('DELETE', apart)).body.data,

  'pairing.first-attempt': async ({ call, sandbox: { rows } }) => {
    await call('PUT', apart, { body: {} })
    const pair = [...rows.connectorCredentials.where('byConnector', 1)].find((it) => it.credential_id === 2)
    return [...rows.indexAttempts.where('byPair', pair?.id as number)].length
  },

  'pairing.access-type': async ({ call, sandbox: { rows } }) => {
    await call('PUT', apart, { body: {} })
    return [...rows.connectorCredentials.where('byConnector', 1)].find((it) => it.credential_id === 2)?.access_type
  }
}
