/** The parts of node's Buffer that the mock uses: bytes as texts, and texts as bytes. */
export class Buffer extends Uint8Array {
  static override from(...args: [given: unknown, how?: unknown, length?: unknown]): Buffer {
    const [value, how, length] = args
    if (typeof value === 'string') return bytesOf(value, how as string | undefined)
    if (value instanceof ArrayBuffer) return new Buffer(value, how as number | undefined, length as number | undefined)
    const bytes = value as ArrayLike<number>
    const copy = new Buffer(bytes.length)
    copy.set(bytes)
    return copy
  }

  static alloc(length: number): Buffer {
    return new Buffer(length)
  }

  static allocUnsafeSlow(length: number): Buffer {
    return new Buffer(length)
  }

  static concat(chunks: readonly Uint8Array[]): Buffer {
    const whole = new Buffer(chunks.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const chunk of chunks) {
      whole.set(chunk, at)
      at += chunk.length
    }
    return whole
  }

  static isBuffer(value: unknown): value is Buffer {
    return value instanceof Buffer
  }

  static byteLength(text: string): number {
    return encoder.encode(text).length
  }

  override toString(encoding = 'utf8', from = 0, to = this.length): string {
    const bytes = from === 0 && to === this.length ? this : this.subarray(from, to)
    switch (encoding) {
      case 'hex':
        return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
      case 'latin1':
        return latin1(bytes)
      case 'base64':
        return btoa(latin1(bytes))
      case 'base64url':
        return btoa(latin1(bytes))
          .replaceAll('+', '-')
          .replaceAll('/', '_')
          .replace(/={1,2}$/, '')
      default:
        return decoder.decode(bytes)
    }
  }

  write(text: string, at: number): number {
    return encoder.encodeInto(text, this.subarray(at)).written
  }

  readUInt32LE(at: number): number {
    return this.view.getUint32(at, true)
  }

  writeUInt32LE(value: number, at: number): void {
    this.view.setUint32(at, value, true)
  }

  writeUInt32BE(value: number, at: number): void {
    this.view.setUint32(at, value)
  }

  private get view(): DataView {
    return new DataView(this.buffer, this.byteOffset, this.byteLength)
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function bytesOf(text: string, encoding = 'utf8'): Buffer {
  if (encoding === 'utf8') return new Buffer(encoder.encode(text).buffer)
  const units = encoding === 'base64' ? base64Of(text) : text
  const bytes = new Buffer(units.length)
  for (let at = 0; at < units.length; at++) bytes[at] = units.charCodeAt(at)
  return bytes
}

/** Reads both alphabets and ignores other characters. */
function base64Of(text: string): string {
  const clean = text
    .replace(/=.*$/s, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]/g, '')
  return atob(clean.length % 4 === 1 ? clean.slice(0, -1) : clean)
}

function latin1(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return text
}

const { Blob, File } = globalThis

export { Blob, File }

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
