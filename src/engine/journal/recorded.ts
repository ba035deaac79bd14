import type { Contract } from '../contract/contract.js'
import { jsonOrText } from '../contract/json.js'
import type { Choices } from '../contract/load.js'
import type { Redaction } from '../contract/message/redaction.js'
import type { InputError, Operation } from '../contract/model.js'
import type { JournalEntry, JournalMessage, RowChange } from '../contract/types.gen.js'
import type { Write } from '../store/collection.js'
import { redactBody, redactHeader, redactHeaders, redactProblem, redactUrl } from './redact.js'

/** An exchange as the journal receives it, with its secrets. */
export interface RawExchange {
  entry: JournalEntry
  /** The URL as received. */
  url: string
  /** The headers as received, with alternating names and values, and the body. A form's fields are JSON. */
  request: { headers: readonly string[]; text: string }
  response: { headers: Record<string, string | number | readonly string[]>; text: string; frames?: Frames | undefined }
  /** How to read the request's body. */
  form: 'json' | 'text' | 'malformed'
  problems: readonly InputError[]
  /** Whether its status was in the contract at that time, or is an answer of the mock itself. */
  isDocumented?: boolean
  /** `input`: whether the input was checked. `reply`: the violations of the reply; undefined if it was not checked. */
  checked: { input: boolean; reply: readonly string[] | undefined }
  /** The rows that were read, as alternating collections and ids. A long list is cut. */
  reads: readonly (string | number)[]
  /** Of a refused request: the rows that it looked for and did not find, likewise. */
  missed: readonly (string | number)[]
  writes: readonly Write[]
  timing: Timing
  choices: Choices
  /** They name the secrets. */
  contract: Contract
  operation: Operation | undefined
}

/** The values of a streamed answer. Those that are kept are its text: a list of `[milliseconds, value]`. */
export interface Frames {
  count: number
  /** How the answer ended. Undefined: it is being sent. */
  end?: 'whole' | 'cut' | 'error' | 'gone'
}

/** Alternating steps and their durations in microseconds. */
export type Timing = (string | number)[]

/** The details of one exchange, without secrets. */
export interface Recorded
  extends Pick<RawExchange, 'entry' | 'problems' | 'checked' | 'reads' | 'missed' | 'timing' | 'choices'> {
  /** The rows that were written, as alternating collections and ids. A long list is cut. */
  writes: readonly (string | number)[]
  /** How they changed, with their secrets. */
  changes: readonly WholeChange[]
  request: JournalMessage
  response: JournalMessage
}

/** The stored parts of an exchange: everything but the bodies, then the two bodies. */
export type Texts = [notes: string, request: string, response: string]

/** What is kept in addition to the texts. Rows are immutable, so a write costs only pointers until it is read. */
export type Pointers = Pick<RawExchange, 'choices' | 'contract' | 'operation' | 'writes' | 'isDocumented'>

/** The highest number of written rows of one exchange that are shown. */
const mostWrites = 50

/** Longer messages are left out of the journal. */
const longest = 256 * 1024
const mostRepeated = 16 * longest
const tooLong = `longer than ${longest} characters`

/** The stored data without the bodies. It is a list, because serializing field names would take the longest. */
type Notes = [
  line: EntryTuple,
  form: RawExchange['form'],
  sentHeaders: readonly string[],
  sentLength: number,
  answeredHeaders: RawExchange['response']['headers'],
  answeredLength: number,
  problems: readonly InputError[],
  /** The URL contains a secret. The problems repeat it, and the reply repeats the problems. */
  repeats: boolean,
  checked: boolean,
  broken: readonly string[] | null,
  reads: RawExchange['reads'],
  missed: RawExchange['missed'],
  timing: Timing,
  frames: Frames | null
]

/** A JournalEntry, with microseconds. */
type EntryTuple = [
  id: string,
  time: string,
  realTime: string,
  operation: string | null,
  method: string,
  url: string,
  status: number,
  took: number,
  violations: string[],
  assumptions: string[],
  user: string | null,
  rest: Partial<JournalEntry>
]

type Optional<T> = { [Name in keyof T]-?: undefined extends T[Name] ? Name : never }[keyof T]
/** Fields that most entries do not have. The client, near misses and suggestions are found when an entry is read. */
const rareFields: Record<Exclude<Optional<JournalEntry>, 'client' | 'near_misses' | 'suggestions'>, true> = {
  source: true,
  changed: true,
  override: true,
  forwarded: true,
  fault: true,
  refusal: true,
  refused: true,
  failure: true,
  test_case: true
}
const rare = Object.keys(rareFields) as (keyof typeof rareFields)[]

export function pack(happened: RawExchange): Texts {
  const { entry, url, request, response, form, checked, reads, missed, timing, problems } = happened
  // Each problem may repeat the whole body.
  const repeated = problems.length * request.text.length
  const isLong = request.text.length > longest || response.text.length > longest || repeated > mostRepeated
  const notes: Notes = [
    lineOf(entry),
    form,
    request.headers,
    request.text.length,
    response.headers,
    response.text.length,
    isLong ? problems.map(withoutInput) : problems,
    problems.length > 0 && entry.url !== url,
    checked.input,
    checked.reply ?? null,
    reads,
    missed,
    timing,
    response.frames ?? null
  ]
  return [JSON.stringify(notes), textOf(request.text), textOf(response.text)]
}

function lineOf(entry: JournalEntry): EntryTuple {
  const { id, time, real_time, operation, method, url, status, duration_ms, violations, assumptions, user } = entry
  const took = Math.round(duration_ms * 1000)
  const rest: Partial<JournalEntry> = {}
  for (const name of rare) if (entry[name] !== undefined) rest[name] = entry[name] as never
  return [id, time, real_time, operation, method, url, status, took, violations, assumptions, user, rest]
}

export function unpackEntry(notes: string): JournalEntry {
  const [line, , sentHeaders] = JSON.parse(notes) as Notes
  return entryOf(line, sentHeaders)
}

function entryOf(line: EntryTuple, headers: readonly string[]): JournalEntry {
  const [id, time, real_time, operation, method, url, status, took, ...others] = line
  const [violations, assumptions, user, rest] = others
  const agent = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'user-agent')
  const client = agent < 0 ? undefined : clientOf(headers[agent + 1] as string)
  const duration_ms = took / 1000
  const entry = { id, time, real_time, operation, method, url, status, duration_ms, violations, assumptions, user }
  return { ...entry, ...(client !== undefined && { client }), ...rest }
}

export function unpack([notes, sent, answered]: Texts, { choices, contract, operation, writes }: Pointers): Recorded {
  const redaction = operation && contract.redactionOf(operation)
  const [line, form, sentHeaders, sentLength, answeredHeaders, answeredLength, problems, repeats, ...rest] = JSON.parse(
    notes
  ) as Notes
  const [input, broken, reads, missed, timing, frames] = rest
  const request = requestMessage(headersOf(sentHeaders), sent, sentLength, form, redaction)
  const isHidden = repeats || request.omitted !== undefined
  return {
    entry: entryOf(line, sentHeaders),
    request,
    response: repeats
      ? { headers: shown(answeredHeaders), omitted: 'it may repeat a secret in the URL' }
      : frames
        ? { headers: shown(answeredHeaders), frames: framesOf(frames, answered, redaction) }
        : responseMessage(shown(answeredHeaders), answered, answeredLength, redaction),
    problems: problems.map((problem) => {
      // A problem repeats the sent value, which may be the whole body.
      if (isHidden) return withoutInput(problem)
      return redactProblem(redaction ? redaction.problem(problem) : problem)
    }),
    checked: { input, reply: broken ?? undefined },
    reads,
    missed,
    writes: writes.slice(0, mostWrites).flatMap(({ collection, id }) => [collection, id]),
    changes: changesOf(writes, mostWrites),
    timing,
    choices
  }
}

type Headers = Record<string, string>

function requestMessage(
  headers: Headers,
  text: string,
  length: number,
  form: RawExchange['form'],
  redaction: Redaction | undefined
): JournalMessage {
  if (length === 0) return { headers }
  if (length > longest) return { headers, omitted: tooLong }
  const type = headers['content-type']
  if (form !== 'json' && type?.startsWith('multipart/')) return { headers, omitted: 'a form that was not read' }
  if (!redaction?.takesSecrets) return { headers, body: redactBody(jsonOrText(text), type) }
  if (form === 'malformed') return { headers, omitted: 'not JSON, and it may contain secrets' }
  const isForm = type?.startsWith('application/x-www-form-urlencoded')
  const value = form === 'text' ? text : isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text)
  return { headers, body: redactBody(redaction.request(value)) }
}

function responseMessage(
  headers: Headers,
  text: string,
  length: number,
  redaction: Redaction | undefined
): JournalMessage {
  if (length === 0) return { headers }
  if (length > longest) return { headers, omitted: tooLong }
  const body = jsonOrText(text)
  if (!redaction) return { headers, body: redactBody(body) }
  return typeof body === 'string'
    ? { headers, omitted: 'not JSON, and it may contain secrets' }
    : { headers, body: redactBody(redaction.reply(body)) }
}

function framesOf(
  { count, end }: Frames,
  text: string,
  redaction: Redaction | undefined
): NonNullable<JournalMessage['frames']> {
  const pairs = text === '' ? [] : (JSON.parse(text) as [number, unknown][])
  const values = pairs.map(([at_ms, value]) => ({
    at_ms,
    value: redactBody(redaction && typeof value !== 'string' ? redaction.reply(value) : value)
  }))
  return { count, ...(end && { end }), values }
}

/** The headers of a request without secrets. Repeated ones are joined. */
function headersOf(raw: readonly string[]): Headers {
  const headers: Headers = Object.create(null)
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase()
    const value = raw[at + 1] as string
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  return redactHeaders(headers)
}

function shown(headers: RawExchange['response']['headers']): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name === 'Location' ? redactUrl(`${value}`) : redactHeader(name.toLowerCase(), `${value}`)
    ])
  )
}

function textOf(text: string): string {
  return text.length > longest ? '' : text
}

function withoutInput(problem: InputError): InputError {
  return { ...problem, input: null }
}

type ChangeCounts = NonNullable<JournalEntry['changed']>[number]
type Row = Record<string, unknown>

/** How many rows of each collection were added, changed and removed. */
export function countsOf(writes: readonly Write[]): ChangeCounts[] {
  const counts: ChangeCounts[] = []
  for (const write of netOf(writes)) count(counts, write)
  return counts
}

/** A change with the row as it was last. */
type WholeChange = RowChange & { row: Row }

/** The first rows that changed: new or removed rows in full, and the changed fields of the others. */
function changesOf(writes: readonly Write[], most: number): WholeChange[] {
  return netOf(writes).slice(0, most).map(rowChange)
}

/** The bytes of the old and new rows of these writes. */
export function heldBy(writes: readonly Pick<Write, 'lost' | 'gained'>[]): number {
  let bytes = 0
  for (const { lost, gained } of writes) bytes += lost + gained
  return bytes
}

function count(counts: ChangeCounts[], { collection, before, after }: Write): void {
  let entry = counts.find((it) => it.collection === collection)
  if (!entry) {
    entry = { collection, added: 0, changed: 0, removed: 0 }
    counts.push(entry)
  }
  entry[before ? (after ? 'changed' : 'removed') : 'added'] += 1
}

function rowChange({ collection, id, before, after }: Write): WholeChange {
  const change = { collection, id, row: (after ?? before) as Row }
  if (before && after) return { ...change, ...difference(before as Row, after as Row) }
  return before ? { ...change, before: before as Row } : { ...change, after: after as Row }
}

/** One write per row, from the state before to the state after. */
function netOf(writes: readonly Write[]): readonly Write[] {
  if (writes.length < 2) return writes
  const rows = new Map<string, Write>()
  for (const write of writes) {
    const key = `${write.collection} ${write.id}`
    const first = rows.get(key)
    rows.set(key, first ? { ...write, before: first.before } : write)
  }
  return [...rows.values()].filter(({ before, after }) => before ?? after)
}

function difference(before: Row, after: Row): { before: Row; after: Row } {
  const old: Row = {}
  const now: Row = {}
  for (const name in after) {
    if (after[name] === before[name] || JSON.stringify(after[name]) === JSON.stringify(before[name])) continue
    if (name in before) old[name] = before[name]
    now[name] = after[name]
  }
  for (const name in before) if (!(name in after)) old[name] = before[name]
  return { before: old, after: now }
}

export type Fault = 'violation' | 'refused'

/** How an exchange broke the contract, if it did. A redirect to the documented path has no operation, but is not wrong. */
export function faultIn({ violations, operation, status, failure, refused }: JournalEntry): Fault | undefined {
  if (violations.length > 0 || failure !== undefined || (operation === null && status >= 400)) return 'violation'
  return refused && 'refused'
}

/** Browsers name others too, so the first that fits counts. */
const browsers: readonly [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdgA?(?:iOS)?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Headless Chrome', /\bHeadlessChrome\/(\d+)/],
  ['Chrome', /\b(?:Chrome|CriOS)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)/]
]

/** Programs under the name that people use. Others keep their own. */
const programs: Readonly<Record<string, string>> = {
  'python-requests': 'Python requests',
  'python-urllib': 'Python urllib',
  'python-httpx': 'Python httpx',
  'go-http-client': 'Go',
  postmanruntime: 'Postman',
  'apache-httpclient': 'Apache HttpClient',
  wget: 'Wget'
}

const longestProduct = 40

/** What a client is, by its User-Agent: "Chrome 130", "curl 8.1", "node". Undefined: it does not say. */
export function clientOf(userAgent: string): string | undefined {
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(userAgent)?.[1]
    if (version !== undefined && (name !== 'Safari' || userAgent.includes('Safari/'))) return `${name} ${version}`
  }
  const [, product = '', version] = /^\s*([\w.!+-]+)(?:\/(\d{1,6}(?:\.\d{1,6})?)\b)?/.exec(userAgent) ?? []
  if (product === '') return undefined
  const name = programs[product.toLowerCase()] ?? product.slice(0, longestProduct)
  if (name === 'Mozilla') return 'a browser'
  return version === undefined ? name : `${name} ${version}`
}
