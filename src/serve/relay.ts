import type { Operation } from '../contract/contract.js'
import { Copy } from './body/copy.js'
import type { Exchange } from './exchange.js'
import type { Answer, AnswerHeaders, Reply } from './message/message.js'

/** A body that is still coming. */
type Coming = AsyncIterable<Uint8Array> & { destroy(): unknown }

/** An answer of the service, as it is passed on. */
export interface Relayed {
  status: number
  message: string
  /** Names and values in turn. */
  headers: string[]
  hasLength: boolean
  /** Whole; or still coming, and passed on as it comes. */
  body: Buffer | Coming
  /** What breaks the contract on both sides, once all of a body that was still coming is here. */
  check(bytes: Buffer | undefined): Promise<string[]>
  /** For the journal: the text of a whole body. */
  textOf(bytes: Buffer): string | undefined
  /** What to tell of an error that ended a body. */
  explain(error: unknown): Error
}

/** Asks the service instead of a rule. */
export interface Forward {
  /** Whether the service is asked, and not the mock. */
  takes(operation: Operation | undefined): boolean
  /** `mock`: the service does not implement the operation (501); what was read of the request is there again. */
  ask(exchange: Exchange): Promise<Relayed | 'mock'>
  /** What a client is told when the service gave no answer, or none that may be passed on. */
  failed(exchange: Exchange, error: unknown): Reply
  close(): void
}

/** The trailer that counts the violations of an answer that was checked while it was passed on. */
const trailer = 'X-Mock-Violations'

/** What no head may have in it, such as a line feed. */
const unwritable = /[^\t\x20-\x7e\x80-\xff]/

/** The head of the service's answer as it came, with the mock's own headers. Throws where it cannot be passed on. */
export function relayedHead(
  { request, passage, violations }: Exchange,
  { status, message, headers, hasLength, body, explain }: Relayed,
  own: AnswerHeaders
): Omit<Answer, 'body'> {
  const isStream = !Buffer.isBuffer(body)
  const counts = isStream && request.takesChunks && !hasLength
  const added = { ...passage.headers, ...(counts && { Trailer: trailer }), ...own }
  const list = [...headers, ...Object.entries(added).flatMap(([name, value]) => [name, String(value)])]
  if ([message, ...list].some((text) => unwritable.test(text))) {
    throw explain(new Error('its head has characters that no head may have'))
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
  source: Coming,
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
