import type { Api } from '../../api.js'
import type { Invalid } from '../../contract/pydantic/explain.js'
import type { JournalEntry, Operations } from '../../contract/types.gen.js'
import { type Journal, numberOf } from '../../journal/journal.js'
import { invalid } from '../rule.js'

type Test = (entry: JournalEntry) => boolean

/** What a query is read with. */
interface QueryParts {
  journal: Journal
  examples: Api['examples']
  /** The test for a parameter of the same meaning. */
  filter: (filter: Operations['listRequests']['input']['query']) => Test
}

/** How each term of a query is written. */
const formsOf = ({ operation, row }: Api['examples']) => ({
  status: 'status:404,503, status:4xx,5xx, status:400..499 or status:>=400',
  method: 'method:POST or method:POST,PUT',
  took: 'took:>100 (milliseconds) or took:>1s',
  id: 'id:r50',
  op: `op:${operation}`,
  user: 'user:basic',
  client: 'client:curl, client:"Chrome 130" or client:none (of User-Agent)',
  source: 'source:invented',
  test: 'test:"signs in" (of X-Test-Case)',
  override: 'override:o1 or override:any',
  touched: `touched:${row} (changed, read or not found)`,
  changed: `changed:${row}`,
  assumed: 'assumed:errors.missing',
  body: 'body:frost',
  violations: 'violations:true',
  unmatched: 'unmatched:true'
})

type Field = keyof ReturnType<typeof formsOf>

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

function fieldTest(given: string, value: string, parts: QueryParts): Test {
  const field = (aliases[given] ?? given) as Field
  const forms = formsOf(parts.examples)
  const names = Object.keys(forms)
  if (!Object.hasOwn(forms, field)) throw unclear(`There is no field "${field}". Fields: ${names.join(', ')}.`, names)
  const isText = ['test', 'body'].includes(field)
  const refuse = () => {
    const text = `"${field}:${value}" is not valid.`
    if (value.startsWith('!')) return unclear(`${text} To exclude a value, write -${field}:${value.slice(1)}.`)
    return unclear(`${text} Write ${forms[field]}.`, [forms[field]])
  }
  if (value.startsWith('!') && !isText) throw refuse()
  if (value.includes('|') && !isText) {
    throw unclear(`Alternatives are separated by commas: ${field}:${value.replaceAll('|', ',')}.`)
  }
  // Names of tests and bodies have commas.
  const tests = (isText ? [value] : value.split(',')).map((it) => valueTest(field, it, parts, refuse))
  return (entry) => tests.some((test) => test(entry))
}

function valueTest(field: Field, value: string, { journal, filter }: QueryParts, refuse: () => Invalid): Test {
  if (value === '') throw refuse()
  switch (field) {
    case 'status': {
      if (/^[1-5]xx$/i.test(value)) return filter({ status: value })
      const test = numberTest(value)
      if (!test) throw refuse()
      return ({ status }) => test(status)
    }
    case 'took': {
      const inMilliseconds = (_: string, number: string, unit: string) =>
        `${Number(number) * (unit === 's' ? 1000 : 1)}`
      const test = numberTest(value.toLowerCase().replace(/(\d{1,12}(?:\.\d{1,6})?)(ms|s)\b/g, inMilliseconds))
      if (!test) throw refuse()
      return ({ duration_ms }) => test(duration_ms)
    }
    case 'id':
      if (numberOf(value) === undefined) throw refuse()
      return ({ id }) => id === value
    case 'method':
      if (!/^[a-z-]+$/i.test(value)) throw refuse()
      return ({ method }) => method === value.toUpperCase()
    case 'op':
      return filter({ operation: value })
    case 'source':
    case 'user':
    case 'assumed':
    case 'body':
      return filter({ [field]: value })
    case 'violations':
    case 'unmatched':
      if (!/^(true|false)$/.test(value)) throw refuse()
      return filter({ [field]: value === 'true' })
    case 'client':
      if (value === 'none') return ({ client }) => client === undefined
      return ({ client }) => client?.toLowerCase().includes(value.toLowerCase()) === true
    case 'test':
      return ({ test_case }) => test_case?.toLowerCase().includes(value.toLowerCase()) === true
    case 'override':
      return ({ override }) => (value === 'any' ? override !== undefined : override === value)
    case 'touched':
      return touchTest(value, journal, ['reads', 'writes', 'missed'], refuse)
    case 'changed':
      return value.includes('/') ? touchTest(value, journal, ['writes'], refuse) : filter({ changed: value })
  }
}

/** A number, a range of them, or a comparison with one. */
function numberTest(text: string): ((value: number) => boolean) | undefined {
  const [, from, to] = /^(\d{1,9})\.\.(\d{1,9})$/.exec(text) ?? []
  if (to !== undefined) return (value) => value >= Number(from) && value <= Number(to)
  const [, sign, digits] = /^(>=|<=|>|<)?(\d{1,9}(?:\.\d{1,9})?)$/.exec(text) ?? []
  if (digits === undefined) return undefined
  const bound = Number(digits)
  const tests: Record<string, (value: number) => boolean> = {
    '>=': (value) => value >= bound,
    '<=': (value) => value <= bound,
    '>': (value) => value > bound,
    '<': (value) => value < bound
  }
  return tests[sign ?? ''] ?? ((value) => value === bound)
}

/** Whether an exchange read, changed or missed a row, or any row of a collection. */
function touchTest(
  text: string,
  journal: Journal,
  lists: ('reads' | 'writes' | 'missed')[],
  refuse: () => Invalid
): Test {
  const slash = text.indexOf('/')
  const [collection, id] = slash < 0 ? [text, undefined] : [text.slice(0, slash), text.slice(slash + 1)]
  if (collection === '' || id === '') throw refuse()
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
