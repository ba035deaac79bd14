import { type Probe, seen } from '../probe.js'

const associated = '/api/manage/connector/1/credential/1'
const apart = '/api/manage/connector/1/credential/2'

export const pairingProbes: Record<string, Probe> = {
  'pairing.repeated': ({ call }) => seen(call('PUT', associated, { body: {} })),

  'pairing.absent': ({ call }) => seen(call('DELETE', apart)),

  'pairing.data': async ({ call }) => (await call('PUT', apart, { body: {} })).body.data,

  'pairing.access-type': async ({ call, sandbox: { rows } }) => {
    await call('PUT', apart, { body: {} })
    return [...rows.connectorCredentials.where('byConnector', 1)].find((it) => it.credential_id === 2)?.access_type
  }
}
