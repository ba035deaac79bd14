import type { IncomingMessage } from 'node:http'
import type { Exchange } from '../serve/exchange.js'
import type { Answer, AnswerHeaders } from '../serve/message.js'
import { Copy } from './copy.js'
import type { Relayed } from './forward.js'
import { UpstreamError } from './upstream.js'

/** The trailer that counts the violations of an answer that was checked while it was passed on. */
const trailer = 'X-Mock-Violations'

/** What no head may have in it, such as a line feed. */
const unwritable = /[^\t\x20-\x7e\x80-\xff]/

/** The head of the service's answer as it came, with the mock's own headers. Throws where it cannot be passed on. */
export function relayedHead(
  { request, passage, violations }: Exchange,
  { status, message, headers, body }: Relayed,
  own: AnswerHeaders
): Omit<Answer, 'body'> {
  const isStream = !Buffer.isBuffer(body)
  const counts = isStream && request.takesChunks && body.headers['content-length'] === undefined
  const added = { ...passage.headers, ...(counts && { Trailer: trailer }), ...own }
  const list = [...headers, ...Object.entries(added).flatMap(([name, value]) => [name, String(value)])]
  if ([message, ...list].some((text) => unwritable.test(text))) {
    throw new UpstreamError(
      502,
      'The answer of the service cannot be passed on: its head has characters that no head may have.'
    )
  }
  const head = { status, message, headers: list }
  if (!counts) return head
  const trailers = (): Record<string, string> => (violations.length > 0 ? { [trailer]: String(violations.length) } : {})
  return { ...head, trailers }
}

/**
 * The body of the service's answer as it comes. `done` is called once: with all of it, or with undefined where it is too
 * large to be looked at or broke off. What is wrong with it is noted in the exchange.
 */
export function passOn(
  exchange: Exchange,
  relayed: Relayed,
  source: IncomingMessage,
  done: (bytes: Buffer | undefined) => void
): AsyncIterable<Uint8Array> {
  const copy = new Copy()
  let isDone = false
  const end = (bytes: Buffer | undefined, failure?: string) => {
    if (isDone) return
    isDone = true
    exchange.failure ??= failure
    done(bytes)
  }
  exchange.request.whenOver(() => {
    if (!isDone) source.destroy()
    end(undefined, 'The client went away.')
  })
  async function* pieces() {
    try {
      for await (const chunk of source) {
        copy.add(chunk)
        yield chunk
      }
    } catch (error) {
      end(undefined, relayed.explain(error).message)
      throw error
    }
    const bytes = copy.isWhole ? copy.bytes() : undefined
    exchange.violations.push(...(await relayed.check(bytes)))
    end(bytes)
  }
  return pieces()
}
