import type { Contract } from '../../contract/contract.js'
import type { Operation } from '../../contract/model.js'
import { numberOf } from '../../contract/openapi/openapi.js'
import { statusesOf } from '../../contract/outcomes.js'
import type { Coverage as CoverageReply, Operations } from '../../contract/types.gen.js'
import { Coverage } from '../../journal/coverage.js'
import { isUnknown } from '../../journal/near-misses.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { Steps } from '../../store/steps.js'
import type { ControlContext } from '../rule.js'
import { contextAt } from './past.js'

export function* readCoverage(
  { query: { at } }: Operations['getCoverage']['input'],
  context: ControlContext
): Steps<Operations['getCoverage']['reply']> {
  const { contract, sandbox } = context
  const then = contextAt(context, at)
  const coverage = at === undefined ? sandbox.coverage : yield* coverageUntil(then.sandbox.journal.position, sandbox)
  const operations = [...contract.operations.values()]
    .sort((a, b) => numberOf(a) - numberOf(b))
    .map((operation) => operationCoverage(contract, operation, coverage))
  const unknown = [...coverage.unknown].map(([key, seen]) => {
    const mark = key.indexOf(' ')
    return { method: key.slice(0, mark), path: key.slice(mark + 1), seen }
  })
  return {
    operations,
    unknown,
    assumptions: reliance(then, coverage),
    summary: {
      operations: operations.length,
      covered: operations.filter(({ label }) => label === 'covered').length,
      violations: operations.flatMap(({ statuses }) => statuses).reduce((sum, it) => sum + it.violations, 0)
    }
  }
}

/** The coverage of this many exchanges, as far as the journal keeps them. */
function* coverageUntil(position: number, { journal }: Sandbox): Steps<Coverage> {
  const coverage = new Coverage()
  for (const entry of journal.entries()) {
    const { id, operation, method, url, status, violations, assumptions } = entry
    if (Number(id.slice(1)) > position || status === 0) continue
    if (operation !== null) {
      coverage.count(operation, status, violations.length, assumptions, journal.isDocumented(id))
    }
    if (isUnknown(entry)) coverage.countUnknown(method, url.replace(/[?#].*/s, ''), assumptions)
    yield
  }
  return coverage
}

/** Every status in the contract and every status that was seen. */
function operationCoverage(
  contract: Contract,
  operation: Operation,
  coverage: Coverage
): CoverageReply['operations'][number] {
  const { id, code, method, path } = operation
  const counts = coverage.statuses.get(id)
  const documented = statusesOf(contract, operation)
  const statuses = [...new Set([...documented, ...(counts?.keys() ?? [])])].sort((a, b) => a - b)
  return {
    operation: id,
    code,
    method,
    path,
    label: counts ? 'covered' : 'not used',
    statuses: statuses.map((status) => {
      const { seen: times = 0, violations = 0, undocumented = 0 } = counts?.get(status) ?? {}
      return { status, documented: times > 0 ? undocumented === 0 : true, seen: times, violations }
    })
  }
}

/** The assumptions behind the responses, most used first: questions for people who know the platform. */
function reliance({ sandbox, ledger }: ControlContext, { assumptions }: Coverage): CoverageReply['assumptions'] {
  return ledger()
    .flatMap(({ id, question }) => {
      const use = assumptions.get(id)
      if (!use) return []
      return { id, question, choice: sandbox.choices[id] as string, uses: use.uses, operations: [...use.operations] }
    })
    .sort((a, b) => b.uses - a.uses || b.operations.length - a.operations.length)
}
