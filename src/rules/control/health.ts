import { openapi } from '../../contract/openapi.js'
import type { ControlRules } from './rule.js'

export const healthRules: ControlRules<'getHealth' | 'getOpenapi'> = {
  getHealth: (_, { about: { version, instance, contract } }) => ({
    status: 'ok',
    version,
    contract: contract(),
    instance
  }),

  getOpenapi: ({ query }, { contract, server }) => openapi(contract, server, query.control ?? false)
}
