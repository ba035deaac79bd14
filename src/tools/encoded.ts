import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Json } from '../engine/contract/load.js'

/** Replaces a text with more bytes than are read. */
export const tooLarge = Symbol('more bytes than are read')

/** The text of a body; undefined if its encoding is unknown or wrong. `largest` is the number of bytes that are read. */
export function textOf(encoding = 'identity', bytes: Buffer, largest: number): string | typeof tooLarge | undefined {
  const bound = { maxOutputLength: largest }
  try {
    // The last coding was applied last.
    const codings = encoding.split(',').reverse()
    return codings
      .reduce<Buffer | undefined>((it, coding) => it && decoded(coding.trim(), it, bound), bytes)
      ?.toString()
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge : undefined
  }
}

/** The value of a JSON text; undefined if it is not JSON. */
export function jsonOf(text: string): { value: Json } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function decoded(encoding: string, bytes: Buffer, bound: { maxOutputLength: number }): Buffer | undefined {
  switch (encoding.toLowerCase()) {
    case 'identity':
      return bytes
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, bound)
    case 'deflate':
      return inflateSync(bytes, bound)
    case 'br':
      return brotliDecompressSync(bytes, bound)
    default:
      return undefined
  }
}
