import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** The text of a body; nothing where its encoding is unknown or a lie, or where it holds more than `largest` bytes. */
export function textOf(encoding: string | undefined, bytes: Buffer, largest: number): string | undefined {
  try {
    return decoded(encoding ?? 'identity', bytes, { maxOutputLength: largest })?.toString('utf8')
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
