import type { JournalDetail } from '../../../../contract/types.gen.js'
import { call } from '../../client.js'
import type { Outgoing } from '../../outgoing/outgoing.js'
import { inThrowAway } from '../../undo/throw-away.js'

/** What is different elsewhere. */
export interface Variant {
  user: string | null
  choices: Record<string, string>
}

/**
 * Sends a request in a copy of the sandbox, which is dropped afterwards, and resolves to the exchange there. Nothing
 * changes in the sandbox itself.
 */
export async function sendElsewhere(
  { method, url, headers: given, body: sent }: Outgoing,
  from: string,
  { user, choices }: Variant
): Promise<JournalDetail> {
  return inThrowAway(async (fork) => {
    if (Object.keys(choices).length > 0) await call('changeAssumptions', { body: choices as never }, fork)
    const { authorization: _, ...headers } = given
    const hasText = !['GET', 'HEAD'].includes(method) && sent !== undefined && 'text' in sent
    const body = { method, url, user, headers, ...(hasText && { text: sent.text }) }
    const answer = await call('callOperation', { body }, fork)
    const id = Object.entries(answer.headers).find(
      ([name]) => name.toLowerCase() === 'x-mock-request-id'
    )?.[1] as string
    return call('getRequest', { path: { id } }, fork)
  }, from)
}
