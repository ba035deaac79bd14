import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { UploadedFile } from '../../../contract/message/body.js'
import { blank, blanked, type Redaction } from '../../../contract/message/redaction.js'
import { isPkcs12 } from '../../credentials/private-key.js'

/** A file of which the bytes were too many to be kept. */
type FileHead = Pick<UploadedFile, 'sentName' | 'type'> & { size: number }

/** The fields of a form as a step sends them, without secrets. */
export function shownFields(
  fields: Record<string, unknown>,
  redaction: Redaction | undefined,
  isWhole: boolean
): Record<string, unknown> {
  const hides = redaction?.takesSecrets === true
  const shown = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => shown(name, item))
    if (typeof value === 'object' && value !== null)
      return { 'x-file': shownFile(value as UploadedFile, hides, isWhole) }
    if (!hides) return value
    const [told] = Object.values(redaction.request({ [name]: value }) as object)
    return told === value ? value : standIn(String(value))
  }
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(name, value)]))
}

function shownFile(file: UploadedFile | FileHead, hides: boolean, isWhole: boolean): object {
  const { sentName: name, type } = file
  if (!('bytes' in file)) return { name, type, size: file.size }
  const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength)
  if (hides) return { name, type, ...(isPkcs12(bytes) ? { base64: emptyKey } : { text: blanked }) }
  // What is answered to a zip depends on what it holds.
  if (!isWhole && !file.entries) {
    return { name, type, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  }
  return { name, type, ...(isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') }) }
}

/** The beginning of a PFX structure, without a key in it. */
const emptyKey = Buffer.from([0x30, 8, 2, 1, 3, 0x30, 3, 6, 1, 0]).toString('base64')

/** In the place of a secret text: one that is JSON where that is. */
function standIn(text: string): string {
  try {
    return JSON.stringify(blank(JSON.parse(text)))
  } catch {
    return blanked
  }
}
