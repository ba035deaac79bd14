import { decode } from '../contract/match.js'
import { Refusal } from '../contract/message/refusal.js'
import type { OwnerAddress, SandboxPlace } from '../mock/replicas/directory.js'
import { Moved } from '../mock/replicas/moved.js'
import { sandboxName } from '../mock/sandbox/sandbox.js'
import type { EntranceDecision } from './exchange.js'
import { BodyCopy } from './message/body-copy.js'
import type { CallerOf } from './message/caller.js'
import type { Answer, Outcome, Request } from './message/message.js'
import { isControlPath, readTarget } from './message/target.js'

/** A request that another process has passed on. */
export interface PlacedRequest {
  sandbox: string
  /** As its client sent it. */
  request: Request
  /** Asks for the body: from then on the request may be done. */
  begin(): Promise<void>
}

/** Where sandboxes live, if there are several processes. */
export interface Places {
  /** Names this process in answers. */
  readonly node: string
  isHere(sandbox: string): boolean
  /** `mayMake`: whether a sandbox that does not exist is to be made. Rejects with a Refusal. */
  place(sandbox: string, isForwarded: boolean, mayMake: boolean): Promise<SandboxPlace>
  /** Notes that a request works on a sandbox. Returns a function that ends it; what that begins is done before the answer. */
  use(sandbox: string): () => Promise<void> | undefined
  /** The request that another process has passed on. Undefined: it comes from a client. Throws a Refusal if it is forged. */
  received(request: Request): PlacedRequest | undefined
  /** The answer to what another process asks of this one itself. Undefined: it asks nothing. Throws a Refusal if it is forged. */
  asked(request: Request): Promise<Answer> | undefined
  /** Passes a request on. Moved: it was certainly not done, because a sandbox that it needs is elsewhere. Rejects with a Refusal. */
  forward(request: Request, place: OwnerAddress, sandbox: string, passage: EntranceDecision): Promise<Outcome | Moved>
  /** Turns what breaks the connection into an answer for the process that passed the request on. */
  carried(outcome: Outcome): Outcome
}

/** Returns a promise only if something has to wait. */
type Handle = (request: Request, passage: EntranceDecision) => Outcome | Promise<Outcome>

/** How often a request looks for the sandboxes that it needs. */
const mostTries = 6

/** What concerns no sandbox, or all of them. */
const everywhere = new Set(['/__mock/health', '/__mock/metrics', '/__mock/cluster', '/__mock/sandboxes'])

/** Answers a request in the process in which its sandbox lives. */
export function createPlaced(
  places: Places,
  callerOf: CallerOf,
  mayMake: (request: Request, sandbox: string) => boolean,
  entrance: ((request: Request) => Promise<EntranceDecision>) | undefined,
  answer: Handle
): (request: Request) => Outcome | Promise<Outcome> {
  const nodeHeader = { 'X-Mock-Node': places.node }
  const nothing: EntranceDecision = { headers: nodeHeader }
  const atHome = (passage: EntranceDecision): EntranceDecision =>
    passage === nothing ? passage : { ...passage, headers: { ...nodeHeader, ...passage.headers } }

  const here = async (
    request: Request,
    passage: EntranceDecision,
    box: string | undefined
  ): Promise<Outcome | Moved> => {
    const end = box === undefined ? undefined : places.use(box)
    try {
      return await answer(request, atHome(passage))
    } catch (error) {
      return movedBy(error)
    } finally {
      await end?.()
    }
  }

  const refused = (request: Request, passage: EntranceDecision, refusal: unknown): Outcome | Promise<Outcome> => {
    if (!(refusal instanceof Refusal)) throw refusal
    return answer(request, { ...atHome(passage), refusal: passage.refusal ?? refusal })
  }

  /** `name`: undefined if only its body says which sandbox it needs. `broken`: why it was not answered where that seemed to be. */
  const handled = async (
    copy: BodyCopy,
    passage: EntranceDecision,
    name: string | undefined,
    { received, broken }: { received?: PlacedRequest | undefined; broken?: unknown }
  ): Promise<Outcome> => {
    let { request } = copy
    /** The sandbox in whose process it is to be answered. */
    let box = name
    let refusal = new Refusal('elsewhere', { name, reason: 'it is on its way to another process' })
    for (let tries = 0; tries < mostTries; tries++) {
      try {
        const isBroken = tries === 0 && broken !== undefined
        const place =
          isBroken || box === undefined || places.isHere(box)
            ? 'here'
            : await places.place(box, received !== undefined, mayMake(request, box))
        if (place === 'nowhere') {
          await received?.begin()
          return await outside(copy, { ...passage, isUnmade: true })
        }
        if (place !== 'here' && received) return misdirected(received.sandbox)
        if (place === 'here' && tries === 0) await received?.begin()
        const outcome = isBroken
          ? movedBy(broken)
          : place === 'here'
            ? await here(request, passage, box)
            : await places.forward(request, place, box as string, passage)
        if (!(outcome instanceof Moved)) return outcome
        // It is passed on once: the first process looks where it belongs.
        if (received && outcome.sandbox !== box) return misdirected(outcome.sandbox)
        box = outcome.sandbox
      } catch (error) {
        return refused(request, passage, error)
      }
      const repeated = copy.again()
      if (!repeated) break
      request = repeated
      refusal = new Refusal('elsewhere', {
        name: box,
        reason: 'its process does not answer, or has just handed it over'
      })
    }
    return refused(copy.given, passage, refusal)
  }

  /** The sandbox is in use until the answer is whole. */
  const used = (
    given: Request,
    passage: EntranceDecision,
    name: string | undefined,
    received?: PlacedRequest
  ): Outcome | Promise<Outcome> => {
    const end = name === undefined ? () => undefined : places.use(name)
    const copy = new BodyCopy(given)
    const over = (outcome: Outcome): Outcome | Promise<Outcome> => {
      if (isComing(outcome)) {
        given.whenOver(() => void end())
        return outcome
      }
      const ending = end()
      return ending ? ending.then(() => outcome) : outcome
    }
    const anywhere = (broken?: unknown) =>
      handled(copy, passage, name, { received, broken }).then(over, async (error) => {
        await end()
        throw error
      })
    if (received || (name !== undefined && !places.isHere(name))) return anywhere()
    // Most sandboxes are here and stay here: then nothing waits, unless an answer does.
    try {
      const outcome = answer(copy.request, atHome(passage))
      return outcome instanceof Promise ? outcome.then(over, anywhere) : over(outcome)
    } catch (error) {
      return anywhere(error)
    }
  }

  const entered = (request: Request, passage: EntranceDecision): Outcome | Promise<Outcome> => {
    const { path } = readTarget(request)
    if (passage.refusal) return outside(new BodyCopy(request), passage)
    if (path === '/__mock/sandboxes' && request.method === 'POST') return used(request, passage, undefined)
    if (everywhere.has(path)) return outside(new BodyCopy(request), passage)
    const named = isControlPath(path) ? namedIn(request, path) : undefined
    const name = named ?? callerOf(request, path).sandbox ?? passage.seat ?? 'default'
    return used(request, passage, sandboxName.test(name) ? name : 'default')
  }

  return (request) => {
    try {
      const asked = places.asked(request)
      if (asked) return asked
      const received = places.received(request)
      if (received) return passedOn(received)
    } catch (refusal) {
      return refused(request, {}, refusal)
    }
    return entrance ? entrance(request).then((passage) => entered(request, passage)) : entered(request, nothing)
  }

  async function passedOn(received: PlacedRequest): Promise<Outcome> {
    const { sandbox, request } = received
    return places.carried(await used(request, { seat: sandbox }, sandbox, received))
  }

  /** Answers what needs no sandbox. The default one, which it is answered in, may move meanwhile. */
  async function outside(copy: BodyCopy, passage: EntranceDecision): Promise<Outcome> {
    let request: Request | undefined = copy.request
    for (let tries = 1; request && tries < mostTries; tries++) {
      try {
        return await answer(request, { ...atHome(passage), isOutside: true })
      } catch (error) {
        movedBy(error)
        request = copy.again()
      }
    }
    const reason = 'it is on its way to another process'
    return refused(copy.given, passage, new Refusal('elsewhere', { name: 'default', reason }))
  }
}

/** The sandbox that a call of the control API is about, whoever makes it. */
function namedIn(request: Request, path: string): string | undefined {
  if (path === '/__mock/mcp') return request.headers['mcp-session-id'] as string | undefined
  if (path === '/__mock/enter') return new URLSearchParams(readTarget(request).search).get('sandbox') || 'default'
  const inPath = /^\/__mock\/sandboxes\/([^/]+)$/.exec(path)?.[1]
  return inPath === undefined ? undefined : decode(inPath)
}

/** That the sandbox has moved. Throws what is something else. */
function movedBy(error: unknown): Moved {
  if (error instanceof Moved) return error
  throw error
}

/** Whether an answer has a body that is still to come. */
export function isComing(outcome: Outcome): boolean {
  if (!outcome || 'fault' in outcome) return false
  return typeof outcome.body !== 'string' && !ArrayBuffer.isView(outcome.body)
}

/** Tells an answer of `misdirected` from a 421 of an override or a rule. */
export const misdirectedHeader = 'x-mock-misdirected'

/** The request was not done here: it needs this sandbox. */
function misdirected(sandbox: string): Answer {
  return { status: 421, headers: { [misdirectedHeader]: sandbox, 'Content-Length': 0 }, body: '' }
}
