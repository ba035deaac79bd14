import type { Operation } from '../contract/model.js'
import type { ShadowReport } from '../contract/types.gen.js'
import { Copy } from './body/copy.js'
import type { Exchange, Setting } from './exchange.js'
import type { Answer, AnswerHeaders, Reply } from './message/message.js'

type IncomingBody = AsyncIterable<Uint8Array> & { destroy(): unknown }

export interface RelayedAnswer {
  status: number
  message: string
  /** Alternating names and values. */
  headers: string[]
  hasLength: boolean
  /** Complete, or still being received and forwarded as it arrives. */
  body: Buffer | IncomingBody
  /** The violations on both sides, once a streamed body is complete. */
  check(bytes: Buffer | undefined): Promise<string[]>
  /** The text of a complete body, for the journal. */
  textOf(bytes: Buffer): string | undefined
  /** Describes an error that ended a body. */
  explain(error: unknown): Error
}

/** Asks the service instead of a rule. */
export interface Forward {
  /** Whether the service answers, and not the mock. */
  takes(operation: Operation | undefined): boolean
  /** `mock`: the service does not implement the operation (501). The body of the request can then be read again. */
  ask(exchange: Exchange): Promise<RelayedAnswer | 'mock'>
  /** The reply if the service gave no answer, or none that can be forwarded. */
  failed(exchange: Exchange, error: unknown): Reply
  /** What was compared with the service; null if nothing is. */
  shadowReport?(): ShadowReport | null
  close(): void | Promise<void>
}

/** The trailer with the number of violations in a streamed answer. */
const trailer = 'X-Mock-Violations'

/** Characters that a header must not contain, such as a line feed. */
const unwritable = /[^\t\x20-\x7e\x80-\xff]/

/** The headers of the service's answer, unchanged, with the mock's own headers. Throws if they cannot be forwarded. */
export function relayedHead(
  { request, entry, violations }: Exchange,
  { status, message, headers, hasLength, body, explain }: RelayedAnswer,
  mockHeaders: AnswerHeaders
): Omit<Answer, 'body'> {
  const isStream = !Buffer.isBuffer(body)
  const counts = isStream && request.takesChunks && !hasLength
  const added = { ...entry.headers, ...(counts && { Trailer: trailer }), ...mockHeaders }
  const list = [...headers, ...Object.entries(added).flatMap(([name, value]) => [name, String(value)])]
  if ([message, ...list].some((text) => unwritable.test(text))) {
    throw explain(new Error('its headers have characters that are not allowed'))
  }
  const head = { status, message, headers: list }
  if (!counts) return head
  const trailers = (): Record<string, string> => (violations.length > 0 ? { [trailer]: String(violations.length) } : {})
  return { ...head, trailers }
}

/**
 * Forwards the body of the service's answer as it arrives. `done` is called once: with the whole body, or with undefined if it
 * is too large to check or failed. Violations are added to the exchange.
 */
export function passOn(
  exchange: Setting<'failure'>,
  relayed: RelayedAnswer,
  source: IncomingBody,
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
