import type { IncomingMessage, ServerResponse } from 'node:http'
import { contain, hush } from '../../serve/message/contain.js'
import type { Outcome } from '../../serve/message/message.js'
import type { Serve } from '../../serve/serve.js'
import { isGivenUp } from './linger.js'
import { NodeRequest } from './node-request.js'
import { send } from './send.js'

export type Handler = (message: IncomingMessage, response: ServerResponse) => void

/**
 * Handles requests of node and Express. Every error outside of an answer is caught here: it ends the connection, not
 * the process.
 */
export function createHandler(serve: Serve, report: (text: string) => void): Handler {
  return (message, response) => {
    if (isGivenUp(message.socket)) return void message.resume()
    hush(message, response)
    const fail = (error: Error) => {
      response.destroy()
      report(error.stack ?? error.message)
    }
    const request = new NodeRequest(message, response)
    contain(fail, () => {
      const outcome = serve(request)
      if (outcome instanceof Promise) return outcome.then((it) => send(request, it))
      send(request, outcome as Outcome)
    })
  }
}
