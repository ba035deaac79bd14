import type { Operation } from '../contract/contract.js'
import { type Client, type Reply, Unreachable } from './client.js'
import { callOf } from './request.js'

export interface Target {
  /** Whether the server says that it is this mock: nothing that it holds is precious. */
  isMock: boolean
  /** The role of the token's user, as the server says it. */
  role: string | undefined
}

/** Asks by `operation` for the caller's role. Throws Unreachable, in one sentence, where nothing of this interface answers. */
export async function reach(client: Client, url: string, token: string, operation: Operation): Promise<Target> {
  const call = callOf(operation, {})
  const reply = await client.send(call, `Bearer ${token}`)
  const problem = problemOf(reply, url, call.target)
  if (problem) throw new Unreachable(problem)
  const { role } = (reply.body ?? {}) as { role?: unknown }
  return { isMock: 'x-mock-request-id' in reply.headers, role: typeof role === 'string' ? role : undefined }
}

function problemOf({ status, headers, text, body }: Reply, url: string, target: string): string | undefined {
  if (status >= 300 && status < 400) {
    return `${url} redirects to ${headers.location ?? 'another place'}: give the address that serves the interface itself.`
  }
  if (/html/i.test(headers['content-type'] ?? '') || /^\s*<(!doctype|html)/i.test(text)) {
    return `${url} answers with a web page, not with the interface: is the base address right?`
  }
  if (status === 401 || status === 403) return `${url} refuses the token (${status}): give a good one with --token.`
  if (status === 404 && body === undefined) return `${url} has no ${target}: is the base address right?`
  return undefined
}
