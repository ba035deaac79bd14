import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import getRawBody from 'raw-body'
import { isJsonType } from '../contract/media.js'
import { excessOf, tooDeep } from '../contract/nesting.js'
import { Refusal } from '../contract/refusal.js'
import { parseJson } from './json.js'
import type { Limits } from './limits.js'

/** A body as the contract checks it, `malformed` where it is no JSON at all; and as the journal keeps it. */
export type Body = ({ value: unknown } | { malformed: { offset: number; error: string } }) & { text?: string }

const absent: Body = { value: undefined }

/**
 * Reads a JSON body. Another media type is a text, which the contract then refuses; `untyped` says how a body without
 * a media type is read. Refuses what is too large, too deep, too wide, compressed or not UTF-8.
 */
export async function readJsonBody(
  request: IncomingMessage,
  limits: Pick<Limits, 'json'> & { values: number },
  untyped: () => 'json' | 'text'
): Promise<Body> {
  const parsed = parsedBefore(request)
  if (parsed) return parsed
  const encoding = request.headers['content-encoding']
  if (encoding && encoding !== 'identity') throw new Refusal('unsupported-encoding', { encoding })
  const bytes = await readBytes(request, limits.json)
  if (bytes.length === 0) return absent
  if (!isUtf8(bytes)) throw new Refusal('unreadable-body', { detail: 'There was an error parsing the body' })
  const text = bytes.toString('utf8')
  const type = request.headers['content-type']
  if (type ? !isJsonType(type) : untyped() === 'text') return { value: text, text }
  const excess = excessOf(text, limits.values)
  if (excess === 'depth') throw new Refusal('unreadable-body', { detail: `The body ${tooDeep}.` })
  if (excess === 'values') {
    throw new Refusal('too-large', { detail: `The body holds more than ${limits.values} values (--max-json-values).` })
  }
  const result = parseJson(text)
  return 'value' in result ? { value: result.value, text } : { malformed: result, text }
}

/** In an app that parses bodies itself, the stream is used up and `body` holds what was in it. */
function parsedBefore(request: IncomingMessage): Body | undefined {
  return request.readableEnded && 'body' in request ? { value: request.body } : undefined
}

async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(request, {
      length: request.headers['content-length'],
      limit: Number.isFinite(limit) ? limit : null
    })
  } catch (error) {
    if ((error as { type?: string }).type === 'entity.too.large') {
      throw new Refusal('too-large', { detail: `The body is larger than ${limit} bytes (limits.upload: json).` })
    }
    throw new Refusal('unreadable-body', { detail: `The body could not be read: ${(error as Error).message}` })
  }
}
