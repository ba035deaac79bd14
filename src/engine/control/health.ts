import { Refusal } from '../contract/message/refusal.js'
import { openapiOf } from '../contract/openapi/openapi.js'
import type { Cluster } from '../contract/types.gen.js'
import { exposition, type Metric } from '../metrics/exposition.js'
import type { ControlRules } from './rule.js'

export const healthRules: ControlRules<'getHealth' | 'getCluster' | 'getShadow' | 'getMetrics' | 'getOpenapi'> = {
  getHealth: ({ query: { ready } }, { about: { version, instance, contract }, problem }) => {
    const reason = ready ? problem() : undefined
    if (reason !== undefined) throw new Refusal('not-ready', { reason })
    return { status: 'ok', version, contract: contract(), instance: instance() }
  },

  getCluster: (_, { prepared, about }) => {
    if (prepared) return prepared as Cluster
    const node = about.instance().slice(0, 8)
    return { node, address: null, engine: null, prefix: null, lease_ms: null, nodes: [{ node, address: null }] }
  },

  getShadow: (_, { shadowReport }) => shadowReport() ?? { url: null, operations: [] },

  getMetrics: (_, { prepared, metrics }) => exposition((prepared as Metric[] | undefined) ?? metrics()),

  getOpenapi: ({ query }, { contract, server, sandbox, ledger }) =>
    openapiOf(contract, { entries: ledger(), choices: sandbox.choices }, server, query.control ?? false)
}
