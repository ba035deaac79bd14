import { Refusal } from '../../contract/message/refusal.js'
import { didYouMean } from '../../contract/nearest.js'
import { operationDocument } from '../../contract/openapi/operation-document.js'
import type { ControlRules } from './rule.js'

export const operationRules: ControlRules<'listOperations' | 'getOperation'> = {
  listOperations: (_, { contract }) => ({
    operations: [...contract.operations.values()].map(({ id, method, path, summary, own }) => ({
      id,
      method,
      path,
      summary,
      ...(own && { document: own.document })
    }))
  }),

  getOperation({ path: { id } }, { contract, ledger, sandbox: { choices }, server }) {
    const operation = contract.operations.get(id)
    if (operation) return operationDocument(contract, { entries: ledger(), choices }, operation, server)
    throw new Refusal('unknown-operation', { id, nearest: didYouMean(id, [...contract.operations.keys()]) })
  }
}
