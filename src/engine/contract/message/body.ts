/** A file as it was uploaded. */
export interface UploadedFile {
  /** The last part of its name, without control characters. */
  name: string
  sentName: string
  /** The media type that the client gave. */
  type: string
  bytes: Uint8Array
  /** The files in an unpacked zip: paths from the zip, counted sizes. */
  entries?: { path: string; size: number }[]
  /** The metadata file at the root of a zip. */
  metadata?: { name: string; text: string }
}

/** A body as the contract checks it, or `malformed` if it is not JSON. `text` is for the journal. */
export type Body = ({ value: unknown } | { malformed: { offset: number; error: string } }) & { text?: string }
