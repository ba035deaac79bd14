import type { IncomingMessage, ServerResponse } from 'node:http'
import { contain, hush } from '../../engine/serve/message/contain.js'
import type { Outcome, Request } from '../../engine/serve/message/message.js'
import type { Serve } from '../../engine/serve/steps.js'
import { giveUp, isGivenUp } from './linger.js'
import { NodeRequest } from './node-request.js'
import { hasUnreadBody, send } from './send.js'

export type Handler = (message: IncomingMessage, response: ServerResponse, leave?: Request['leave']) => void

/**
 * Handles requests of node and Express. Every error outside an answer is caught here: it ends the connection, not the process.
 */
export function createHandler(serve: Serve, report: (text: string) => void): Handler {
  return (message, response, leave) => {
    hush(message, response)
    const fail = (error: Error) => {
      response.destroy()
      report(error.stack ?? error.message)
    }
    if (asksToUpgrade(message)) makeLast(message, response)
    const request = new NodeRequest(message, response, leave)
    contain(fail, () => {
      const outcome = serve(request)
      if (outcome instanceof Promise) return outcome.then((it) => send(request, it))
      send(request, outcome as Outcome)
    })
  }
}

/** Whether the connection has had its last answer. Then the rest is read and ignored. Call it once, when a request arrives. */
export function isTooLate(message: IncomingMessage): boolean {
  const isLate = isGivenUp(message.socket)
  if (isLate) message.resume()
  return isLate
}

function asksToUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /\bupgrade\b/i.test(headers.connection ?? '')
}

/**
 * Makes this request the last on its connection. Node drops what follows a request for another protocol in the same packet.
 * Later data would then be read from the middle, and a body mistaken for a request.
 */
function makeLast(message: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false
  const giveUpNow = () => giveUp(message.socket)
  // A missing body is reported in time only as long as the connection is not given up.
  if (hasUnreadBody(message)) message.once('end', giveUpNow)
  else void Promise.resolve().then(giveUpNow)
}
