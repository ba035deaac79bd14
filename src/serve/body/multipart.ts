import { PassThrough, type Readable, type Writable } from 'node:stream'
import type { UploadedFile } from '../../contract/body.js'
import { packed } from '../../contract/lazy.js'
import { Refusal } from '../../contract/refusal.js'
import { guarded, hush } from '../message/contain.js'
import type { Request } from '../message/message.js'
import { type Limits, tooLarge } from './limits.js'
import { receive } from './receive.js'
import { inMemory } from './storage.js'
import type { UploadShare } from './upload-budget.js'

/** A field of a form: a text or a file. Empty texts count as missing. */
type Part = [name: string, value: string | UploadedFile]

/** How the fields of a form are read. */
export interface FormFields {
  /** The names of array fields. */
  lists: ReadonlySet<string>
  /** Which value of another repeated field to use. Called only if a field is repeated. */
  whichCounts: () => 'last' | 'first'
}

const maxFields = 1000
const maxNameLength = 200
/** Bytes allowed for everything around the contents of a form. */
const overhead = 16 * 1024 * 1024
/** multer builds arrays from names such as a[7], so a high index would take long. */
const maxIndex = 100
const noBoundary = 'Missing boundary in multipart.'

/**
 * Reads a multipart/form-data body. Any other body is a form without fields. A rejected body is not read to its end.
 */
export async function readMultipart(
  request: Request,
  fields: FormFields,
  limits: Limits,
  share: UploadShare
): Promise<Record<string, unknown>> {
  const parts: Part[] = []
  try {
    if (isForm(request)) await readParts(request, limits, share, parts)
  } catch (error) {
    share.release()
    throw refusal(error as Error & { code?: string }, limits)
  }
  return formOf(parts, fields)
}

function isForm({ headers, body }: Request): boolean {
  const type = headers['content-type'] ?? ''
  const encoding = headers['content-encoding']
  if (!/^multipart\/form-data\s*(;|$)/i.test(type) || !body.isExpected) return false
  if (encoding && encoding !== 'identity') throw new Refusal('unsupported-encoding', { encoding })
  if (!/;\s*boundary=/i.test(type)) throw unreadable(noBoundary)
  return true
}

/** The first of these ends it: the last part, a refusal, or a closed connection. */
async function readParts(request: Request, limits: Limits, share: UploadShare, parts: Part[]): Promise<void> {
  // The parser rejects a trailing semicolon, which is allowed (RFC 9110, 5.6.6).
  const type = request.headers['content-type']?.replace(/[;\s]+$/, '')
  // The parser reads only if a header announces a body.
  const headers = { ...request.headers, 'content-type': type, 'transfer-encoding': 'chunked' }
  const source = Object.assign(new PassThrough(), { headers })
  hush(source)
  const readOn = guarded(
    () => void source.destroy(),
    () => request.body.resume()
  )
  source.on('drain', readOn)
  const most = limits.total + limits.json + overhead
  let size = 0
  const received = receive(request, share, (chunk) => {
    size += chunk.length
    // The size includes what is before, between and after the parts.
    if (size > most) {
      throw new Refusal('too-large', {
        detail: `The form is larger than ${most} bytes (limits.upload: total, json).`
      })
    }
    if (source.destroyed) throw unreadable('Invalid multipart data.')
    // Without the pause, a rejected body would be read much further.
    if (!source.write(chunk)) request.body.pause()
  }).then(() => void source.end())
  const parsed = parse(source, limits, parts)
  try {
    await Promise.race([parsed, received.then(() => parsed)])
  } finally {
    source.destroy()
    // The rest is dropped, so that the next request of the connection can be read.
    request.body.resume()
  }
}

function parse(source: PassThrough, limits: Limits, parts: Part[]): Promise<void> {
  let size = 0
  const addText = (name: string, value: string): void => {
    size += Buffer.byteLength(value)
    if (size > limits.json) throw tooLarge('form fields', limits.json, 'json')
    parts.push([name, value])
  }
  return new Promise((resolve, reject) => {
    const options = {
      storage: inMemory(limits, (name, file) => parts.push([name, file])),
      // File names are shortened here, because multer would drop a file with an empty base name.
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
      // multer nests fields such as a[b]. Here a name is only a name, so the fields are taken from the parser.
      streamHandler(body: PassThrough, parser: Writable) {
        // multer would read a rejected body to its end, so its input ends here.
        parser.once(
          'unpipe',
          guarded(reject, () => void body.destroy())
        )
        parser.on(
          'field',
          guarded(reject, (name: string | undefined, value: string | undefined) => {
            if (value === undefined) throw unreadable(unreadCharset(name ?? ''))
            // multer rejects a part without a name.
            if (name !== undefined) addText(name, value)
          })
        )
        parser.on(
          'file',
          guarded(reject, (name: string | undefined, stream: Readable, { filename }: { filename?: string }) => {
            if (filename === undefined && name !== undefined) readText(stream, reject, (value) => addText(name, value))
          })
        )
        body.pipe(parser)
      }
    }
    const multer = packed('multer') as typeof import('multer')
    const read = multer(options).any()
    read(
      source as never,
      {} as never,
      guarded(reject, (error?: unknown) => {
        if (error) throw error
        // multer silently reads nothing if it cannot parse the Content-Type.
        if (!('body' in source)) throw unreadable(noBoundary)
        resolve()
      })
    )
  })
}

/** A part without a file name is a text, whatever its media type. The parser would treat a binary one as a file. */
function readText(stream: Readable, fail: (error: Error) => void, take: (value: string) => void): void {
  const chunks: Buffer[] = []
  stream.on(
    'data',
    guarded(fail, (chunk: Buffer) => chunks.push(chunk))
  )
  stream.on(
    'end',
    guarded(fail, () => take(Buffer.concat(chunks).toString()))
  )
}

function formOf(parts: Part[], { lists, whichCounts }: FormFields): Record<string, unknown> {
  const form = new Map<string, unknown>()
  const seen = new Set<string>()
  for (const [name, value] of parts) {
    if (!lists.has(name)) {
      if (seen.has(name) && whichCounts() === 'first') continue
      seen.add(name)
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

function unreadCharset(field: string): string {
  return `The form field "${field}" has an unsupported charset: send UTF-8, ISO-8859-1 or UTF-16LE.`
}

function unreadable(detail: string): Refusal {
  return new Refusal('unreadable-body', { detail })
}
