import type { Contract, Operation } from '../../../contract/contract.js'
import { numberOf } from '../../../contract/openapi/openapi.js'
import { statusesOf } from '../../../contract/outcomes.js'
import type { Coverage as CoverageReply } from '../../../contract/types.gen.js'
import type { Coverage } from '../../../mock/journal/coverage.js'
import type { ControlContext, ControlRules } from '../rule.js'

export const coverageRules: ControlRules<'getCoverage'> = {
  getCoverage: (_, context) => {
    const { contract, sandbox } = context
    const operations = [...contract.operations.values()]
      .sort((a, b) => numberOf(a) - numberOf(b))
      .map((operation) => operationCoverage(contract, operation, sandbox.coverage))
    const unknown = [...sandbox.coverage.unknown].map(([key, seen]) => {
      const mark = key.indexOf(' ')
      return { method: key.slice(0, mark), path: key.slice(mark + 1), seen }
    })
    return {
      operations,
      unknown,
      assumptions: reliance(context),
      summary: {
        operations: operations.length,
        covered: operations.filter(({ label }) => label === 'covered').length,
        violations: operations.flatMap(({ statuses }) => statuses).reduce((sum, it) => sum + it.violations, 0)
      }
    }
  }
}

/** Every status in the contract and every status that was seen. */
function operationCoverage(
  contract: Contract,
  operation: Operation,
  coverage: Coverage
): CoverageReply['operations'][number] {
  const { id, code, method, path } = operation
  const seen = coverage.statuses.get(id)
  const documented = statusesOf(contract, operation)
  const statuses = [...new Set([...documented, ...(seen?.keys() ?? [])])].sort((a, b) => a - b)
  return {
    operation: id,
    code,
    method,
    path,
    label: seen ? 'covered' : 'not used',
    statuses: statuses.map((status) => ({
      status,
      documented: documented.has(status),
      ...(seen?.get(status) ?? { seen: 0, violations: 0 })
    }))
  }
}

/** The assumptions behind the responses, the most used first: questions for those who know the platform. */
function reliance({ sandbox, ledger }: ControlContext): CoverageReply['assumptions'] {
  return ledger()
    .flatMap(({ id, question }) => {
      const use = sandbox.coverage.assumptions.get(id)
      if (!use) return []
      return { id, question, choice: sandbox.choices[id] as string, uses: use.uses, operations: [...use.operations] }
    })
    .sort((a, b) => b.uses - a.uses || b.operations.length - a.operations.length)
}
