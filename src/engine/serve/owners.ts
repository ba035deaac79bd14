import { Refusal } from '../contract/message/refusal.js'
import { sandboxName } from '../sandbox/sandbox.js'
import { SandboxMoved } from '../sandbox/sandboxes.js'
import type { Entry } from './gate.js'
import { type CallerOf, readTarget, sandboxOf } from './message/caller.js'
import {
  type Answer,
  again,
  type BodyListener,
  type Outcome,
  type Request,
  type RequestBody,
  WithBody
} from './message/message.js'

/** The largest body that is kept for a second try. */
const most = 1024 * 1024

/** Keeps a copy of a request's body while it is read, so that the request can be answered again. */
class BodyCopy implements RequestBody {
  /** The request, with a body that is copied. */
  readonly request: Request
  private state: 'unread' | 'reading' | 'whole' = 'unread'
  private chunks: Uint8Array[] = []
  private size = 0

  constructor(readonly source: Request) {
    this.request = source.body.isExpected ? new WithBody(source, this) : source
  }

  /** The request for a second try. Undefined if its body was read, and was too large or is not complete. */
  again(): Request | undefined {
    if (this.state === 'unread') return this.request
    return this.state === 'whole' && this.size <= most ? again(this.source, Buffer.concat(this.chunks)) : undefined
  }

  get isExpected() {
    return this.source.body.isExpected
  }

  get isComplete() {
    return this.source.body.isComplete
  }

  get parsed() {
    return this.source.body.parsed
  }

  read({ data, end, fail }: BodyListener): void {
    const isFirst = this.state === 'unread'
    if (isFirst) this.state = 'reading'
    this.source.body.read({
      data: (chunk) => {
        if (isFirst) this.add(chunk)
        data(chunk)
      },
      end: () => {
        this.state = 'whole'
        end()
      },
      fail
    })
  }

  pause() {
    this.source.body.pause()
  }

  resume() {
    this.source.body.resume()
  }

  private add(chunk: Uint8Array): void {
    this.size += chunk.length
    if (this.size <= most) this.chunks.push(chunk)
    else this.chunks = []
  }
}

/** Where a sandbox lives: in this process, in another one with an address, or nowhere, because it does not exist. */
export type SandboxPlace = 'here' | 'nowhere' | OwnerAddress

export interface OwnerAddress {
  life: string
  address: string
}

export interface ReceivedRequest {
  sandbox: string
  /** The request as its client sent it. */
  request: Request
  /** Asks for the body. From then on the request may be executed. */
  begin(): Promise<void>
}

/** Where sandboxes live, if there are several processes. */
export interface SandboxOwners {
  /** Names this process in answers. */
  readonly node: string
  isHere(sandbox: string): boolean
  /** `mayMake`: whether to create a sandbox that does not exist. Rejects with a Refusal. */
  place(sandbox: string, isForwarded: boolean, mayMake: boolean): Promise<SandboxPlace>
  /** Notes that a request works on a sandbox. Returns a function that ends this; what that starts is done before the answer. */
  use(sandbox: string): () => Promise<void> | undefined
  /** A sandbox is to start again: it does not matter whether the engine has lost it. */
  beginAnew(sandbox: string): Promise<void> | undefined
  /** The request that another process has forwarded. Undefined: it comes from a client. Throws a Refusal if it is forged. */
  received(request: Request): ReceivedRequest | undefined
  /** The answer to another process's own question. Undefined: it is none. Throws a Refusal if it is forged. */
  asked(request: Request): Promise<Answer> | undefined
  /** Forwards a request. Moved: it was not executed, because a sandbox that it needs is elsewhere. Rejects with a Refusal. */
  forward(request: Request, place: OwnerAddress, sandbox: string, entry: Entry): Promise<Outcome | SandboxMoved>
  /** Turns a broken connection into an answer for the process that forwarded the request. */
  carried(outcome: Outcome): Outcome
}

/** Returns a promise only if something has to wait. */
type Handle = (request: Request, entry: Entry) => Outcome | Promise<Outcome>

/** How often a request looks for the sandboxes that it needs. */
const mostTries = 6

/** Paths that concern no sandbox, or all of them. */
const everywhere = new Set(['/__mock/health', '/__mock/metrics', '/__mock/cluster', '/__mock/sandboxes'])

/** Answers a request in the process in which its sandbox lives. */
export function createOwnerRouting(
  owners: SandboxOwners,
  callerOf: CallerOf,
  mayMake: (request: Request, sandbox: string) => boolean,
  /** What the gate decides. Undefined: nothing has to be decided. */
  pass: (request: Request) => Entry | Promise<Entry> | undefined,
  answer: Handle
): (request: Request) => Outcome | Promise<Outcome> {
  const nodeHeader = { 'X-Mock-Node': owners.node }
  const nothing: Entry = { headers: nodeHeader }
  const atHome = (entry: Entry): Entry =>
    entry === nothing ? entry : { ...entry, headers: { ...nodeHeader, ...entry.headers } }

  const here = async (request: Request, entry: Entry, box: string | undefined): Promise<Outcome | SandboxMoved> => {
    const end = box === undefined ? undefined : owners.use(box)
    try {
      return await answer(request, atHome(entry))
    } catch (error) {
      return movedBy(error)
    } finally {
      await end?.()
    }
  }

  const refused = (request: Request, entry: Entry, refusal: unknown): Outcome | Promise<Outcome> => {
    if (!(refusal instanceof Refusal)) throw refusal
    return answer(request, { ...atHome(entry), unreachable: refusal })
  }

  const look = async (request: Request, box: string, isPassedOn: boolean): Promise<SandboxPlace> => {
    const isAllowed = mayMake(request, box)
    if (isAllowed && beginsAnew(request)) await owners.beginAnew(box)
    return owners.place(box, isPassedOn, isAllowed)
  }

  /** `name`: undefined if only the body names the sandbox. `broken`: why the process that seemed to have it did not answer. */
  const handled = async (
    copy: BodyCopy,
    entry: Entry,
    name: string | undefined,
    { received, broken }: { received?: ReceivedRequest | undefined; broken?: unknown }
  ): Promise<Outcome> => {
    let { request } = copy
    /** The sandbox whose process should answer. */
    let box = name
    let refusal = new Refusal('elsewhere', { name, reason: 'it is on its way to another process' })
    for (let tries = 0; tries < mostTries; tries++) {
      try {
        const isBroken = tries === 0 && broken !== undefined
        const place =
          isBroken || box === undefined || owners.isHere(box)
            ? 'here'
            : await look(request, box, received !== undefined)
        if (place === 'nowhere') {
          await received?.begin()
          return await outside(copy, { ...entry, isUnmade: true })
        }
        if (place !== 'here' && received) return misdirected(received.sandbox)
        if (place === 'here' && tries === 0) await received?.begin()
        const outcome = isBroken
          ? movedBy(broken)
          : place === 'here'
            ? await here(request, entry, box)
            : await owners.forward(request, place, box as string, entry)
        if (!(outcome instanceof SandboxMoved)) return outcome
        // It is forwarded once: the first process finds out where it belongs.
        if (received && outcome.sandbox !== box) return misdirected(outcome.sandbox)
        box = outcome.sandbox
      } catch (error) {
        return refused(request, entry, error)
      }
      const repeated = copy.again()
      if (!repeated) break
      request = repeated
      refusal = new Refusal('elsewhere', {
        name: box,
        reason: 'its process does not answer, or has just handed it over'
      })
    }
    return refused(copy.source, entry, refusal)
  }

  /** The sandbox is in use until the answer is complete. */
  const visit = (
    request: Request,
    entry: Entry,
    name: string | undefined,
    received?: ReceivedRequest
  ): Outcome | Promise<Outcome> => {
    const end = name === undefined ? () => undefined : owners.use(name)
    const copy = new BodyCopy(request)
    const over = (outcome: Outcome): Outcome | Promise<Outcome> => {
      if (isComing(outcome)) {
        request.whenOver(() => void end())
        return outcome
      }
      const ending = end()
      return ending ? ending.then(() => outcome) : outcome
    }
    const anywhere = (broken?: unknown) =>
      handled(copy, entry, name, { received, broken }).then(over, async (error) => {
        await end()
        throw error
      })
    if (received || (name !== undefined && !owners.isHere(name))) return anywhere()
    // Most sandboxes are here and stay here: then nothing waits, unless an answer does.
    try {
      const outcome = answer(copy.request, atHome(entry))
      return outcome instanceof Promise ? outcome.then(over, anywhere) : over(outcome)
    } catch (error) {
      return anywhere(error)
    }
  }

  const entered = (request: Request, entry: Entry): Outcome | Promise<Outcome> => {
    const { path } = readTarget(request)
    if (entry.refusal) return outside(new BodyCopy(request), entry)
    if (path === '/__mock/sandboxes' && request.method === 'POST') return visit(request, entry, undefined)
    if (everywhere.has(path)) return outside(new BodyCopy(request), entry)
    const name = sandboxOf(request, callerOf) ?? entry.visitorSandbox ?? 'default'
    return visit(request, entry, sandboxName.test(name) ? name : 'default')
  }

  return (request) => {
    try {
      const outcome = owners.asked(request)
      if (outcome) return outcome
      const received = owners.received(request)
      if (received) return passedOn(received)
    } catch (refusal) {
      return refused(request, {}, refusal)
    }
    const entry = pass(request) ?? nothing
    return entry instanceof Promise ? entry.then((decided) => entered(request, decided)) : entered(request, entry)
  }

  async function passedOn(received: ReceivedRequest): Promise<Outcome> {
    const { sandbox, request } = received
    return owners.carried(await visit(request, { visitorSandbox: sandbox, isVisit: true }, sandbox, received))
  }

  /** Answers a request that needs no sandbox. It is answered in the default one, which may move meanwhile. */
  async function outside(copy: BodyCopy, entry: Entry): Promise<Outcome> {
    let request: Request | undefined = copy.request
    for (let tries = 1; request && tries < mostTries; tries++) {
      try {
        return await answer(request, { ...atHome(entry), isOutside: true })
      } catch (error) {
        movedBy(error)
        request = copy.again()
      }
    }
    const reason = 'it is on its way to another process'
    return refused(copy.source, entry, new Refusal('elsewhere', { name: 'default', reason }))
  }
}

/** Whether a request does not need what was in its sandbox. */
function beginsAnew(request: Request): boolean {
  const call = `${request.method} ${readTarget(request).path}`
  return ['POST /__mock/reset', 'PUT /__mock/state'].includes(call) || call.startsWith('DELETE /__mock/sandboxes/')
}

/** The error that the sandbox has moved. Rethrows any other error. */
function movedBy(error: unknown): SandboxMoved {
  if (error instanceof SandboxMoved) return error
  throw error
}

/** Whether an answer has a body that is still being sent. */
export function isComing(outcome: Outcome): boolean {
  if (!outcome || 'fault' in outcome) return false
  return typeof outcome.body !== 'string' && !ArrayBuffer.isView(outcome.body)
}

/** Distinguishes an answer of `misdirected` from a 421 of an override or a rule. */
export const misdirectedHeader = 'x-mock-misdirected'

/** The request was not executed here: it needs this sandbox. */
function misdirected(sandbox: string): Answer {
  return { status: 421, headers: { [misdirectedHeader]: sandbox, 'Content-Length': 0 }, body: '' }
}
