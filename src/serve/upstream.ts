import { enter, isFound } from './exchange.js'
import type { FrontEnd } from './front-end.js'
import { answerWithBody, type PlatformOptions } from './platform.js'
import type { Forward } from './relay.js'
import { finish, finishRelayed } from './send.js'

/** A service that replaces the rules. Its answers are passed on, including CORS headers. */
export function createUpstream(options: PlatformOptions, forward: Forward): FrontEnd {
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
