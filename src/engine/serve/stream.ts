import { performance } from 'node:perf_hooks'
import { clearTimeout, setTimeout } from 'node:timers'
import { setImmediate } from 'node:timers/promises'
import { isJsonLines, isStreamType } from '../contract/message/media.js'
import type { Pace } from '../contract/model.js'
import type { Request, ValueStream } from './message/message.js'

/**
 * The stream of a body, with its first value already asked for. Undefined: the body is sent whole. Under a type of streams,
 * the items of a list are values, and any other value is the only one. A text or bytes are one piece.
 */
export function streamOf(body: unknown, media: string | undefined, pace: Pace = {}): ValueStream | undefined {
  if (typeof body === 'string' || ArrayBuffer.isView(body) || body === undefined) return undefined
  const rest = isIterable(body) && !Array.isArray(body) ? iteratorOf(body) : listed(body, media)
  return rest && { first: rest.next(), rest, pace }
}

function listed(body: unknown, media: string | undefined): Iterator<unknown> | undefined {
  return isStreamType(media) ? [body].flat(1).values() : undefined
}

type Iterable =
  | { [Symbol.iterator]: () => Iterator<unknown> }
  | { [Symbol.asyncIterator]: () => AsyncIterator<unknown> }

function isIterable(body: unknown): body is Iterable | ReadableStream {
  if (typeof body !== 'object' || body === null) return false
  return Symbol.asyncIterator in body || Symbol.iterator in body || 'getReader' in body
}

function iteratorOf(body: Iterable | ReadableStream): Iterator<unknown> | AsyncIterator<unknown> {
  if (Symbol.asyncIterator in body) return body[Symbol.asyncIterator]()
  return Symbol.iterator in body ? body[Symbol.iterator]() : chunksOf(body)
}

/** The chunks of a stream, for browsers whose streams are not iterable. */
async function* chunksOf(stream: ReadableStream): AsyncGenerator<unknown> {
  const reader = stream.getReader()
  try {
    for (let it = await reader.read(); !it.done; it = await reader.read()) yield it.value
  } finally {
    await reader.cancel()
  }
}

/** A value as it is sent under a media type. Throws an Error for a value that cannot be sent. */
export function frameOf(value: unknown, media: string): string | Uint8Array {
  if (value instanceof Uint8Array) return value
  if (isJsonLines(media)) return `${jsonOf(value)}\n`
  if (media.startsWith('application/json-seq')) return `\u001e${jsonOf(value)}\n`
  if (media.startsWith('text/event-stream')) return eventOf(value)
  if (typeof value === 'string') return value
  throw new Error(
    `it yields ${nameOf(value)} under ${media}. Yield texts or bytes, or give the answer a type of streams, such as application/x-ndjson.`
  )
}

function jsonOf(value: unknown): string {
  const text = JSON.stringify(value)
  if (text === undefined) throw new Error(`it yields ${nameOf(value)}, which JSON does not have.`)
  return text
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a value of type ${typeof value}`
}

/** What a schema may describe of a value: the value, and the data of a server-sent event. */
export function describedIn(value: unknown, media: string): unknown[] {
  return media.startsWith('text/event-stream') && isEvent(value) ? [(value as { data: unknown }).data, value] : [value]
}

const eventFields = ['event', 'id', 'retry', 'data']

/** A server-sent event. A value that has more or other fields than an event is its data. */
function eventOf(value: unknown): string {
  const { data, ...fields } = (isEvent(value) ? value : { data: value }) as Record<string, unknown>
  const text = typeof data === 'string' ? data : jsonOf(data)
  const head = Object.entries(fields).map(([name, field]) => {
    if (/[\r\n]/.test(String(field))) throw new Error(`the ${name} of an event is more than one line.`)
    return `${name}: ${field}\n`
  })
  return `${head.join('')}${text
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join('')}\n`
}

/** How a stream ended: `gone` if its client left. */
export type StreamEnd = 'whole' | 'cut' | 'error' | 'gone'

function isEvent(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('data' in value)) return false
  return Object.keys(value).every((it) => eventFields.includes(it))
}

export interface StreamSteps {
  request: Request
  waits: boolean
  /** A value as it is sent. Throws an Error if it cannot be. */
  frame: (value: unknown) => string | Uint8Array
  check: (value: unknown) => void
  next: (rest: ValueStream['rest']) => Promise<IteratorResult<unknown>>
  /** Called once. */
  end: (how: StreamEnd, error?: unknown) => void
}

/**
 * The pieces of a stream. If the rule fails or the answer is cut, the generator throws, and its door breaks the connection. A
 * client that leaves ends the rule.
 */
export function piecesOf({ first, rest, pace }: ValueStream, steps: StreamSteps): AsyncIterable<string | Uint8Array> {
  const { request } = steps
  let isOver = false
  let wake = () => {}
  const over = (how: StreamEnd, error?: unknown) => {
    if (isOver) return
    isOver = true
    wake()
    if (how !== 'whole' && how !== 'error') void Promise.resolve(rest.return?.()).catch(() => {})
    steps.end(how, error)
  }
  const wait = (milliseconds = 0) =>
    new Promise<void>((resolve) => {
      if (milliseconds === 0 || !steps.waits || isOver) return resolve()
      const timer = setTimeout(resolve, milliseconds)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  request.whenOver(() => over('gone'))
  async function* pieces() {
    try {
      let count = 0
      let since = performance.now()
      if (pace.cutAfter === 0) throw cut
      for (let it = await first; !it.done && !isOver; it = await steps.next(rest)) {
        await wait(count === 0 ? pace.first : pace.every)
        if (performance.now() - since > turn) {
          await setImmediate()
          since = performance.now()
        }
        if (isOver) return
        if (count > 0) steps.check(it.value)
        count++
        yield steps.frame(it.value)
        if (count === pace.cutAfter) throw cut
      }
      over('whole')
    } catch (error) {
      over(error === cut ? 'cut' : 'error', error)
      throw error === cut ? new TypeError('terminated') : error
    } finally {
      over('gone')
    }
  }
  return pieces()
}

const cut = new Error('The answer was cut.')

/** After so many milliseconds, a stream whose values are always ready lets other requests have a turn. */
const turn = 5
