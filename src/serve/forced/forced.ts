import { clearTimeout, setTimeout } from 'node:timers'
import { Refusal } from '../../contract/refusal.js'
import type { Fault } from '../../contract/types.gen.js'
import { drawDelay } from '../../mock/overrides/delay.js'
import { matchesAddress, matchesBody } from '../../mock/overrides/matches.js'
import { problem } from '../control/problem.js'
import { type Found, lap } from '../exchange.js'
import { guarded } from '../message/contain.js'
import type { Reply } from '../message/message.js'
import { queryOf, readBody } from '../read.js'
import { failed } from '../reply.js'
import { documentedReply, overrideReply } from './forced-reply.js'
import { mayWish, wishesOf } from './wishes.js'

/** What is to happen to a request beside, or instead of, the usual. */
interface Orders {
  /** Who orders it: the id of an override, or Prefer. */
  by: string
  /** Milliseconds. */
  delay: number
  fault: Fault | undefined
  /** Makes the forced answer; undefined: the usual one. */
  reply: (() => Reply) | undefined
  /** What Preference-Applied says. */
  applied?: string
}

/** Whether the request, or an override of its sandbox, may want something else than the usual. */
export function mayBeForced(exchange: Found): boolean {
  return exchange.sandbox.overrides.size > 0 || mayWish(exchange)
}

/**
 * Answers a request as it asks itself, else as the newest override that means it says, else as usual. A forced answer
 * needs no token, runs no rule and changes no state. `prepare` reads what the usual answer needs; what it returns
 * answers at once, so that a delayed request sees the state of the moment at which it is answered, and holds nothing
 * until then. What is returned gives undefined where there is to be no answer: `exchange.fault`, or the client has gone.
 */
export async function answerForced(
  exchange: Found,
  prepare: () => Promise<() => Reply>
): Promise<() => Reply | undefined> {
  const failing = (error: unknown): Reply => {
    const isOurs = error instanceof Refusal && error.reason === 'bad-prefer'
    return isOurs ? problem(exchange, error) : failed(exchange, error)
  }
  try {
    const orders = wished(exchange) ?? (await overridden(exchange))
    exchange.override = orders?.by
    const answer = orders?.reply ?? (orders?.fault === undefined ? await prepare() : undefined)
    if (orders && orders.delay > 0) {
      const isThere = await wait(orders.delay, exchange)
      lap(exchange, 'delay')
      if (!isThere) return () => undefined
    }
    exchange.fault = orders?.fault
    return () => {
      try {
        const reply = answer?.()
        if (!reply || orders?.applied === undefined) return reply
        return { ...reply, headers: { ...reply.headers, 'Preference-Applied': orders.applied } }
      } catch (error) {
        return failing(error)
      }
    }
  } catch (error) {
    return () => failing(error)
  }
}

function wished(exchange: Found): Orders | undefined {
  const wishes = wishesOf(exchange)
  if (!wishes) return undefined
  const { outcome, delay, fault, applied } = wishes
  return { by: 'Prefer', delay, fault, applied, reply: outcome && (() => documentedReply(exchange, outcome)) }
}

/** The newest override that means this request, used. Nothing waits between the two, so none is used too often. */
async function overridden(exchange: Found): Promise<Orders | undefined> {
  const { id, input } = exchange.operation
  const { overrides, chance } = exchange.sandbox
  const asked = { operation: id, path: exchange.params, query: queryOf(exchange) }
  const near = overrides.all().filter((override) => matchesAddress(override, asked))
  if (input.body && near.some(({ match }) => match?.body !== undefined)) exchange.body = await readBody(exchange)
  const override = overrides.all().find((it) => matchesAddress(it, asked) && matchesBody(it, exchange.body))
  if (!override) return undefined
  overrides.use(override)
  exchange.transaction.used = { overrides, override }
  const { status, body, example, delay, fault } = override
  const isForced = status !== undefined || body !== undefined || example !== undefined
  return {
    by: override.id,
    delay: delay ? drawDelay(delay, () => chance.next()) : 0,
    fault,
    reply: isForced ? () => overrideReply(exchange, override) : undefined
  }
}

/** Waits in real time, less where the client goes; says whether it is still there. */
function wait(milliseconds: number, { request }: Found): Promise<boolean> {
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
