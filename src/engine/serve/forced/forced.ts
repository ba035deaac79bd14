import { STATUS_CODES } from 'node:http'
import { clearTimeout, setTimeout } from 'node:timers'
import { isJsonType } from '../../contract/json.js'
import { type Documents, schemaOf } from '../../contract/load.js'
import { bodilessStatuses, isStreamType } from '../../contract/message/media.js'
import { readQuery } from '../../contract/message/query.js'
import { Refusal } from '../../contract/message/refusal.js'
import { typeIn } from '../../contract/message/reply.js'
import type { InputError, Pace, RawInput } from '../../contract/model.js'
import { type DocumentedAnswer, exampleValues, outcomesOf, responseOf, statusesOf } from '../../contract/outcomes.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import { typicalMistake } from '../../contract/pydantic/typical-mistake.js'
import type { Fault, OverrideTurn } from '../../contract/types.gen.js'
import { unknownPolicy } from '../../contract/validation/validate.js'
import { drawDelay } from '../../overrides/delay.js'
import { matchesAddress, matchesBody } from '../../overrides/matches.js'
import { turnOf } from '../../overrides/overrides.js'
import { checkInput, invalid, readInput } from '../check.js'
import { type Exchange, type FoundExchange, isFound, lap, type Setting } from '../exchange.js'
import { guarded } from '../message/contain.js'
import type { Reply } from '../message/message.js'
import { failed, problem } from '../problem.js'
import { jsonOf, plainQueryOf, readAnyBody, readBody } from '../read.js'
import { recordWait } from '../record.js'
import { streamOf } from '../stream.js'

interface Wishes {
  outcome: DocumentedAnswer | undefined
  /** Milliseconds. */
  delay: number
  fault: Fault | undefined
  /** The value of Preference-Applied. */
  applied: string
}

export function faultNames(documents: Documents): readonly Fault[] {
  return schemaOf(documents, { $ref: 'control.json#/$defs/Fault' }).enum as Fault[]
}

const wishNames = ['code', 'example', 'delay', 'fault'] as const

/**
 * The wishes in the Prefer header, or else in `__code` and `__example` of the query, which the contract never sees. Either
 * forces the answer. Throws a Refusal that lists the valid values. Other preferences are ignored (RFC 7240).
 */
function wishesOf(exchange: FoundExchange): Wishes | undefined {
  const preferences = askedOf(exchange)
  if (preferences.size === 0) return undefined
  const wrong: string[] = []
  const refuse = (sentence: string): undefined => void wrong.push(sentence)
  const [code, example, delay, fault] = wishNames.map((name) => preferences.get(name))
  const isForced = code !== undefined || example !== undefined
  const wishes = {
    outcome: isForced ? outcomeOf(exchange, code, example, refuse) : undefined,
    delay: delay === undefined ? 0 : delayOf(delay, exchange.maxDelay, refuse),
    fault: fault === undefined ? undefined : faultOf(fault, faultNames(exchange.contract.documents), refuse)
  }
  if (fault !== undefined && isForced) refuse('A fault replaces the answer: leave out code and example.')
  if (wrong.length > 0) throw new Refusal('bad-prefer', { detail: wrong.join(' ') })
  const applied = [...preferences].map(([name, value]) => `${name}=${value}`).join(', ')
  return { ...wishes, applied }
}

function askedOf(exchange: FoundExchange): Map<string, string> {
  const header = exchange.request.headers.prefer as string | undefined
  const preferences = header === undefined ? new Map<string, string>() : readPrefer(header)
  if (!preferences) {
    throw new Refusal('bad-prefer', {
      detail: `Prefer is not a list of preferences (RFC 7240). Write it as code=404, delay=250. Known: ${wishNames.join(', ')}.`
    })
  }
  const query = readQuery(exchange.search)
  const result = new Map<string, string>()
  for (const name of wishNames) {
    const value = preferences.get(name) ?? (name === 'code' || name === 'example' ? query[`__${name}`] : undefined)
    if (value !== undefined) result.set(name, value)
  }
  return result
}

type Refuse = (sentence: string) => undefined

function outcomeOf(
  { contract, operation }: FoundExchange,
  code: string | undefined,
  example: string | undefined,
  refuse: Refuse
): DocumentedAnswer | undefined {
  const { id } = operation
  const all = outcomesOf(contract, operation)
  const ofCode = code === undefined ? all : all.filter(({ status }) => String(status) === code)
  if (ofCode.length === 0) {
    const statuses = new Set(all.map(({ status }) => status).sort((a, b) => a - b))
    return refuse(`code is "${code}". ${id} documents ${[...statuses].join(', ')}. For others use an override.`)
  }
  const match = ofCode.find(({ name }) => example === undefined || name === example)
  const names = new Set(ofCode.map(({ name }) => name))
  const where = code === undefined ? id : `${id} with code ${code}`
  return match ?? refuse(`example is "${example}". ${where} has ${[...names].join(', ')}.`)
}

function delayOf(text: string, most: number, refuse: Refuse): number {
  const delay = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN
  if (!(delay <= most)) refuse(`delay is "${text}". Give whole milliseconds from 0 to ${most}.`)
  return delay
}

function faultOf(text: string, names: readonly Fault[], refuse: Refuse): Fault | undefined {
  return names.find((name) => name === text) ?? refuse(`fault is "${text}". Known: ${names.join(', ')}.`)
}

/** What happens to a request in addition to, or instead of, the usual answer. */
interface Forced {
  /** The source: the id of an override, or Prefer. */
  by: string
  /** Milliseconds. */
  delay: number
  fault: Fault | undefined
  /** Creates the forced answer. Undefined means the usual answer. */
  reply: (() => Reply) | undefined
  headers?: Record<string, string> | undefined
  pace?: Pace
}

/**
 * Answers a request as its own Prefer header asks, or else as the newest matching override says, or else as usual. A forced
 * answer needs no token, runs no rule and changes no state. `prepare` reads what the usual answer needs and returns a function
 * that answers at once, so that a delayed request sees the state at the time of its answer and blocks nothing until then. The
 * result is undefined if there is no answer to send: `exchange.fault` is set, or the client has left. Without `prepare` the
 * request has no operation, and undefined also means that it is answered as usual.
 */
export async function answerForced(
  exchange: Setting<'override' | 'isForced' | 'fault' | 'pace' | 'source' | 'problems' | 'body'>,
  prepare: (() => Promise<() => Reply>) | undefined
): Promise<(() => Reply | undefined) | undefined> {
  const failing = (error: unknown): Reply => {
    const isOurs = error instanceof Refusal && error.reason === 'bad-prefer'
    return isOurs ? problem(exchange, error) : failed(exchange, error)
  }
  try {
    const orders = (prepare && wished(exchange)) ?? (await overridden(exchange))
    exchange.override = orders?.by
    exchange.isForced = orders?.reply !== undefined
    exchange.pace = orders?.pace
    if (exchange.isForced || orders?.fault !== undefined) exchange.source = 'override'
    const answer = orders?.reply ?? (orders?.fault === undefined ? await prepare?.() : undefined)
    const mistakes = exchange.isForced && isFound(exchange) ? await mistakesIn(exchange) : []
    if (orders && orders.delay > 0 && exchange.waits) {
      const isThere = await wait(orders, exchange)
      lap(exchange, 'delay')
      if (!isThere) return () => undefined
    }
    exchange.fault = orders?.fault
    if (!answer && exchange.fault === undefined) return undefined
    return () => {
      exchange.problems = mistakes
      try {
        const reply = answer?.()
        return reply && orders?.headers ? { ...reply, headers: withHeaders(reply.headers, orders.headers) } : reply
      } catch (error) {
        return failing(error)
      }
    }
  } catch (error) {
    return () => failing(error)
  }
}

/** What is wrong with a request whose answer does not depend on it. Nothing else of the check is noted. */
async function mistakesIn(exchange: Setting<'body', FoundExchange>): Promise<readonly InputError[]> {
  const unknown = unknownPolicy(exchange.choices) === 'ignored' ? 'ignored' : 'rejected'
  const choices = { ...exchange.choices, 'requests.unknown-fields': unknown }
  const copy: Setting<'body', FoundExchange> = { ...exchange, choices, assumed: new Set(), violations: [] }
  try {
    if (copy.operation.input.body) copy.body = exchange.body ??= await readBody(copy)
    const input = readInput(copy, jsonOf(copy))
    return input instanceof Invalid ? input.problems : []
  } catch (error) {
    failed(copy, error)
    return copy.problems
  }
}

function wished(exchange: Exchange): Forced | undefined {
  if (!isFound(exchange)) return undefined
  const wishes = wishesOf(exchange)
  if (!wishes) return undefined
  const { outcome, delay, fault, applied } = wishes
  const headers = { 'Preference-Applied': applied }
  return { by: 'Prefer', delay, fault, headers, reply: outcome && (() => documentedReply(exchange, outcome)) }
}

/** The newest override that matches. Its use is counted without a wait, so none is used too often. */
async function overridden(
  exchange: Setting<'drawnAt' | 'body' | 'request' | 'unreadable'>
): Promise<Forced | undefined> {
  const { operation, params, path, request } = exchange
  const { overrides, chance } = exchange.sandbox
  const address = { operation: operation?.id, params, method: request.method, path, query: plainQueryOf(exchange) }
  const near = overrides.tried.filter((override) => matchesAddress(override, address))
  let { body } = exchange
  if (near.some(({ match }) => match?.body !== undefined)) body = await readAnyBody(exchange)
  if (near.length > 0) exchange.drawnAt = exchange.sandbox.calls.count
  // Overrides may have changed while the body was read.
  const override = overrides.tried.find(
    (it) => matchesAddress(it, address) && matchesBody(it, body) && (it.rate === undefined || chance.next() < it.rate)
  )
  if (override || !operation || operation.input.body) exchange.body = body
  if (!override) return undefined
  const turn = turnOf(override)
  overrides.use(override)
  exchange.transaction.used = { overrides, override }
  const isForced = [turn.status, turn.body, turn.example, turn.chunks].some((it) => it !== undefined)
  const { first, every, cutAfter } = turn
  return {
    by: override.id,
    delay: turn.delay ? drawDelay(turn.delay, () => chance.next()) : 0,
    fault: turn.fault,
    headers: turn.headers,
    pace: { first, every, cutAfter },
    reply: isForced ? () => withMedia(overrideReply(exchange, override.id, turn), turn.headers) : undefined
  }
}

/** A text with a type other than JSON is sent unchanged. */
function withMedia(reply: Reply, headers?: Record<string, string>): Reply {
  const type = typeIn(headers)
  return typeof reply.body === 'string' && type !== undefined && !isJsonType(type) ? { ...reply, media: type } : reply
}

/** Headers with others, which replace those of the same name. */
function withHeaders(headers: Record<string, string> = {}, others: Record<string, string>): Record<string, string> {
  const entries = Object.entries(others).map(
    ([name, value]) => [writtenAs.get(name.toLowerCase()) ?? name, value] as const
  )
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  const rest = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()))
  return Object.fromEntries([...rest, ...entries])
}

/** Headers that every answer has, as they are written there. */
const writtenAs = new Map([['content-type', 'Content-Type']])

/** Waits in real time, or until the client leaves. Resolves to whether the client is still there. */
function wait({ by, delay }: Forced, exchange: Exchange): Promise<boolean> {
  const { request } = exchange
  const endWait = recordWait(exchange, by, delay)
  return new Promise((resolve, reject) => {
    const end = guarded(reject, () => {
      clearTimeout(timer)
      stop()
      endWait()
      resolve(!request.isGone)
    })
    const timer = setTimeout(end, delay)
    const stop = request.whenOver(end)
  })
}

/** A documented outcome as the reply to this request, with the assumptions that it depends on. */
function documentedReply(exchange: FoundExchange, outcome: DocumentedAnswer): Reply {
  switch (outcome.kind) {
    case 'response':
      for (const id of outcome.assumed) exchange.assumed.add(id)
      return documentedBody(exchange, outcome.status, outcome.body)
    case 'sample':
      return documentedBody(
        exchange,
        outcome.status,
        exchange.contract.sampleOf(exchange.operation, outcome.status, exchange.sandbox.ids.seed)
      )
    case 'refusal':
      return failed(exchange, new Refusal(outcome.name, exampleValues(outcome.row, exchange.params)))
    case 'invalid':
      return failed(exchange, usualMistake(exchange, outcome.name))
  }
}

/** A body under the type that the document gives its status. */
function documentedBody(exchange: FoundExchange, status: number, body: unknown): Reply {
  const media = responseOf(exchange.operation, status)?.media
  const stream = streamOf(body, media, exchange.operation.mock?.stream)
  if (stream) return { status, body: undefined, media, stream }
  return checked(exchange, { status, body, ...(typeof body === 'string' && { media }) })
}

/** The answer of an override that does more than delay or break the request. */
function overrideReply(exchange: Exchange, id: string, turn: OverrideTurn): Reply {
  const { status, body, example, chunks, headers } = turn
  if (chunks) {
    const documented = exchange.operation && responseOf(exchange.operation, status ?? 200)?.media
    const type = typeIn(headers) ?? (isStreamType(documented) ? documented : undefined)
    const stream = streamOf(chunks.values(), type)
    return { status: status ?? 200, body: undefined, media: type, stream }
  }
  if (!isFound(exchange)) return body === undefined ? bareReply(status as number) : { status: status ?? 200, body }
  if (body !== undefined) return checked(exchange, { status: status ?? 200, body })
  const outcome = outcomesOf(exchange.contract, exchange.operation).find(
    (it) => (status === undefined || it.status === status) && (example === undefined || it.name === example)
  )
  if (outcome) return documentedReply(exchange, outcome)
  if (example === undefined) return bareReply(status as number)
  throw new Refusal('bad-prefer', {
    detail: `Override ${id} names the example ${example}, which does not exist under the choices in force.`
  })
}

/** An undocumented status, in the format of the platform's own answers. */
function bareReply(status: number): Reply {
  if (bodilessStatuses.includes(status)) return { status, body: undefined }
  return { status, body: status < 400 ? {} : { detail: STATUS_CODES[status] ?? 'Error' } }
}

/** Counts contract violations if the status is documented. An undocumented status has no contract. */
function checked(exchange: Setting<'brokenByReply', FoundExchange>, reply: Reply): Reply {
  const { contract, assumed, violations } = exchange
  const { operation } = exchange
  if (!statusesOf(contract, operation).has(reply.status)) return reply
  const breaches = contract.checkReply(operation, reply.status, reply.body, assumed)
  violations.push(...breaches)
  exchange.brokenByReply = breaches
  return reply
}

function usualMistake(exchange: FoundExchange, name: string): Invalid {
  const { contract, assumed } = exchange
  const check = (raw: RawInput, noted: Set<string>) => checkInput(exchange, raw, noted)
  const problem = typicalMistake(contract.documents, exchange.operation, check, assumed, name)
  if (problem.type === 'extra_forbidden') assumed.add('requests.unknown-fields')
  return invalid(exchange, [problem])
}

/** A preference or a parameter, and what ends it. It is read once, so that the time depends only on the header's length. */
const pair =
  /[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+|"(?:[^"\\]|\\.)*")[ \t]*(?:=[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+|"(?:[^"\\]|\\.)*")[ \t]*)?)?)?([,;]|$)/y

/**
 * The preferences of a Prefer header (RFC 7240, 2), by lower-case name. The first of each counts, parameters are
 * ignored, and a missing value is empty. `undefined` if the header is not a list of preferences.
 */
export function readPrefer(header: string): Map<string, string> | undefined {
  const preferences = new Map<string, string>()
  let isParameter = false
  for (pair.lastIndex = 0; pair.lastIndex < header.length; ) {
    const match = pair.exec(header)
    if (!match) return undefined
    const [, name = '', value = '', end] = match
    const key = unquoted(name).toLowerCase()
    if (key !== '' && !isParameter && !preferences.has(key)) preferences.set(key, unquoted(value))
    isParameter = end === ';'
  }
  return preferences
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text
}
