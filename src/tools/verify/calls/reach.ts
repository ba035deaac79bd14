import type { Operation } from '../../../engine/contract/model.js'
import type { Client, Reply } from './client.js'
import { isOverload, Patience, Stopped, Unreachable } from './patience.js'
import { callOf } from './request.js'

export interface VerifiedService {
  /** The role of the token's user, as the server reports it. */
  role: string | undefined
}

/** The mock's own tokens. They are never sent to another server. */
export const mockTokens = { token: 'admin', userToken: 'basic' }

/** The wait for a first answer of an overloaded server, in milliseconds. */
const firstWait = 15_000

/** Whether the server reports that it is this mock. Sends no token. */
export async function isThisMock(client: Client, operations: Operation[]): Promise<boolean> {
  return 'x-mock-request-id' in (await firstAnswer(client, operations, null)).reply.headers
}

/** The answer of the first operation that has one. Throws Unreachable if none has. */
async function firstAnswer(client: Client, operations: Operation[], authorization: string | null) {
  const patience = new Patience(firstWait)
  let failure: unknown
  for (const operation of operations) {
    const call = callOf(operation, {})
    try {
      const reply = await patience.send(() => client.send(call, authorization))
      if (!isOverload(reply.status)) return { call, reply }
      failure = new Unreachable(
        `${client.url} answers with ${reply.status}: it is overloaded, or down behind its gateway.`
      )
    } catch (error) {
      failure = error instanceof Stopped ? new Unreachable(`${client.url}: ${error.message}.`) : error
      if (!(failure instanceof Unreachable) || failure.silence === 'absent') throw failure
    }
  }
  throw failure
}

/** Asks for the caller's role. Throws Unreachable, in one sentence, if no server of this interface answers. */
export async function reach(
  client: Client,
  url: string,
  token: string | undefined,
  operations: Operation[]
): Promise<VerifiedService> {
  const { call, reply } = await firstAnswer(client, operations, token === undefined ? null : `Bearer ${token}`)
  const problem = problemOf(reply, url, call.target)
  if (problem) throw new Unreachable(problem)
  if (token === undefined) throw new Unreachable(`${url} needs the token of an administrator: give it with --token.`)
  const { status } = reply
  if (status === 401 || status === 403) {
    throw new Unreachable(`${url} refuses the token (${status}): give a good one with --token.`)
  }
  const { role } = (reply.body ?? {}) as { role?: unknown }
  return { role: typeof role === 'string' ? role : undefined }
}

function problemOf({ status, headers, text, body }: Reply, url: string, target: string): string | undefined {
  if (status >= 300 && status < 400) {
    return `${url} redirects to ${headers.location ?? 'another place'}: give the address that serves the interface itself.`
  }
  if (/html/i.test(headers['content-type'] ?? '') || /^\s*<(!doctype|html)/i.test(text)) {
    return `${url} answers with a web page, not with the interface: is the base address right?`
  }
  if (status === 404 && body === undefined) return `${url} has no ${target}: is the base address right?`
  return undefined
}
