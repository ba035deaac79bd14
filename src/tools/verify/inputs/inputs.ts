import { isObject } from '../../../engine/contract/load.js'
import { unknownNumber, unknownUuid } from '../api.js'
import type { Exchange } from '../calls/client.js'
import type { Input } from '../calls/request.js'
import { type CheckedCase, conforms, verdict } from '../judge.js'
import { anyParameter, type Loc, locsOf, type Reading, stepsOf } from '../learn/readings.js'
import type { Check } from '../results.js'
import type { Run } from '../run.js'

/** What is known about an input in addition to the contract. */
export interface InputCase extends CheckedCase {
  /** The reason for which the server may reject a valid input. */
  mayRefuse?: string | undefined
  /** The input has an error, so it must not be accepted. */
  isMutation?: boolean
  /** The description leaves open whether this is an error. */
  isOpen?: boolean
  /** The whole body is wrong. A 422 may point to it or to one of its fields. */
  isWhole?: boolean
  /** The input names a missing row, and may be rejected for that. */
  isUnknownRow?: boolean
}

/** Statuses for a server's own limits and rules, which the description does not give (8.2). */
const limits = new Set([402, 409, 413, 414, 431])

/** Judges the reply to an input under any choice of the ledger: a 422 with the right places, or a success. */
export function judgeInput(run: Run, exchange: Exchange, input: Input, about: InputCase): boolean {
  const { reply, call } = exchange
  const { id } = call.operation
  const { status } = reply
  const { unnamed = [], isSelective } = run.api.operations[id] ?? {}
  const { mayRefuse, isMutation, isOpen, isUnknownRow } = about
  if (!conforms(run, exchange, about, mayRefuse)) return false
  // Includes the fields that the server has asked for.
  const readings = run.readings.input(id, isMutation ? input : run.needs.complete(call.operation, input))
  const [first] = readings as [Reading]
  const mayAccept = () => readings.some((reading) => reading.locs.length === 0)
  if (status < 300) return accepted()
  return status === 422 ? invalid() : refused()

  function accepted(): boolean {
    if (first.locs.length === 0) return check('positive_data_acceptance')
    const fitting = readings.find(({ locs }) => locs.length === 0)
    if (fitting) run.answers.learn(fitting.choices, `${about.title}: accepted`, exchange.curl)
    const passes = fitting !== undefined || isOpen || first.locs.every(isUnnamed)
    return check('negative_data_rejection', passes, `422 with loc ${textOf(first.locs)}`)
  }

  function invalid(): boolean {
    const locs = locsOf(exchange)
    // A 422 of one line may name no place. A list without items has broken the contract before this.
    if (locs.length === 0 && (isOpen || readings.some((reading) => reading.locs.length > 0))) {
      return check('negative_data_rejection')
    }
    // Other fields that the server requires are not part of this error.
    const presentLocs = locs.filter((loc) => !isAbsent(loc, input) && !isUnnamed(loc) && !isUnknown(loc, input))
    const fits = ({ locs: expected }: Reading) => isSame(expected, locs) || isSame(expected, presentLocs)
    const fitting = readings.find((reading) => reading.locs.length > 0 && fits(reading))
    if (fitting) {
      if (!locs.every(isUnnamed)) run.answers.learn(fitting.choices, `${about.title}: 422`, exchange.curl)
      if (first.locs.length > 0) check('negative_data_rejection')
      return check('validation_error_loc')
    }
    if (isUnknownRow && locs.every(([part]) => part === 'path'))
      return couldNot('the server looks for the row first (422)')
    const isWhole = about.isWhole && locs.every((loc) => loc[0] === 'body' && loc.length <= 2)
    if (isWhole || isOpen) return check('negative_data_rejection')
    if (first.locs.length > 0 && (isMutation || !mayAccept())) {
      const wrong = readings.filter((reading) => reading.locs.length > 0)
      const places = new Set(wrong.map((reading) => textOf(reading.locs)))
      return check('validation_error_loc', false, `loc ${[...places].join(' or ')}`)
    }
    if (locs.length === 0) return unexpected()
    if (locs.every((loc) => isUnnamed(loc) || isAbsent(loc, input))) {
      return couldNot(`the server requires ${textOf(locs)}, which the description leaves open`)
    }
    const isLimit = locs.every((loc) => isLimited(run, loc, input))
    return isLimit ? couldNot(`the server has its own limits or rules at ${textOf(locs)}`) : unexpected()
  }

  /** A rejection with a status other than 422. */
  function refused(): boolean {
    if (mayRefuse !== undefined && run.readings.refusalStatuses(id, mayRefuse).has(status)) return true
    const isDenied = (status === 401 || status === 403) && !run.settings.isAdmin
    const denied = `the token may not call it (${status})`
    // A server may not reject a field that it does not know, but it may know a query parameter.
    const isIgnored = first.locs.every((loc) => isUnnamed(loc) && loc[0] !== 'query')
    if (!isOpen && !isIgnored && !mayAccept()) {
      if (isUnknownRow) return couldNot(`the server looks for the row first (${status})`)
      if (isDenied) return couldNot(denied, true)
      return check('negative_data_rejection', false, `422 with loc ${textOf(first.locs)}`)
    }
    if (first.locs.length > 0 || isMutation) return true
    if (isDenied) return couldNot(denied, true)
    const isLimit = limits.has(status) || isLimited(run, [], input) || isSelective
    return isLimit ? couldNot(`the server has its own limits or rules (${status})`) : unexpected()
  }

  function check(name: Check, passes = true, expected = ''): boolean {
    return verdict(run, exchange, name, passes, expected, about)
  }

  function couldNot(why: string, isLost = false): false {
    run.results.couldNot(id, about.title, why, isLost)
    return false
  }

  function unexpected(): boolean {
    return check('positive_data_acceptance', false, 'a success: the request is valid')
  }

  function isUnnamed([part, name]: Loc): boolean {
    return part === 'query' || unnamed.includes(String(name))
  }
}

/** Whether each reported place is an expected one, lies within it, or is the field that has it, and vice versa. */
export function isSame(places: Loc[], reported: Loc[]): boolean {
  const expected = places.map(stepsOf)
  const starts = (whole: Loc, start: Loc) => start.every((step, index) => whole[index] === step)
  const isAny = (at: Loc) => at[0] === 'path' && at[1] === anyParameter
  const fits = (place: Loc, at: Loc) =>
    starts(at, place) || (at.length >= 2 && starts(place, at)) || (isAny(at) && place[0] === 'path')
  return (
    expected.every((place) => reported.some((at) => fits(place, at))) &&
    reported.every((at) => expected.some((place) => fits(place, at)))
  )
}

/** Whether a server may reject a value by its own limits and rules: it is long, short, large, multi-line, or a name. */
function isLimited({ api }: Run, loc: Loc, { query, body }: Input): boolean {
  const isReferring = loc.some((step) => api.referring.test(`${step}`) || api.limited.test(`${step}`))
  return isReferring || isUnusual(valueAt(loc, { query, body }))
}

function isUnusual(value: unknown): boolean {
  if (typeof value === 'string') return value.length < 3 || value.length > 100 || /\p{Cc}/u.test(value)
  if (typeof value === 'number') return value < 1 || value > 1000
  if (Array.isArray(value)) return value.some(isUnusual)
  return isObject(value) && Object.values(value).some(isUnusual)
}

function textOf(locs: Loc[]): string {
  return [...new Set(locs.map((loc) => JSON.stringify(loc)))].join(', ')
}

/** Whether a place names a missing row. Its id may be larger than the server allows. */
function isUnknown([part, name]: Loc, { path }: Input): boolean {
  const value = part === 'path' ? path?.[String(name)] : undefined
  return value === unknownNumber || value === unknownUuid
}

/** Whether a place names a field that the input does not have. */
function isAbsent(loc: Loc, input: Input): boolean {
  const around = valueAt(loc.slice(0, -1), input)
  return (isObject(around) || Array.isArray(around)) && valueAt(loc, input) === undefined
}

function valueAt(loc: Loc, { path, query, body }: Input): unknown {
  return loc.reduce<unknown>(
    (value, step) => {
      return isObject(value) ? value[step] : Array.isArray(value) ? value[Number(step)] : undefined
    },
    { path, query, body }
  )
}
