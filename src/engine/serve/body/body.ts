import { isUtf8 } from 'node:buffer'
import { checkSize, checkValue, isJsonType, parseJson } from '../../contract/json.js'
import type { Body } from '../../contract/message/body.js'
import { Refusal } from '../../contract/message/refusal.js'
import { guarded } from '../message/contain.js'
import type { Request } from '../message/message.js'
import type { UploadShare } from './limits.js'

/** The limits of a JSON body: bytes, and members and items. */
export interface JsonLimits {
  bytes: number
  values: number
}

const absent: Body = { value: undefined }

/**
 * Reads a JSON body. A body with another media type becomes a text, which the contract then rejects. `untyped` says how
 * to read a body without a media type. Rejects bodies that are too large, too deep, too wide, compressed or not UTF-8.
 */
export function readJsonBody(
  request: Request,
  limits: JsonLimits,
  share: UploadShare,
  untyped: () => 'json' | 'text'
): Promise<Body> {
  const { parsed } = request.body
  if (parsed) return Promise.resolve(parsed).then(({ value }) => checkedParsed(value, request, limits))
  const encoding = request.headers['content-encoding']
  if (encoding && encoding !== 'identity') return Promise.reject(new Refusal('unsupported-encoding', { encoding }))
  return readBytes(request, limits.bytes, share, (bytes) => jsonIn(bytes, request, limits, untyped))
}

/** A body that another part of the app has parsed, within the same limits. A form counts as a text, as it would unparsed. */
function checkedParsed(value: unknown, { headers }: Request, limits: JsonLimits): Body {
  const tooLarge = refusalOf(Number(headers['content-length'] ?? 0), limits.bytes)
  if (tooLarge) throw tooLarge
  checkValue(value, limits.values, 'The body', unreadable)
  const type = headers['content-type']
  return value === undefined || !type || isJsonType(type) ? { value } : { value: JSON.stringify(value) }
}

const unreadable = (problem: string) => new Refusal('unreadable-body', { detail: `The body ${problem}.` })

function refusalOf(bytes: number, most: number): Refusal | undefined {
  if (bytes <= most) return undefined
  return new Refusal('too-large', { detail: `The body is larger than ${most} bytes (limits.upload: json).` })
}

function jsonIn(bytes: Buffer, { headers }: Request, limits: JsonLimits, untyped: () => 'json' | 'text'): Body {
  if (bytes.length === 0) return absent
  if (!isUtf8(bytes)) throw new Refusal('unreadable-body', { detail: 'There was an error parsing the body' })
  const text = bytes.toString('utf8')
  const type = headers['content-type']
  if (type ? !isJsonType(type) : untyped() === 'text') return { value: text, text }
  checkSize(text, 'The body', unreadable, limits.values)
  const result = parseJson(text)
  return 'value' in result ? { value: result.value, text } : { malformed: result, text }
}

/** Reads a body of any media type as text. Bytes that are not UTF-8 become base64. */
export function readTextBody(request: Request, limits: JsonLimits, share: UploadShare): Promise<Body> {
  return readBytes(request, limits.bytes, share, (bytes) => {
    if (bytes.length === 0) return absent
    const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'base64')
    return { value: text, text }
  })
}

/** The result of `read` for the bytes of a body. There is no promise for each step, because most bodies are short. */
function readBytes(request: Request, most: number, share: UploadShare, read: (bytes: Buffer) => Body): Promise<Body> {
  const announced = refusalOf(Number(request.headers['content-length'] ?? 0), most)
  if (announced) return Promise.reject(announced)
  const chunks: Uint8Array[] = []
  let size = 0
  const take = (chunk: Uint8Array) => {
    size += chunk.length
    const refusal = refusalOf(size, most)
    if (refusal) throw refusal
    chunks.push(chunk)
  }
  return receive(request, share, take, () =>
    read(chunks.length === 1 && Buffer.isBuffer(chunks[0]) ? chunks[0] : Buffer.concat(chunks))
  )
}

/**
 * Passes each chunk of a body to `take`, and resolves at the end of the body with the result of `make`. Rejects with a Refusal
 * if the client leaves or memory runs out, and with any error that the two throw. The rest of the body is then dropped.
 */
export function receive<Made>(
  { body, headers }: Request,
  share: UploadShare,
  take: (chunk: Uint8Array) => void,
  make: () => Made | Promise<Made>
): Promise<Made> {
  return new Promise<Made>((resolve, reject) => {
    let isOver = false
    const fail = (error: unknown) => {
      if (isOver) return
      isOver = true
      share.release()
      reject(error)
    }
    const tooMuch = share.refusalOf(Number(headers['content-length'] ?? 0))
    if (tooMuch) return fail(tooMuch)
    body.read({
      data: guarded(fail, (chunk: Uint8Array) => {
        if (isOver) return
        const refusal = share.take(chunk.length)
        if (refusal) throw refusal
        take(chunk)
      }),
      end: guarded(fail, () => {
        resolve(make())
        isOver = true
      }),
      fail: (reason) => fail(new Refusal('unreadable-body', { detail: `The body could not be read: ${reason}.` }))
    })
  })
}
