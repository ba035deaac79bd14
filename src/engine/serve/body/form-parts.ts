import { withoutEnd } from '../../contract/text.js'
import type { Request } from '../message/message.js'
import { receive } from './body.js'
import { type Limits, tooLarge, type UploadShare } from './limits.js'
import { createFormCount, createTexts, maxFields, maxNameLength, type Part, unreadable } from './part.js'
import { Upload } from './storage.js'

/** Reads the parts of a form with the platform's own parser, in browsers and other places without node's streams. */
export async function readParts(request: Request, limits: Limits, share: UploadShare, parts: Part[]): Promise<void> {
  const count = createFormCount(limits)
  const chunks: Uint8Array[] = []
  const take = (chunk: Uint8Array) => {
    count(chunk)
    chunks.push(chunk)
  }
  const form = await receive(request, share, take, () => formOf(chunks, request.headers['content-type'] as string))
  const addText = createTexts(limits, parts)
  let [files, fields, total] = [0, 0, 0]
  for (const [name, value] of form) {
    if (name.length > maxNameLength) throw unreadable('Invalid multipart data.')
    if (typeof value === 'string') {
      if (++fields > maxFields) throw coded('LIMIT_FIELD_COUNT')
      addText(name, value)
      continue
    }
    if (++files > limits.files) throw coded('LIMIT_FILE_COUNT')
    total += value.size
    if (total > limits.total) throw tooLarge('files', limits.total, 'total')
    const file = new Upload(value.name, value.type)
    file.add(Buffer.from(await value.arrayBuffer()))
    parts.push([name, file])
  }
}

async function formOf(chunks: Uint8Array[], type: string): Promise<FormData> {
  const body = new Blob(chunks as Uint8Array<ArrayBuffer>[])
  // The platform's parser may refuse a semicolon at the end, which is allowed (RFC 9110, 5.6.6).
  return new Response(body, { headers: { 'Content-Type': withoutEnd(type, '; \t') } }).formData()
}

/** An error as the parser of the other doors throws it. */
function coded(code: string): Error {
  return Object.assign(new Error(code), { code })
}
