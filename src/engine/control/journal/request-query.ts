import type { Api } from '../../api.js'
import type { Invalid } from '../../contract/pydantic/explain.js'
import type { JournalEntry, Operations } from '../../contract/types.gen.js'
import { type Journal, numberOf } from '../../journal/journal.js'
import { invalid } from '../rule.js'

type Test = (entry: JournalEntry) => boolean

interface QueryParts {
  journal: Journal
  examples: Api['examples']
  isCollection: (name: string) => boolean
  /** The test for a parameter of the same meaning. */
  filter: (filter: Operations['listRequests']['input']['query']) => Test
}

/**
 * The test for a query. All terms must hold; a comma separates alternatives, and a minus in front negates a term. A term without
 * a field is a word in URL, bodies, operation or user. Throws Invalid, which says what is allowed.
 */
export function queryTest(query: string, parts: QueryParts): Test {
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
      : wordTest(text, parts)
  return isNegated ? (entry) => !test(entry) : test
}

/** The names of columns work too. */
const aliases: Readonly<Record<string, string>> = { operation: 'op', duration: 'took' }

/** How a term with a field is written, and the test for a value. Undefined: the value is wrong. */
type FieldTest = [form: string, test: (value: string) => Test | undefined]

function fieldsIn({
  journal,
  examples: { operation, row },
  isCollection,
  filter
}: QueryParts): Readonly<Record<string, FieldTest>> {
  const same = (name: string) => (value: string) => filter({ [name]: value })
  const flag = (name: string) => (value: string) =>
    /^(true|false)$/.test(value) ? filter({ [name]: value === 'true' }) : undefined
  const isIn = (value: string, text: string | undefined) => text?.toLowerCase().includes(value.toLowerCase()) === true
  const milliseconds = (value: string) =>
    value.toLowerCase().replace(/(\d{1,12}(?:\.\d{1,6})?)(ms|s)\b/g, (_, number, unit) => {
      return `${Number(number) * (unit === 's' ? 1000 : 1)}`
    })
  const rowTest = (lists: TouchList[]) => (value: string) =>
    isCollection(value.split('/')[0] as string) ? touchTest(value, journal, lists) : undefined
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

function wordTest(word: string, { journal }: QueryParts): Test {
  const text = word.toLowerCase()
  return ({ id, url, operation, user }) =>
    [url, operation, user].some((it) => it?.toLowerCase().includes(text)) || journal.contains(id, text)
}

function unclear(sentence: string, allowed?: readonly string[]): Invalid {
  return invalid(['query', 'query'], sentence, allowed)
}
