import { type ControlDoor, createControl } from './control/control.js'
import { type Exchange, enter, isFound, open } from './exchange.js'
import type { FrontEnd } from './front-end.js'
import type { Entry, Gate } from './gate.js'
import type { Outcome, Request } from './message/message.js'
import { createHostCheck, isControlPath } from './message/target.js'
import { createPlaced, type Places } from './placed.js'
import { answerWithBody, createPlatform, isForUpstream, type PlatformOptions } from './platform.js'
import type { Forward } from './relay.js'
import { finish, finishRelayed } from './send.js'

/** Answers a request. Returns a promise only if something has to wait. */
export type Serve = (request: Request) => Outcome | Promise<Outcome>

export interface ServeOptions extends PlatformOptions {
  allowHost: readonly string[]
  /** What every request from outside passes before the steps. Requests from inside have none. */
  gate: Gate | undefined
  /** The control API. False: its paths are unknown. */
  control: ControlDoor | false
  /** The service that answers instead of the rules. Without it the mock answers. */
  forward?: Forward | undefined
  /** Where sandboxes live. Without it all are here. */
  places?: Places | undefined
  /** Whether a request may make a sandbox that does not exist. One that is refused for its token leaves nothing in the engine. */
  mayMake?: ((request: Request, sandbox: string) => boolean) | undefined
}

/** The steps that every request goes through. */
export function createServe(options: ServeOptions): Serve {
  const { gate, forward, places } = options
  const isAllowedHost = createHostCheck(options.allowHost)
  const control = options.control && createControl(options.control, options)
  const platform = createPlatform(options)
  const upstream = forward && createUpstream(options, forward)

  const frontEndOf = (exchange: Exchange, isGoodHost: boolean): FrontEnd => {
    if (control && isControlPath(exchange.path)) return control
    return upstream && isGoodHost && isForUpstream(exchange, forward) ? upstream : platform
  }

  const answer = (request: Request, entry: Entry): Outcome | Promise<Outcome> => {
    const exchange = open(options, request, entry)
    const isGoodHost = isAllowedHost(exchange.host) || request.peer.isPrivate
    const frontEnd = frontEndOf(exchange, isGoodHost)
    try {
      const received = frontEnd.receive(exchange, isGoodHost)
      if (received) return received
      if (entry.refusal) throw entry.refusal
      return frontEnd.find(exchange) ?? frontEnd.answer(exchange)
    } catch (error) {
      return frontEnd.refuse(exchange, error)
    }
  }

  if (places) return createPlaced(places, options.callerOf, options.mayMake ?? (() => true), gate, answer)
  if (!gate) return (request) => answer(request, nothing)
  return (request) => {
    const entry = gate(request)
    return entry instanceof Promise ? entry.then((decided) => answer(request, decided)) : answer(request, entry)
  }
}

const nothing: Entry = {}

/** A service that replaces the rules. Its answers are passed on, including CORS headers. */
function createUpstream(options: PlatformOptions, forward: Forward): FrontEnd {
  return {
    receive: () => undefined,
    find: () => undefined,

    async answer(exchange) {
      try {
        enter(options, exchange)
        const relayed = await forward.ask(exchange)
        if (relayed !== 'mock') return await finishRelayed(options, exchange, relayed)
        return isFound(exchange) ? await answerWithBody(exchange, options) : undefined
      } catch (error) {
        return finish(options, exchange, forward.failed(exchange, error))
      }
    },

    refuse: (exchange, error) => finish(options, exchange, forward.failed(exchange, error))
  }
}
