import type { UploadedFile } from '../../contract/message/body.js'
import { Refusal } from '../../contract/message/refusal.js'
import { type Limits, tooLarge } from './limits.js'

/** A field of a form: a text or a file. Empty texts count as missing. */
export type Part = [name: string, value: string | UploadedFile]

export const maxFields = 1000
export const maxNameLength = 200
export const noBoundary = 'Missing boundary in multipart.'
/** Bytes allowed for everything around the contents of a form. */
const overhead = 16 * 1024 * 1024

export function unreadable(detail: string): Refusal {
  return new Refusal('unreadable-body', { detail })
}

/** Counts the chunks of a form. Throws a Refusal if there are too many, including those before, between and after its parts. */
export function createFormCount(limits: Limits): (chunk: Uint8Array) => void {
  const most = limits.total + limits.json + overhead
  let size = 0
  return (chunk) => {
    size += chunk.length
    if (size <= most) return
    throw new Refusal('too-large', { detail: `The form is larger than ${most} bytes (limits.upload: total, json).` })
  }
}

/** Adds texts to the parts. Throws a Refusal if all of them together are too large. */
export function createTexts(limits: Limits, parts: Part[]): (name: string, value: string) => void {
  let size = 0
  return (name, value) => {
    size += Buffer.byteLength(value)
    if (size > limits.json) throw tooLarge('form fields', limits.json, 'json')
    parts.push([name, value])
  }
}
