import type { Contract } from '../../engine/contract/contract.js'
import { isJsonType } from '../../engine/contract/json.js'
import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import { inMap } from '../../engine/contract/once.js'
import { eachSchema } from '../../engine/contract/schemas/schemas.js'
import { brokenIn } from '../answer.js'
import type { Id } from './api.js'
import type { Exchange } from './calls/client.js'
import { isOverload, Stopped } from './calls/patience.js'
import type { Check, RowCause } from './results.js'
import type { Run } from './run.js'

export interface CheckedCase {
  title: string
  /** The commands of earlier requests. */
  before?: string[]
}

/** Records that a check of an exchange passed, or a finding. Returns whether it passed. */
export function verdict(
  run: Run,
  exchange: Exchange,
  check: Check,
  passes: boolean,
  expected: string,
  { title, before = [], got, cause }: CheckedCase & { got?: string; cause?: RowCause | undefined }
): boolean {
  const operation = exchange.call.operation.id
  const isDoubtful = isOverload(exchange.reply.status)
  if (passes) {
    run.results.held(operation, check, isDoubtful)
    return true
  }
  const curl = run.redaction.text(exchange.curl)
  const shown = got === undefined ? run.redaction.reply(exchange.reply) : run.redaction.cut(got) || 'nothing'
  const sequence = [...before.map((it) => run.redaction.text(it)), curl]
  run.results.broken({ operation, check, title, expected, got: shown, curl, sequence }, isDoubtful, cause)
  return false
}

/** Checks the requirements for every reply: status, media type, body. `reason` names an allowed error. */
export function conforms(run: Run, exchange: Exchange, about: CheckedCase, reason?: string): boolean {
  const { reply } = exchange
  const { id, waits } = exchange.call.operation
  const allowed = reason === undefined ? undefined : run.readings.refusalStatuses(id, reason).get(reply.status)
  const isError = reply.status >= 500 && allowed === undefined
  // The server got no valid answer from another one.
  if (isError && waits && [502, 503, 504].includes(reply.status)) {
    run.results.couldNot(id, about.title, `the server could not fetch a page (${reply.status})`)
    return false
  }
  if (!verdict(run, exchange, 'not_a_server_error', !isError, 'a status below 500', about)) return false
  if (exchange.call.operation.origin) return conformsToDocument(run, run.readings.first, exchange, about)
  if (reply.status === 422) return conformsInvalid(run, exchange, about)
  if (reply.status >= 400) return true
  const statuses = run.readings.statuses(id)
  const status = `the status ${[...statuses].join(' or ')}`
  if (!verdict(run, exchange, 'status_code_conformance', statuses.has(reply.status), status, about)) return false
  if (reply.text !== '' && !conformsType(run, exchange, about)) return false
  const cached = `${reply.headers['cache-control']} ${reply.headers.vary}`
  // Shared caches may give it to other users (RFC 9111, 3.5).
  if (run.api.entrances.includes(id) && /public|s-maxage/i.test(cached) && !/no-|=0|[*]|auth/i.test(cached))
    verdict(run, exchange, 'other_users_rows_hidden', false, 'a reply for one user', { ...about, got: cached })
  const blank = Object.fromEntries([...run.blank].map((name) => [name, '']))
  const judged = isObject(exchange.judged) ? { ...blank, ...exchange.judged } : exchange.judged
  const read = run.readings.reply(id, reply.status, reply.text === '' ? undefined : judged)
  const isJson = reply.text === '' || reply.body !== undefined
  if ('choices' in read) run.answers.learn(read.choices, `${id} ${reply.status}`, exchange.curl)
  const [twice] = repeatedIn(exchange.judged, namesOf(run).free)
  if (twice !== undefined)
    verdict(run, exchange, 'unique_rows', false, 'every row once in its list', { ...about, got: twice })
  const problems = 'problems' in read ? [...new Set(read.problems)].slice(0, 5).join('; ') : ''
  const expected = isJson ? `the shape of the contract, but: ${problems}` : 'JSON'
  return verdict(run, exchange, 'response_schema_conformance', isJson && 'choices' in read, expected, about)
}

/** The lists in a reply that have a row twice, in words. */
function* repeatedIn(value: unknown, free: ReadonlySet<string>): Iterable<string> {
  for (const [name, list] of valuesIn(value, free, 'the list')) {
    if (!Array.isArray(list)) continue
    const isOfIds = name.endsWith('_ids')
    const ids = list.map((item) => (isObject(item) ? (item.id ?? item.cc_pair_id) : isOfIds ? item : undefined))
    const twice = repeated(ids.filter((id) => id !== undefined && id !== null).map(String))
    if (twice !== undefined) yield `${name} has ${twice} twice`
  }
}

/** The first id that occurs twice. */
export function repeated(ids: readonly Id[]): Id | undefined {
  const values = new Set<Id>()
  return ids.find((id) => values.size === values.add(id).size)
}

/** A value and all fields in it, with their names. Fields that may contain anything are left out. */
function* valuesIn(value: unknown, free: ReadonlySet<string>, field = ''): Iterable<[name: string, value: unknown]> {
  yield [field, value]
  if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) if (!free.has(name)) yield* valuesIn(item, free, name)
  } else if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') yield* valuesIn(item, free, field)
  }
}

/** Checks a reply against the user's document: its status, media type and body. */
export function conformsToDocument(run: Run, contract: Contract, exchange: Exchange, about: CheckedCase): boolean {
  const broken = brokenIn(contract, exchange.call.operation, answerOf(exchange))
  const check = broken?.check ?? 'response_schema_conformance'
  return verdict(run, exchange, check, !broken, `what the document says, but: ${broken?.text}`, about)
}

function answerOf({ reply: { status, headers, text } }: Exchange) {
  return { status, type: String(headers['content-type'] ?? ''), text }
}

function conformsType(run: Run, exchange: Exchange, about: CheckedCase): boolean {
  const isJson = isJsonType(exchange.reply.headers['content-type'] ?? '')
  return verdict(run, exchange, 'content_type_conformance', isJson, 'application/json', about)
}

/** A ValidationError (2.16). In chat its items have input and ctx, unless the server is known to leave them out. */
function conformsInvalid(run: Run, exchange: Exchange, about: CheckedCase): boolean {
  if (!conformsType(run, exchange, about)) return false
  const { id, chat } = exchange.call.operation
  const { body } = exchange.reply
  // All answers must have the form of the first one.
  run.answers.add('errors.validation-body', isObject(body) && 'status_code' in body ? 'message' : 'detail', 'a 422')
  const problems = run.readings.invalid(id, body, run.answers.get('errors.input-and-ctx') !== undefined)
  const fields = chat ? 'loc, msg, type, input, ctx' : 'loc, msg, type'
  const expected = `a ValidationError: {detail: [{${fields}}]}, loc a list of texts and integers, but: ${problems.slice(0, 5).join('; ')}`
  return verdict(run, exchange, 'response_schema_conformance', problems.length === 0, expected, about)
}

/** Whether a reply that is not judged here can be read: a success in the format of the contract. */
export function isReadable(run: Run, { call, reply }: Exchange): boolean {
  return reply.status < 300 && 'choices' in run.readings.reply(call.operation.id, reply.status, reply.body)
}

/** Why work ended. What reads a reply of another form than the contract may fail with a TypeError: others are thrown again. */
export function endOf(run: Run, error: unknown): Stopped {
  if (error instanceof Stopped) return error
  const isOdd = (exchange: Exchange) => {
    const { call, reply } = exchange
    if (!call.operation.origin) return reply.status < 300 && !isReadable(run, exchange)
    return brokenIn(run.readings.first, call.operation, answerOf(exchange)) !== undefined
  }
  const odd = error instanceof TypeError ? run.recent.find(isOdd) : undefined
  if (!odd) throw error
  return new Stopped(`a reply of ${odd.call.operation.id} has another form than the contract`)
}

/** Whether the body of a success says that nothing was done. */
export function isUndone({ api }: Run, body: unknown): boolean {
  return isObject(body) && body[api.success] === false
}

/** Names of fields with secrets. */
const secret =
  /passw(or)?d|passphrase|secret|salt$|(^|access|refresh|api|auth|bearer|session|id)_?token$|api_?key|private_?key/i

/** Checks every reply: its redirect, and whether it reveals secrets. `sent` is the Authorization header. */
export function checkAnyReply(run: Run, exchange: Exchange, sent: string | null): void {
  const { status, headers, text } = exchange.reply
  const { url, token, userToken } = run.settings
  const title = 'any reply'
  if (status >= 300 && status < 400 && headers.location !== undefined) {
    const { location } = headers
    const stays = !URL.canParse(location, url) || new URL(location, url).hostname === new URL(url).hostname
    const got = `${status} with Location ${location}`
    verdict(run, exchange, 'redirect_stays', stays, 'no redirect, or one to the same host', { title, got })
  }
  // This mock names its users, whose keys are the tokens, to those who send none of them. The rows of a document's API show whose
  // they are by these keys, too.
  const areNames =
    run.settings.isMock && (run.readings.first.api.document !== undefined || status === 401 || status === 403)
  // A refusal may repeat a wrong token, which has a part of the right one.
  const isWrong = [token, userToken].every((it) => sent !== `Bearer ${it}`)
  const isRepeated = (it: string) =>
    areNames || (isWrong && status >= 300 && `${sent} ${exchange.call.target}`.includes(it))
  const { 'set-cookie': _, ...others } = headers
  const shown = `${text}\n${JSON.stringify(others)}`
  const isShown = (it = '') => it.length >= 7 && shown.includes(it) && !isRepeated(it)
  const showsToken = isShown(token) || isShown(userToken)
  const { named, free } = namesOf(run)
  // Undocumented text fields whose names suggest secrets.
  const names = [...(showsToken || status >= 300 ? [] : valuesIn(exchange.judged, free))].flatMap(([name, value]) =>
    !named.has(name) && secret.test(name) && typeof value === 'string' && value !== '' ? [name] : []
  )
  const showsSent =
    !showsToken && [...run.redaction.sent].some((it) => shown.includes(it) && isRevealed(run, exchange, it))
  if (run.redaction.sent.size > 0 && !showsSent) run.results.held(exchange.call.operation.id, 'secrets_hidden')
  if (!showsToken && !showsSent && names.length === 0) return
  const leak = showsSent ? 'a secret that was sent' : `the fields ${[...new Set(names)].join(', ')}`
  const got = `${status} with ${showsToken ? 'a token' : leak}`
  verdict(run, exchange, 'secrets_hidden', false, 'no secret that the description does not name', { title, got })
}

/** Whether a reply shows a secret anywhere but in the fields that hold secrets, or that repeat the input of a 422. */
function isRevealed({ api }: Run, { reply }: Exchange, secret: string): boolean {
  const { status, headers, text, body } = reply
  const isAllowed = (name: string) => (status < 300 ? api.secrets.includes(name) : status === 422 && name === 'input')
  const rest = body === undefined ? text : JSON.stringify(body, (name, value) => (isAllowed(name) ? undefined : value))
  return `${rest}\n${JSON.stringify(headers)}`.includes(secret)
}

/** The fields that the contract names, and which of them may contain anything. */
type FieldNames = Record<'named' | 'free', Set<string>>

const namesIn = new WeakMap<object, FieldNames>()

export function namesOf({ readings }: Run): FieldNames {
  const { documents, api, operations } = readings.first
  return inMap(namesIn, documents, () => {
    const names: FieldNames = { named: new Set(), free: new Set() }
    if (api.document) {
      const schemas = [...operations.values()].flatMap((it) =>
        Object.values(it.responses).map((row) => row.schema ?? {})
      )
      eachSchema(documents, schemas, (schema) => collect({ properties: schema.properties ?? {} }, names))
    } else
      for (const [file, document] of Object.entries(documents)) if (file !== 'control.json') collect(document, names)
    return names
  })
}

function collect(value: Json, names: FieldNames): void {
  if (Array.isArray(value)) for (const item of value) collect(item, names)
  if (!isObject(value)) return
  for (const [name, schema] of Object.entries((value.properties ?? {}) as Record<string, JsonObject>)) {
    names.named.add(name)
    if (/x-secret|FreeForm|"additionalProperties":(true|\{)/.test(JSON.stringify(schema))) names.free.add(name)
  }
  // The mock's stored rows have fields that replies do not show.
  for (const [key, item] of Object.entries(value)) if (key !== 'collections') collect(item, names)
}
