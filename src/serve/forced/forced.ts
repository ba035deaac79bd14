import { clearTimeout, setTimeout } from 'node:timers'
import { isJsonType } from '../../contract/message/media.js'
import { Refusal } from '../../contract/message/refusal.js'
import type { Fault } from '../../contract/types.gen.js'
import { drawDelay } from '../../mock/overrides/delay.js'
import { matchesAddress, matchesBody } from '../../mock/overrides/matches.js'
import { turnOf } from '../../mock/overrides/overrides.js'
import { problem } from '../control/problem.js'
import { type Exchange, isFound, lap, type Setting } from '../exchange.js'
import { guarded } from '../message/contain.js'
import type { Reply } from '../message/message.js'
import { plainQueryOf, readAnyBody } from '../read.js'
import { failed } from '../reply.js'
import { documentedReply, overrideReply } from './forced-reply.js'
import { mayWish, wishesOf } from './wishes.js'

/** What happens to a request in addition to, or instead of, the usual answer. */
interface Forced {
  /** The source: the id of an override, or Prefer. */
  by: string
  /** Milliseconds. */
  delay: number
  fault: Fault | undefined
  /** Creates the forced answer. Undefined means the usual answer. */
  reply: (() => Reply) | undefined
  /** Headers of the answer, whatever it is. */
  headers?: Record<string, string> | undefined
}

/** Whether the request, or an override of its sandbox, may ask for an unusual answer. */
export function mayBeForced(exchange: Exchange): boolean {
  return exchange.sandbox.overrides.size > 0 || (isFound(exchange) && mayWish(exchange))
}

/**
 * Answers a request as its own Prefer header asks, or else as the newest matching override says, or else as usual. A
 * forced answer needs no token, runs no rule and changes no state. `prepare` reads what the usual answer needs and
 * returns a function that answers at once, so that a delayed request sees the state at the time of its answer and holds
 * nothing until then. The result is undefined if there is no answer to send: `exchange.fault` is set, or the client has
 * gone. Without `prepare` the request has no operation, and undefined also means that it is answered as usual.
 */
export async function answerForced(
  exchange: Setting<'override' | 'fault'>,
  prepare: (() => Promise<() => Reply>) | undefined
): Promise<(() => Reply | undefined) | undefined> {
  const failing = (error: unknown): Reply => {
    const isOurs = error instanceof Refusal && error.reason === 'bad-prefer'
    return isOurs ? problem(exchange, error) : failed(exchange, error)
  }
  try {
    const orders = (prepare && wished(exchange)) ?? (await overridden(exchange))
    exchange.override = orders?.by
    const answer = orders?.reply ?? (orders?.fault === undefined ? await prepare?.() : undefined)
    if (orders && orders.delay > 0 && exchange.waits) {
      const isThere = await wait(orders.delay, exchange)
      lap(exchange, 'delay')
      if (!isThere) return () => undefined
    }
    exchange.fault = orders?.fault
    if (!answer && exchange.fault === undefined) return undefined
    return () => {
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

function wished(exchange: Exchange): Forced | undefined {
  if (!isFound(exchange)) return undefined
  const wishes = wishesOf(exchange)
  if (!wishes) return undefined
  const { outcome, delay, fault, applied } = wishes
  const headers = { 'Preference-Applied': applied }
  return { by: 'Prefer', delay, fault, headers, reply: outcome && (() => documentedReply(exchange, outcome)) }
}

/**
 * The newest override that matches this request; its use is counted. There is no wait between match and count, so no
 * override is used too often.
 */
async function overridden(exchange: Setting<'drawnAt' | 'body'>): Promise<Forced | undefined> {
  const { operation, params, path, request } = exchange
  const { overrides, chance } = exchange.sandbox
  const asked = { operation: operation?.id, params, method: request.method, path, query: plainQueryOf(exchange) }
  const near = overrides.tried.filter((override) => matchesAddress(override, asked))
  let { body } = exchange
  if (near.some(({ match }) => match?.body !== undefined)) body = await readAnyBody(exchange)
  if (near.length > 0) exchange.drawnAt = exchange.sandbox.deeds.count
  // Overrides may have changed while the body was read.
  const override = overrides.tried.find(
    (it) => matchesAddress(it, asked) && matchesBody(it, body) && (it.rate === undefined || chance.next() < it.rate)
  )
  if (override || !operation || operation.input.body) exchange.body = body
  if (!override) return undefined
  const turn = turnOf(override)
  overrides.use(override)
  exchange.transaction.used = { overrides, override }
  const isForced = [turn.status, turn.body, turn.example].some((it) => it !== undefined)
  return {
    by: override.id,
    delay: turn.delay ? drawDelay(turn.delay, () => chance.next()) : 0,
    fault: turn.fault,
    headers: turn.headers,
    reply: isForced ? () => withMedia(overrideReply(exchange, override.id, turn), turn.headers) : undefined
  }
}

/** A text of another type than JSON is sent as it stands. */
function withMedia(reply: Reply, headers: Record<string, string> = {}): Reply {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  return typeof reply.body === 'string' && type !== undefined && !isJsonType(type) ? { ...reply, media: type } : reply
}

/** Headers with others, of which each takes the place of one of its name. */
function withHeaders(headers: Record<string, string> = {}, others: Record<string, string>): Record<string, string> {
  const written = Object.entries(others).map(
    ([name, value]) => [writtenAs.get(name.toLowerCase()) ?? name, value] as const
  )
  const taken = new Set(written.map(([name]) => name.toLowerCase()))
  const kept = Object.entries(headers).filter(([name]) => !taken.has(name.toLowerCase()))
  return Object.fromEntries([...kept, ...written])
}

/** Headers that answers have anyway, as they are written there. */
const writtenAs = new Map([['content-type', 'Content-Type']])

/** Waits in real time, or until the client goes. Resolves to whether the client is still there. */
function wait(milliseconds: number, { request }: Exchange): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const end = guarded(reject, () => {
      clearTimeout(timer)
      stop()
      resolve(!request.isGone)
    })
    const timer = setTimeout(end, milliseconds)
    const stop = request.whenOver(end)
  })
}
