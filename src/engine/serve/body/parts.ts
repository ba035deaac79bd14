import { PassThrough, type Readable, type Writable } from 'node:stream'
import { packed } from '../../contract/lazy.js'
import { withoutEnd } from '../../contract/text.js'
import { guarded, hush } from '../message/contain.js'
import type { Request } from '../message/message.js'
import { receive } from './body.js'
import type { Limits, UploadShare } from './limits.js'
import { createFormCount, createTexts, maxFields, maxNameLength, noBoundary, type Part, unreadable } from './part.js'
import { inMemory } from './storage.js'

/** multer builds arrays from names such as a[7], so a high index would take long. */
const maxIndex = 100

/** Reads the parts of a form. The first of these ends it: the last part, a refusal, or a closed connection. */
export async function readParts(request: Request, limits: Limits, share: UploadShare, parts: Part[]): Promise<void> {
  // The parser rejects a trailing semicolon, which is allowed (RFC 9110, 5.6.6).
  const type = withoutEnd(request.headers['content-type'] ?? '', '; \t')
  // The parser reads only if a header announces a body.
  const headers = { ...request.headers, 'content-type': type, 'transfer-encoding': 'chunked' }
  const source = Object.assign(new PassThrough(), { headers })
  hush(source)
  const readOn = guarded(
    () => void source.destroy(),
    () => request.body.resume()
  )
  source.on('drain', readOn)
  const count = createFormCount(limits)
  const take = (chunk: Uint8Array) => {
    count(chunk)
    if (source.destroyed) throw unreadable('Invalid multipart data.')
    // Without the pause, a rejected body would be read much further.
    if (!source.write(chunk)) request.body.pause()
  }
  const received = receive(request, share, take, () => void source.end())
  const parsed = parse(source, limits, parts)
  try {
    await Promise.race([parsed, received.then(() => parsed)])
  } finally {
    source.destroy()
    // The rest is dropped, so that the next request on the connection can be read.
    request.body.resume()
  }
}

function parse(source: PassThrough, limits: Limits, parts: Part[]): Promise<void> {
  const addText = createTexts(limits, parts)
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
      // multer nests fields such as a[b]. Here a name is only a name, so we take the fields from the parser.
      streamHandler(body: PassThrough, parser: Writable) {
        // multer would read a rejected body to its end, so we end its input here.
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

function unreadCharset(field: string): string {
  return `The form field "${field}" has an unsupported charset: send UTF-8, ISO-8859-1 or UTF-16LE.`
}
