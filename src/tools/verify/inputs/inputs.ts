import { isObject } from '../../../engine/contract/load.js'
import type { Exchange } from '../calls/client.js'
import type { Input } from '../calls/request.js'
import { type CheckedCase, conforms, verdict } from '../judge.js'
import { unknownNumber, unknownUuid } from '../kinds.js'
import { type Loc, locsOf, type Reading, stepsOf } from '../learn/readings.js'
import type { Run } from '../run.js'

/**
 * Fields of requests whose names the description does not give, so a server may not know them. The same goes for query
 * parameters.
 */
export const unnamed: Record<string, readonly string[]> = {
  updatePersona: ['recency_bias'],
  linkCredential: ['access_type', 'processing_mode'],
  getIndexingStatus: ['docs_count_operator', 'docs_count_comparison', 'source']
}

/** What is known about an input in addition to the contract. */
export interface InputCase extends CheckedCase {
  /** The reason for which the server may reject a valid input. */
  mayRefuse?: string
  /** The input has an error, so it must not be accepted. */
  isMutation?: boolean
  /** The description leaves open whether this is an error. */
  isOpen?: boolean
  /** The whole body is wrong. A 422 may point to it or to one of its fields. */
  isWhole?: boolean
  /** The input names a missing row, and may be rejected for that. */
  isUnknownRow?: boolean
}

/**
 * Judges the reply to an input under any choice of the ledger: a 422 with the right places, or a success. `mayRefuse`
 * is the reason for which the server may reject a valid input.
 */
export function judgeInput(run: Run, exchange: Exchange, input: Input, about: InputCase): boolean {
  const { reply, call } = exchange
  const { id } = call.operation
  if (!conforms(run, exchange, about, about.mayRefuse)) return false
  // Includes the fields that the server has asked for.
  const readings = run.readings.input(id, about.isMutation ? input : run.needs.complete(call.operation, input))
  if (reply.status < 300) return judgeAccepted(run, exchange, readings, about)
  if (reply.status === 422) return judgeInvalid(run, exchange, input, readings, about)
  return judgeRefused(run, exchange, input, readings, about)
}

function judgeAccepted(run: Run, exchange: Exchange, readings: Reading[], about: InputCase): boolean {
  const fitting = readings.find(({ locs }) => locs.length === 0)
  const first = readings[0] as Reading
  if (first.locs.length === 0) return verdict(run, exchange, 'positive_data_acceptance', true, '', about)
  if (fitting) run.answers.learn(fitting.choices, `${about.title}: accepted`, exchange.curl)
  const isOpen = about.isOpen || first.locs.every((loc) => isUnnamed(exchange, loc))
  const expected = `422 with loc ${told(first.locs)}`
  return verdict(run, exchange, 'negative_data_rejection', fitting !== undefined || isOpen, expected, about)
}

function judgeInvalid(run: Run, exchange: Exchange, input: Input, readings: Reading[], about: InputCase): boolean {
  const locs = locsOf(exchange)
  // Other fields that the server requires are not part of this error.
  const isBeside = (loc: Loc) => isAbsent(loc, input) || isUnnamed(exchange, loc) || isUnknown(loc, input)
  const given = locs.filter((loc) => !isBeside(loc))
  const fits = ({ locs: expected }: Reading) => isSame(expected, locs) || isSame(expected, given)
  // A 422 of one line may name no place. A list without items has broken the contract before this.
  if (locs.length === 0 && (about.isOpen || readings.some((reading) => reading.locs.length > 0))) {
    return verdict(run, exchange, 'negative_data_rejection', true, '', about)
  }
  const fitting = readings.find((reading) => reading.locs.length > 0 && fits(reading))
  if (fitting) {
    if (!locs.every((loc) => isUnnamed(exchange, loc)))
      run.answers.learn(fitting.choices, `${about.title}: 422`, exchange.curl)
    const isWrong = (readings[0] as Reading).locs.length > 0
    if (isWrong) verdict(run, exchange, 'negative_data_rejection', true, '', about)
    return verdict(run, exchange, 'validation_error_loc', true, '', about)
  }
  if (about.isUnknownRow && locs.every(([part]) => part === 'path')) {
    run.results.couldNot(exchange.call.operation.id, about.title, 'the row is looked for first (422)')
    return false
  }
  const isWhole = about.isWhole && locs.every((loc) => loc[0] === 'body' && loc.length <= 2)
  if (isWhole || about.isOpen) return verdict(run, exchange, 'negative_data_rejection', true, '', about)
  const wrong = readings.filter((reading) => reading.locs.length > 0)
  const mayAccept = !about.isMutation && readings.some((reading) => reading.locs.length === 0)
  if ((readings[0] as Reading).locs.length > 0 && !mayAccept) {
    const expected = `loc ${[...new Set(wrong.map((reading) => told(reading.locs)))].join(' or ')}`
    return verdict(run, exchange, 'validation_error_loc', false, expected, about)
  }
  const { id } = exchange.call.operation
  if (locs.length === 0) {
    return verdict(run, exchange, 'positive_data_acceptance', false, 'a success: the request is valid', about)
  }
  if (locs.every((loc) => isUnnamed(exchange, loc) || isAbsent(loc, input))) {
    run.results.couldNot(id, about.title, `the server wants more at ${told(locs)}, which the description leaves open`)
    return false
  }
  if (locs.every((loc) => isLimited(loc, input))) {
    run.results.couldNot(id, about.title, `the server has limits or rules of its own at ${told(locs)}`)
    return false
  }
  return verdict(run, exchange, 'positive_data_acceptance', false, 'a success: the request is valid', about)
}

/** A rejection with a status other than 422. */
function judgeRefused(run: Run, exchange: Exchange, input: Input, readings: Reading[], about: InputCase): boolean {
  const { reply, call } = exchange
  const { mayRefuse } = about
  if (mayRefuse !== undefined && run.readings.refusalStatuses(call.operation.id, mayRefuse).has(reply.status))
    return true
  const first = readings[0] as Reading
  const mayAccept = about.isOpen || readings.some(({ locs }) => locs.length === 0)
  // A server may not reject a field that it does not know, but it may know a query parameter.
  const isIgnored = first.locs.every((loc) => isUnnamed(exchange, loc) && loc[0] !== 'query')
  if (!mayAccept && !isIgnored && about.isUnknownRow) {
    run.results.couldNot(call.operation.id, about.title, `the row is looked for first (${reply.status})`)
    return false
  }
  if (!mayAccept && !isIgnored && isDenied(run, exchange, about)) return false
  if (!mayAccept && !isIgnored) {
    return verdict(run, exchange, 'negative_data_rejection', false, `422 with loc ${told(first.locs)}`, about)
  }
  if (first.locs.length > 0 || about.isMutation) return true
  if (isDenied(run, exchange, about)) return false
  if (limits.has(reply.status) || isLimited([], input) || choosing.has(call.operation.id)) {
    run.results.couldNot(call.operation.id, about.title, `the server has limits or rules of its own (${reply.status})`)
    return false
  }
  return verdict(run, exchange, 'positive_data_acceptance', false, 'a success: the request is valid', about)
}

/** Statuses for a server's own limits and rules, which the description does not give (8.2). */
const limits = new Set([402, 409, 413, 414, 431])

/** The server decides who may be invited and what a credential of a source contains, and cannot fetch every page. */
const choosing = new Set(['inviteUsers', 'createCredential', 'openUrls'])

function isDenied(run: Run, { reply, call }: Exchange, about: InputCase): boolean {
  if ((reply.status !== 401 && reply.status !== 403) || run.isAdmin) return false
  run.results.couldNot(call.operation.id, about.title, `the token may not call it (${reply.status})`, true)
  return true
}

/** Whether each reported place is an expected one, lies within it, or is the field that has it, and vice versa. */
function isSame(places: Loc[], told: Loc[]): boolean {
  const expected = places.map(stepsOf)
  const starts = (whole: Loc, start: Loc) => start.every((step, index) => whole[index] === step)
  const fits = (place: Loc, at: Loc) => starts(at, place) || (at.length >= 2 && starts(place, at))
  return (
    expected.every((place) => told.some((at) => fits(place, at))) &&
    told.every((at) => expected.some((place) => fits(place, at)))
  )
}

/** Fields whose valid values depend on the server. */
const referring =
  /(_ids?|_email|_override|_key)$|^(groups|users|emails|urls|definition|credential_json|source|uploaded_file)$/

/** Whether a server may reject a value by its own limits and rules: it is long, short, large, multi-line, or a name. */
function isLimited(loc: Loc, { query, body }: Input): boolean {
  let value: unknown = { query, body }
  for (const step of loc) {
    if (typeof step === 'string' && referring.test(step)) return true
    value = isObject(value) ? value[step] : Array.isArray(value) ? value[Number(step)] : undefined
  }
  return isUnusual(value)
}

function isUnusual(value: unknown): boolean {
  if (typeof value === 'string') return value.length < 3 || value.length > 100 || /\p{Cc}/u.test(value)
  if (typeof value === 'number') return value < 1 || value > 1000
  if (Array.isArray(value)) return value.some(isUnusual)
  return isObject(value) && Object.values(value).some(isUnusual)
}

function told(locs: Loc[]): string {
  return [...new Set(locs.map((loc) => JSON.stringify(loc)))].join(', ')
}

function isUnnamed({ call }: Exchange, [part, name]: Loc): boolean {
  return part === 'query' || (unnamed[call.operation.id] ?? []).includes(String(name))
}

/** Whether a place names a missing row. Its id may be larger than the server allows. */
function isUnknown([part, name]: Loc, { path }: Input): boolean {
  const value = part === 'path' ? path?.[String(name)] : undefined
  return value === unknownNumber || value === unknownUuid
}

/** Whether a place names a field that the input does not have. */
function isAbsent(loc: Loc, { path, query, body }: Input): boolean {
  let value: unknown = { path, query, body }
  for (const step of loc) {
    if (Array.isArray(value)) value = value[Number(step)]
    else if (isObject(value)) value = value[step]
    else return false
  }
  return value === undefined
}
