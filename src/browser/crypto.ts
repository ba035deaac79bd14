import { hmac } from '@noble/hashes/hmac'
import { sha256 } from '@noble/hashes/sha2'
import { Buffer } from './buffer.js'

// The Web Crypto API has only asynchronous digests.

class Digest {
  private readonly parts: Uint8Array[] = []

  constructor(private readonly of: (bytes: Uint8Array) => Uint8Array) {}

  update(part: string | Uint8Array): this {
    this.parts.push(typeof part === 'string' ? Buffer.from(part) : part)
    return this
  }

  digest(encoding: string): string {
    return Buffer.from(this.of(Buffer.concat(this.parts))).toString(encoding)
  }
}

export function createHash(_sha256: string): Digest {
  return new Digest(sha256)
}

export function createHmac(_sha256: string, key: string): Digest {
  return new Digest((bytes) => hmac(sha256, Buffer.from(key), bytes))
}

export function randomBytes(length: number): Buffer {
  return crypto.getRandomValues(Buffer.alloc(length))
}

/** Browsers have a function of that name only in secure contexts. */
export function randomUUID(): string {
  const bytes = randomBytes(16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export function timingSafeEqual(some: Uint8Array, others: Uint8Array): boolean {
  let different = 0
  for (const [at, byte] of some.entries()) different |= byte ^ (others[at] as number)
  return different === 0
}
