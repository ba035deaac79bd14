import type { IncomingMessage } from 'node:http'
import { finished, PassThrough } from 'node:stream'
import { lazily } from '../contract/lazy.js'
import { Refusal } from '../contract/refusal.js'
import { type Limits, tooLarge } from './limits.js'
import { inMemory } from './storage.js'

/** A file as it was uploaded. */
export interface UploadedFile {
  name: string
  /** The media type that the client gave. */
  type: string
  bytes: Uint8Array
  /** What a zip holds, once unpacked: paths as in the zip, sizes as counted. */
  entries?: { path: string; size: number }[]
  /** The metadata file at the root of a zip. */
  metadata?: { name: string; text: string }
}

/** A field as it came: a text or a file. Empty texts count as absent. */
type Part = [name: string, value: string | UploadedFile]

const maxFields = 1000
const maxNameLength = 200
/** Room for what is around the contents of a form, in bytes. */
const overhead = 16 * 1024 * 1024
/** multer builds arrays of names such as a[7]; a high index would make it walk a long way. */
const maxIndex = 100

/**
 * Reads a multipart/form-data body; any other body is a form without fields. Of a repeated field the last one wins,
 * except for the fields in `lists`: these are arrays. A body that is refused is not read to its end.
 */
export async function readMultipart(
  request: IncomingMessage,
  lists: ReadonlySet<string>,
  limits: Limits
): Promise<Record<string, unknown>> {
  const parts: Part[] = []
  try {
    if (isForm(request)) await Promise.race([receive(request, limits, parts), overrun(request, limits)])
  } catch (error) {
    throw refusal(error as Error & { code?: string }, limits)
  }
  return formOf(parts, lists)
}

function isForm({ headers, destroyed }: IncomingMessage): boolean {
  const type = headers['content-type'] ?? ''
  const encoding = headers['content-encoding']
  if (!/^multipart\/form-data\s*(;|$)/i.test(type) || headers['content-length'] === '0') return false
  if (encoding && encoding !== 'identity') throw new Refusal('unsupported-encoding', { encoding })
  if (!/;\s*boundary=/i.test(type)) throw unreadable('Missing boundary in multipart.')
  // Nothing would ever come, not even an end.
  if (destroyed) throw unreadable('Invalid multipart data.')
  return true
}

/** Rejects when more has come than a form may hold: also what is before, between and after its parts. */
function overrun(request: IncomingMessage, limits: Limits): Promise<never> {
  const most = limits.total + limits.json + overhead
  let left = most
  return new Promise((_, reject) => {
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left >= 0) return
      const detail = `The form is larger than ${most} bytes (limits.upload: total, json).`
      reject(new Refusal('too-large', { detail }))
    })
  })
}

function receive(request: IncomingMessage, limits: Limits, parts: Part[]): Promise<void> {
  let text = 0
  // multer would read a refused body to its end, if it has one: what it reads ends where it stops parsing.
  const source = Object.assign(new PassThrough(), { headers: request.headers })
  finished(request, { writable: false }, (error) => {
    if (error) source.destroy(error)
  })
  request.pipe(source)
  const options = {
    storage: inMemory(limits, (name, file) => parts.push([name, file])),
    // Names are reduced here, by one rule: multer would drop a file whose base name is empty.
    preservePath: true,
    defParamCharset: 'utf8',
    limits: {
      files: limits.files,
      fields: maxFields,
      parts: limits.files + maxFields,
      fieldSize: limits.json,
      fieldNameSize: maxNameLength,
      fieldArrayIndexLimit: maxIndex
    },
    // multer nests fields such as a[b]; here a name is just a name, so the fields are taken where they are parsed.
    streamHandler(body: PassThrough, parser: NodeJS.WritableStream & { destroy(error: Error): void }) {
      parser.once('unpipe', () => body.destroy())
      parser.on('field', (name: string, value: string) => {
        text += Buffer.byteLength(value)
        if (text > limits.json) parser.destroy(tooLarge('form fields', limits.json, 'json') as unknown as Error)
        else parts.push([name, value])
      })
      body.pipe(parser)
    }
  }
  const multer = lazily('multer') as typeof import('multer')
  const read = multer(options).any()
  return new Promise((resolve, reject) => {
    read(source as never, {} as never, (error?: unknown) => (error ? reject(error) : resolve()))
  })
}

function formOf(parts: Part[], lists: ReadonlySet<string>): Record<string, unknown> {
  const form = new Map<string, unknown>()
  for (const [name, value] of parts) {
    if (!lists.has(name)) {
      if (value === '') form.delete(name)
      else form.set(name, value)
    } else if (value !== '') {
      const list = form.get(name) as unknown[] | undefined
      if (list) list.push(value)
      else form.set(name, [value])
    }
  }
  return Object.fromEntries(form)
}

function refusal(error: Error & { code?: string }, limits: Limits): Refusal {
  if (error instanceof Refusal) return error
  switch (error.code) {
    case 'LIMIT_FILE_COUNT':
      return new Refusal('too-large', { detail: `There are more than ${limits.files} files (limits.upload: files).` })
    case 'LIMIT_FIELD_VALUE':
      return tooLarge('form fields', limits.json, 'json')
    case 'LIMIT_FIELD_COUNT':
    case 'LIMIT_PART_COUNT':
      return unreadable(`Too many fields. Maximum number of fields is ${maxFields}.`)
    default:
      return unreadable('Invalid multipart data.')
  }
}

function unreadable(detail: string): Refusal {
  return new Refusal('unreadable-body', { detail })
}
