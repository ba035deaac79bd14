/** A file as it was uploaded. */
export interface UploadedFile {
  /** The last part of its name, without control characters. */
  name: string
  sentName: string
  type: string
  bytes: Uint8Array
  /** The files in an unpacked zip: paths from the zip, counted sizes. */
  entries?: { path: string; size: number }[]
  /** The metadata file at the root of a zip. */
  metadata?: { name: string; text: string }
}

/** A body as the contract checks it, or `malformed` if it is not JSON. `text` is for the journal. */
export type Body = ({ value: unknown } | { malformed: { offset: number; error: string } }) & { text?: string }

/** Whether the bytes start like a PFX structure of version 3 (RFC 7292, section 4): SEQUENCE, INTEGER 3. */
export function isPkcs12(bytes: Uint8Array): boolean {
  const [tag, length = 0] = bytes
  const start = length < 0x80 ? 2 : 2 + (length & 0x7f)
  return bytes.length >= 10 && tag === 0x30 && bytes[start] === 2 && bytes[start + 1] === 1 && bytes[start + 2] === 3
}
