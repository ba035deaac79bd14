import { openapiOf } from '../../contract/openapi.js'
import { Refusal } from '../../contract/refusal.js'
import type { ControlRules } from './rule.js'

export const healthRules: ControlRules<'getHealth' | 'getMetrics' | 'getOpenapi'> = {
  getHealth: ({ query: { ready } }, { about: { version, instance, contract }, isReady }) => {
    if (ready && !isReady()) throw new Refusal('not-ready')
    return { status: 'ok', version, contract: contract(), instance: instance() }
  },

  getMetrics: (_, { metrics }) => metrics(),

  getOpenapi: ({ query }, { contract, server, sandbox, ledger }) =>
    openapiOf(contract, { entries: ledger(), choices: sandbox.choices }, server, query.control ?? false)
}
