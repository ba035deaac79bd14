import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import type { BusboyHeaders } from '@fastify/busboy'
import { lazily } from '../contract/lazy.js'
import { Refusal } from '../contract/refusal.js'
import { type Limits, tooLarge } from './limits.js'
import { Upload } from './upload.js'

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

/**
 * Reads a multipart/form-data body; any other body is a form without fields. Of a repeated field the last one wins,
 * except for the fields in `lists`: these are arrays. The body is read to its end also when it is refused, so that
 * the client sees the answer.
 */
export async function readMultipart(
  request: IncomingMessage,
  lists: ReadonlySet<string>,
  limits: Limits
): Promise<Record<string, unknown>> {
  const parts: Part[] = []
  try {
    if (isForm(request)) await receive(request, limits, parts)
  } catch (error) {
    throw error instanceof Refusal ? error : unreadable('Invalid multipart data.')
  } finally {
    request.resume()
    // Rejects where the client went away: then there is nothing left to read.
    await finished(request, { writable: false }).catch(() => {})
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

/** Takes the parts as they arrive; files stay in memory, as long as all of them together are within the limit. */
function receive(request: IncomingMessage, limits: Limits, parts: Part[]): Promise<void> {
  const { Busboy } = lazily('@fastify/busboy') as typeof import('@fastify/busboy')
  return new Promise((resolve, reject) => {
    let texts = 0
    let files = 0
    const parser = new Busboy({
      headers: request.headers as BusboyHeaders,
      // Paths are reduced by a rule of our own.
      preservePath: true,
      limits: { files: limits.files, fields: maxFields, fieldSize: limits.json }
    })
    const refuse = (error: unknown) => {
      request.unpipe(parser)
      reject(error)
    }
    parser.on('field', (name, value, _, isCut) => {
      texts += Buffer.byteLength(value)
      if (!isName(name)) refuse(unreadable('Invalid multipart data.'))
      else if (isCut || texts > limits.json) refuse(tooLarge('form fields', limits.json, 'json'))
      else parts.push([name, value])
    })
    parser.on('file', (name, stream, path, _, type) => {
      stream.on('error', refuse)
      if (!isName(name)) return refuse(unreadable('Invalid multipart data.'))
      // A file input that was left empty.
      if (!path) return stream.resume()
      const file = new Upload(path, type)
      parts.push([name, file])
      stream.on('data', (chunk: Buffer) => {
        files += chunk.length
        if (files <= limits.total) file.chunks.push(chunk)
        else refuse(tooLarge('files', limits.total, 'total'))
      })
    })
    parser.on('filesLimit', () => refuse(tooManyFiles(limits)))
    parser.on('fieldsLimit', () => refuse(unreadable(`Too many fields. Maximum number of fields is ${maxFields}.`)))
    parser.on('error', refuse)
    parser.on('finish', resolve)
    request.once('error', refuse)
    request.pipe(parser)
  })
}

function isName(name: string | undefined): name is string {
  return name !== undefined && name.length <= maxNameLength && !/\p{Cc}/u.test(name)
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

function tooManyFiles({ files }: Limits): Refusal {
  return new Refusal('too-large', { detail: `There are more than ${files} files (limits.upload: files).` })
}

function unreadable(detail: string): Refusal {
  return new Refusal('unreadable-body', { detail })
}
