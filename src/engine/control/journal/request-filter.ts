import type { Contract } from '../../contract/contract.js'
import { schemaOf } from '../../contract/load.js'
import { didYouMean } from '../../contract/nearest.js'
import { readMoment } from '../../contract/pydantic/datetime.js'
import type { JournalEntry, Operations } from '../../contract/types.gen.js'
import { numberOf } from '../../journal/journal.js'
import { isUnknown } from '../../journal/near-misses.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { invalid } from '../rule.js'
import { queryTest } from './request-query.js'

export type Filter = Operations['streamEvents']['input']['query'] & { id?: string }
export type Test = (entry: JournalEntry) => boolean

/** The test for a filter. Throws Invalid, with the valid values, if no request can ever match. */
export function filterOf(filter: Filter, contract: Contract, sandbox: Sandbox): Test {
  const { journal, choices } = sandbox
  const testsOf: { readonly [Name in keyof Filter]?: (wanted: NonNullable<Filter[Name]>) => Test } = {
    id: (id) => (entry) => entry.id === id,
    operation(operation) {
      checkKnown('operation', 'operation', operation, contract.operations.keys())
      return (entry) => entry.operation === operation
    },
    status: statusTest,
    since: sinceTest,
    test_case: (name) => (entry) => entry.test_case === name,
    q(q) {
      const words = q.toLowerCase().split(/\s+/)
      return ({ method, url }) => {
        const text = `${method} ${url}`.toLowerCase()
        return words.every((word) => text.includes(word))
      }
    },
    user: (user) => (entry) => (entry.user ?? 'nobody') === user,
    source(source) {
      const { enum: sources } = schemaOf(contract.documents, { $ref: 'control.json#/$defs/AnswerSource' })
      checkKnown('source', 'source', source, sources as string[])
      return (entry) => entry.source === source
    },
    assumed(assumed) {
      checkKnown('assumed', 'assumption', assumed, Object.keys(choices))
      return ({ assumptions }) => assumptions.includes(assumed)
    },
    changed(changed) {
      checkKnown('changed', 'collection', changed, contract.collections.keys())
      return (entry) => entry.changed?.some(({ collection }) => collection === changed) === true
    },
    violations: (value) => (entry) => (entry.violations.length > 0 || entry.refused !== undefined) === value,
    unmatched: (value) => (entry) => isUnknown(entry) === value,
    query: (query) =>
      queryTest(query, {
        journal,
        examples: contract.api.examples,
        isCollection: (name) => contract.collections.has(name),
        filter: (part) => filterOf(part, contract, sandbox)
      }),
    // This is last, because it costs the most.
    body(body) {
      const text = body.toLowerCase()
      return ({ id }) => journal.contains(id, text)
    }
  }
  const tests = Object.entries(testsOf).flatMap(([name, testOf]) => {
    const value = filter[name as keyof Filter]
    return value === undefined ? [] : [testOf(value as never)]
  })
  return (entry) => tests.every((test) => test(entry))
}

function checkKnown(field: string, noun: string, name: string, names: Iterable<string>): void {
  const all = [...names]
  if (all.includes(name)) return
  const text = `There is no ${noun} "${name}". ${didYouMean(name, all)}`
  throw invalid(['query', field], text, all)
}

function statusTest(status: string): Test {
  if (/^[1-5]xx$/i.test(status)) return (entry) => Math.floor(entry.status / 100) === Number(status[0])
  if (/^([1-5]\d\d|0)$/.test(status)) return (entry) => entry.status === Number(status)
  const text = `"${status}" is not a status. Give one such as 422, a class such as 4xx, or 0 for a broken connection.`
  throw invalid(['query', 'status'], text)
}

function sinceTest(since: string): Test {
  const number = numberOf(since)
  if (number !== undefined) return ({ id }) => (numberOf(id) as number) > number
  const moment = readMoment(since)
  if (moment !== undefined) return ({ time }) => time >= moment
  const text = `"${since}" is not valid. Give a request's id such as r12, or an ISO 8601 time such as 2026-03-02T10:00:00Z.`
  throw invalid(['query', 'since'], text)
}
