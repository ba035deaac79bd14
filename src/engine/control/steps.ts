import { setImmediate } from 'node:timers/promises'
import { survey } from '../contract/json.js'
import { readQuery } from '../contract/message/query.js'
import { Refusal } from '../contract/message/refusal.js'
import type { Operation, RawInput } from '../contract/model.js'
import { Invalid } from '../contract/pydantic/explain.js'
import { isLarge } from '../contract/pydantic/scalars.js'
import type { Operations } from '../contract/types.gen.js'
import type { Edge } from '../keep/edge.js'
import { SandboxMoved } from '../sandbox/sandboxes.js'
import { type JsonLimits, readJsonBody } from '../serve/body/body.js'
import { largeProblems, literalsOfBody } from '../serve/check.js'
import {
  type Exchange,
  enter,
  type FoundExchange,
  type PageHandler,
  type SandboxSource,
  type Setting
} from '../serve/exchange.js'
import { allow, asAnswer, passed, passedPage, textOf } from '../serve/finish.js'
import { isSecret } from '../serve/message/caller.js'
import { createCors, createOriginCheck } from '../serve/message/cors.js'
import { type Answer, type AnswerHeaders, goneSignal, type Reply } from '../serve/message/message.js'
import { problem } from '../serve/problem.js'
import { jsonLimitsIn, jsonOf, shareOf } from '../serve/read.js'
import type { Responder } from '../serve/steps.js'
import { callControl, checkedInput, prepared } from './call.js'
import { streamJournal } from './events.js'
import type { ControlContext, WaitingId } from './index.js'
import { type SignInDoor, signIn } from './sign-in.js'

export type AsyncControlRules = {
  /** `gone` aborts when no client waits for the reply any more. */
  readonly [Id in WaitingId]: (
    sandbox: string,
    input: Operations[Id]['input'],
    gone: AbortSignal
  ) => Promise<Operations[Id]['reply']>
}

/** Who may use the control API, and what its rules work with. */
export interface ControlDoor {
  token: string | undefined
  /** The control API is closed, except for operations that need no token. */
  isClosed: boolean
  /** Whether the mock listens beyond this machine. */
  isExposed: boolean
  corsOrigin: readonly string[]
  /** Receives the stack when the mock itself fails. */
  onProblem: (text: string) => void
  signIn: SignInDoor
  /** What the operations without a rule do in a sandbox. Rejects with the error for the client. */
  acts: AsyncControlRules
  agents: (exchange: Exchange) => Promise<Answer>
  /** Whether a caller is limited to the sandbox that it names. */
  isBound: boolean
  context: Omit<ControlContext, 'sandbox' | 'contract' | 'server'>
}

/** The limit of a state. All other bodies have the limit of the interface. */
const bulkLimits: JsonLimits = { bytes: 256 * 1024 * 1024, values: Number.POSITIVE_INFINITY }

/** Bodies of this size are always accepted. Otherwise a small value of limits.upload could not be undone. */
const leastBytes = 1024 * 1024

/**
 * The control API. A page in a browser on this machine also comes from the loopback address, so checking the address is not
 * enough: the host must be allowed, the gate refuses foreign pages, and bodies must be JSON, which pages cannot send to other
 * origins without permission.
 */
export function createControl(door: ControlDoor, worlds: SandboxSource & { edge: Edge; page: PageHandler }): Responder {
  const { edge } = worlds
  const share = createCors(['*', ...door.corsOrigin])
  const isGoodOrigin = createOriginCheck(door.corsOrigin)

  return {
    allow(exchange, isGoodHost) {
      if (!isGoodHost) throw new Refusal('wrong-host', { host: exchange.host })
      const { origin, host } = exchange.request.headers
      return origin !== undefined && isGoodOrigin(origin, host) ? allow(exchange, share) : undefined
    },

    // A rule enters its sandbox when it asks for it, so that most calls of others create none.
    enter() {},

    find(exchange: Setting<'operation' | 'params'>) {
      const method = exchange.request.method === 'HEAD' ? 'GET' : exchange.request.method
      const match = exchange.contract.matchControl(method, exchange.path)
      const isOpen = !door.isClosed || (match.kind === 'operation' && match.operation.open)
      if (isOpen && match.kind === 'method') throw new Refusal('wrong-method', { allow: match.allow })
      if (isOpen && match.kind === 'operation') {
        exchange.operation = match.operation
        exchange.params = match.params
        return undefined
      }
      const page = worlds.page(exchange)
      if (!page) throw new Refusal('unknown-path')
      return () => passedPage(page, exchange)
    },

    admit,

    async read(exchange: Setting<'body', FoundExchange>) {
      const { request, operation, entry } = exchange
      // Its sandbox cannot be reached. We check this before the body, which may have been read when the request was forwarded.
      if (entry.unreachable && !operation.open) throw entry.unreachable
      if (operation.input.body) {
        exchange.body = await readJsonBody(request, limitsFor(exchange), shareOf(exchange), () => 'json')
      }
      if (operation.unbounded || large.has(operation)) await inTurn()
    },

    async answer(exchange) {
      const { operation } = exchange
      if (operation.stream) return passed(events(exchange), exchange, 'control')
      if (operation.agents) return passed(await door.agents(exchange), exchange, 'control')
      if (operation.redirect) return largeAnswer(exchange, await signedIn(exchange))
      return largeAnswer(exchange, operation.waits ? await wait(exchange) : await act(exchange))
    },

    fail(exchange, error) {
      const reply = problem(exchange, error)
      if (exchange.failure) door.onProblem(exchange.failure)
      return largeAnswer(exchange, reply)
    }
  }

  function admit({ request, key, operation }: FoundExchange): void {
    if (door.isBound && operation.crossSandbox) throw new Refusal('another-sandbox')
    if (operation.open) return
    const isExposed = (door.isExposed && !request.peer.isPrivate) || !request.peer.isLocal
    if (door.token === undefined && isExposed) throw new Refusal('control-token-needed')
    const tokens = [request.headers['x-mock-control-token'], key]
    if (door.token !== undefined && !tokens.some((token) => isSecret(token, door.token as string))) {
      throw new Refusal('control-token-wrong')
    }
    const type = request.headers['content-type']
    const isWrite = request.method !== 'GET' && request.method !== 'HEAD'
    const good =
      request.method === 'PATCH' ? /^application\/(merge-patch\+)?json\s*(;|$)/i : /^application\/json\s*(;|$)/i
    if (isWrite && !good.test(type ?? (request.body.isExpected ? '' : 'application/json'))) {
      throw new Refusal('not-json', { type: type ?? 'nothing' })
    }
  }

  /** The operation's reply. Its changes, and the changes that it saw, are saved before it is sent. */
  async function act(exchange: FoundExchange): Promise<Reply> {
    const { operation, request } = exchange
    const find = operation.isReading ? worlds.lookAtSandbox : worlds.useSandbox
    const call = {
      ...exchange,
      raw: rawOf(exchange),
      ifMatch: request.headers['if-match'] as string | undefined,
      context: { ...door.context, server: serverOf(exchange) },
      enter: () => enter(worlds, exchange, find)
    }
    for (;;) {
      // A read in several steps shows the state of its first step.
      const isOfSandbox = operation.isReading && !operation.open && !exchange.entry.isOutside
      const confirmation = isOfSandbox ? edge.shown(exchange.sandbox) : undefined
      const { reply, save } = callControl(await prepared(call), edge)
      if ((await confirmation) !== false && (await save) !== false) return reply
    }
  }

  /** Each request that it sends is recorded like any other request. */
  async function wait(exchange: FoundExchange): Promise<Reply> {
    const input = inputOf(exchange)
    const { sandbox } = enter(worlds, exchange)
    const act = door.acts[exchange.operation.id as WaitingId] as (...given: unknown[]) => Promise<unknown>
    const body = await act(sandbox.name, input, goneSignal(exchange.request)).catch(onceOnly(sandbox.name))
    sandbox.journal.tell({ type: 'control', operation: exchange.operation.id })
    return { status: 200, body }
  }

  function signedIn(exchange: FoundExchange): Promise<Reply> {
    const { query } = inputOf(exchange) as Operations['enterSandbox']['input']
    const signing = signIn(door.signIn, exchange, query)
    return query.scenario ? signing.catch(onceOnly(exchange.place)) : signing
  }

  function events(exchange: FoundExchange): Answer {
    enter(worlds, exchange, worlds.lookAtSandbox)
    const { query } = inputOf(exchange) as Operations['streamEvents']['input']
    return streamJournal(exchange, query, (hear) => door.context.sandboxes.awaitMade(exchange.sandbox.name, hear))
  }
}

function inputOf(exchange: FoundExchange): RawInput {
  return checkedInput({ ...exchange, raw: rawOf(exchange) })
}

function limitsFor(exchange: FoundExchange): JsonLimits {
  if (exchange.operation.unbounded) return bulkLimits
  const { bytes, values } = jsonLimitsIn(exchange)
  return { bytes: Math.max(bytes, leastBytes), values }
}

function rawOf(exchange: Exchange): RawInput {
  const body = jsonOf(exchange) ?? {}
  // A state that was read here has its numbers as JavaScript writes them, so it can be written back unchanged.
  const numbers = survey(body).hasLarge ? literalsOfBody(exchange).numbers : []
  const large = numbers.filter(({ text }) => isLarge(Number(text)) && String(Number(text)) !== text)
  const problems = large.length > 0 ? largeProblems(exchange, large) : []
  if (problems.length > 0) throw new Invalid(problems)
  return { path: exchange.params, query: exchange.search === '' ? {} : readQuery(exchange.search), body }
}

/** A part of it may be done, so it is not repeated where its sandbox lives now. */
function onceOnly(name: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof SandboxMoved)) throw error
    throw new Refusal('outcome-unknown', { name, reason: 'it has moved to another process meanwhile' })
  }
}

/** Operations whose last answer was large. Many at once take turns, so that other requests do not wait for all of them. */
const large = new WeakSet<Operation>()

/** An answer whose JSON may be large. It is serialized in steps, so that other requests do not wait. */
function largeAnswer(exchange: Exchange, reply: Reply): Answer {
  const headers: AnswerHeaders = { 'Cache-Control': 'no-store' }
  const { status, body, media } = reply
  if (body === undefined || media !== undefined || status >= 400) {
    return passed(asAnswer(reply, textOf(reply), headers), exchange, 'control')
  }
  const pieces = jsonPieces(body)
  const [first, second] = [pieces.next(), pieces.next()]
  if (second.done) return passed(asAnswer(reply, first.value as string, headers), exchange, 'control')
  if (exchange.operation) large.add(exchange.operation)
  async function* inTurns() {
    yield first.value as string
    yield second.value as string
    for (const piece of pieces) {
      await inTurn()
      yield piece
    }
  }
  const all = { 'Content-Type': 'application/json', ...headers, ...reply.headers }
  return passed({ status, headers: all, body: inTurns() }, exchange, 'control')
}

export function serverOf({ host, request }: Exchange): string {
  return `http://${host ?? 'localhost'}${request.mount}`
}

/** The approximate number of characters in a piece. */
const size = 256 * 1024

/** The depth to which lists and objects are split: a state contains collections, which contain rows. */
const depth = 3

/** The output of JSON.stringify in pieces, because serializing megabytes at once would block other requests. */
export function* jsonPieces(value: unknown): Generator<string, void> {
  let text = ''
  for (const part of partsOf(value, depth)) {
    text += part
    if (text.length < size) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

function* partsOf(value: unknown, levels: number): Generator<string, void> {
  if (levels === 0 || !isPlain(value)) {
    yield JSON.stringify(value) ?? 'null'
  } else if (Array.isArray(value)) {
    let before = '['
    for (const item of value) {
      yield before
      yield* partsOf(item, levels - 1)
      before = ','
    }
    yield before === '[' ? '[]' : ']'
  } else {
    let before = '{'
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue
      yield `${before}${JSON.stringify(name)}:`
      yield* partsOf(item, levels - 1)
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  }
}

/** A list or plain object, which is serialized only by its items or fields. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false
  return Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value))
}

let last: Promise<void> = Promise.resolve()

/** Resolves in a turn of the event loop that no other caller gets, so that requests are answered in between. */
function inTurn(): Promise<void> {
  last = last.then(() => setImmediate())
  return last
}
