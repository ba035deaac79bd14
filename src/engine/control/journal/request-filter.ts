import type { Contract } from '../../contract/contract.js'
import { schemaOf } from '../../contract/load.js'
import { didYouMean } from '../../contract/nearest.js'
import { readMoment } from '../../contract/pydantic/datetime.js'
import type { Invalid } from '../../contract/pydantic/explain.js'
import type { JournalEntry, Operations } from '../../contract/types.gen.js'
import { type Journal, numberOf } from '../../journal/journal.js'
import { isUnknown } from '../../journal/near-misses.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { invalid } from '../rule.js'

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
    query: (query) => queryTest(query, { contract, sandbox }),
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

interface QueryParts {
  contract: Contract
  sandbox: Sandbox
}

/**
 * The test for a query. All terms must hold; a comma separates alternatives, and a minus in front negates a term. A term without
 * a field is a word in URL, bodies, operation or user. Throws Invalid, which says what is allowed.
 */
function queryTest(query: string, parts: QueryParts): Test {
  const tests = termsOf(query).map((term) => testOf(term, parts))
  return (entry) => tests.every((test) => test(entry))
}

/** The terms, separated by spaces. Quotes keep spaces together. */
function termsOf(query: string): string[] {
  const terms = query.match(/(?:[^\s"]|"[^"]*(?:"|$))+/g) ?? []
  return terms.map((term) => term.replaceAll('"', '')).filter(Boolean)
}

function testOf(term: string, parts: QueryParts): Test {
  if (/^(or|\|\|?)$/i.test(term)) {
    throw unclear(`"${term}" is not a term. Alternatives are separated by commas: status:404,503.`)
  }
  const isNegated = term.startsWith('-') && term.length > 1
  const text = isNegated ? term.slice(1) : term
  const colon = text.indexOf(':')
  const field = text.slice(0, Math.max(colon, 0))
  // Addresses and times have colons too.
  const test =
    /^[a-z]+$/.test(field) && !text.startsWith(`${field}://`)
      ? fieldTest(field, text.slice(colon + 1), parts)
      : wordTest(text, parts.sandbox)
  return isNegated ? (entry) => !test(entry) : test
}

/** The names of columns work too. */
const aliases: Readonly<Record<string, string>> = { operation: 'op', duration: 'took' }

/** How a term with a field is written, and the test for a value. Undefined: the value is wrong. */
type FieldTest = [form: string, test: (value: string) => Test | undefined]

function fieldsIn({ contract, sandbox }: QueryParts): Readonly<Record<string, FieldTest>> {
  const { operation, row } = contract.api.examples
  const filter = (part: Filter) => filterOf(part, contract, sandbox)
  const same = (name: string) => (value: string) => filter({ [name]: value })
  const flag = (name: string) => (value: string) =>
    /^(true|false)$/.test(value) ? filter({ [name]: value === 'true' }) : undefined
  const isIn = (value: string, text: string | undefined) => text?.toLowerCase().includes(value.toLowerCase()) === true
  const milliseconds = (value: string) =>
    value.toLowerCase().replace(/(\d{1,12}(?:\.\d{1,6})?)(ms|s)\b/g, (_, number, unit) => {
      return `${Number(number) * (unit === 's' ? 1000 : 1)}`
    })
  const rowTest = (lists: TouchList[]) => (value: string) =>
    contract.collections.has(value.split('/')[0] as string) ? touchTest(value, sandbox.journal, lists) : undefined
  return {
    status: [
      'status:404,503, status:4xx,5xx, status:400..499 or status:>=400',
      (value) => (/^[1-5]xx$/i.test(value) ? filter({ status: value }) : numberTest(value, ({ status }) => status))
    ],
    method: [
      'method:POST or method:POST,PUT',
      (value) => (/^[a-z-]+$/i.test(value) ? ({ method }) => method === value.toUpperCase() : undefined)
    ],
    took: [
      'took:>100 (milliseconds) or took:>1s',
      (value) => numberTest(milliseconds(value), ({ duration_ms }) => duration_ms)
    ],
    id: ['id:r50', (value) => (numberOf(value) === undefined ? undefined : ({ id }) => id === value)],
    op: [`op:${operation}`, same('operation')],
    user: ['user:basic', same('user')],
    client: [
      'client:curl, client:"Chrome 130" or client:none (of User-Agent)',
      (value) => (value === 'none' ? (entry) => entry.client === undefined : (entry) => isIn(value, entry.client))
    ],
    source: ['source:invented', same('source')],
    test: ['test:"signs in" (of X-Test-Case)', (value) => (entry) => isIn(value, entry.test_case)],
    override: [
      'override:o1 or override:any',
      (value) => (entry) => (value === 'any' ? entry.override !== undefined : entry.override === value)
    ],
    touched: [`touched:${row} (changed or read)`, rowTest(['reads', 'writes'])],
    changed: [
      `changed:${row}`,
      (value) => (value.includes('/') ? rowTest(['writes'])(value) : filter({ changed: value }))
    ],
    missed: [`missed:${row} (not found)`, rowTest(['missed'])],
    assumed: ['assumed:errors.missing', same('assumed')],
    body: ['body:frost', same('body')],
    violations: ['violations:true', flag('violations')],
    unmatched: ['unmatched:true', flag('unmatched')]
  }
}

function fieldTest(name: string, value: string, parts: QueryParts): Test {
  const field = aliases[name] ?? name
  const fields = fieldsIn(parts)
  const names = Object.keys(fields)
  const forms = Object.values(fields).map(([form]) => form)
  if (!Object.hasOwn(fields, field)) throw unclear(`There is no field "${field}". Fields: ${names.join(', ')}.`, forms)
  const [form, testOf] = fields[field] as FieldTest
  const isText = ['test', 'body'].includes(field)
  if (value.startsWith('!') && !isText) {
    throw unclear(`"${field}:${value}" is not valid. To exclude a value, write -${field}:${value.slice(1)}.`)
  }
  if (value.includes('|') && !isText) {
    throw unclear(`Alternatives are separated by commas: ${field}:${value.replaceAll('|', ',')}.`)
  }
  // Names of tests and bodies have commas.
  const tests = (isText ? [value] : value.split(',')).map((it) => {
    const test = it === '' ? undefined : testOf(it)
    if (!test) throw unclear(`"${field}:${value}" is not valid. Write ${form}.`, forms)
    return test
  })
  return (entry) => tests.some((test) => test(entry))
}

/** A number, a range of them, or a comparison with one. */
function numberTest(text: string, of: (entry: JournalEntry) => number): Test | undefined {
  const [, from, to] = /^(\d{1,9})\.\.(\d{1,9})$/.exec(text) ?? []
  if (to !== undefined) return (entry) => of(entry) >= Number(from) && of(entry) <= Number(to)
  const [, sign = '', digits] = /^(>=|<=|>|<)?(\d{1,9}(?:\.\d{1,9})?)$/.exec(text) ?? []
  if (digits === undefined) return undefined
  const bound = Number(digits)
  const tests: Record<string, (value: number) => boolean> = {
    '': (value) => value === bound,
    '>=': (value) => value >= bound,
    '<=': (value) => value <= bound,
    '>': (value) => value > bound,
    '<': (value) => value < bound
  }
  return (entry) => tests[sign]?.(of(entry)) === true
}

type TouchList = 'reads' | 'writes' | 'missed'

/** Whether an exchange read, changed or missed a row, or any row of a collection. */
function touchTest(text: string, journal: Journal, lists: TouchList[]): Test | undefined {
  const slash = text.indexOf('/')
  const [collection, id] = slash < 0 ? [text, undefined] : [text.slice(0, slash), text.slice(slash + 1)]
  if (id === '') return undefined
  return (entry) => {
    const recorded = journal.find(entry.id)
    return lists.some((list) =>
      recorded?.[list].some(
        (name, at, all) => at % 2 === 0 && name === collection && (id === undefined || String(all[at + 1]) === id)
      )
    )
  }
}

function wordTest(word: string, { journal }: Sandbox): Test {
  const text = word.toLowerCase()
  return ({ id, url, operation, user }) =>
    [url, operation, user].some((it) => it?.toLowerCase().includes(text)) || journal.contains(id, text)
}

function unclear(sentence: string, allowed?: readonly string[]): Invalid {
  return invalid(['query', 'query'], sentence, allowed)
}
