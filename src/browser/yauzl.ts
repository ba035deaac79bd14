import { Buffer } from './buffer.js'

/** Reads zips as yauzl does, with the platform's own decompression. */
export interface Entry {
  generalPurposeBitFlag: number
  crc32: number
  fileName: Uint8Array
  extraFields: never[]
  method: number
  compressedSize: number
  uncompressedSize: number
  at: number
}

const [endMark, entryMark, fileMark] = [0x06054b50, 0x02014b50, 0x04034b50]
const [endSize, entrySize, fileSize] = [22, 46, 30]
/** Means that the number is in a 64-bit field elsewhere. */
const more = 0xffffffff
const utf8 = 0x800
const encrypted = 0x1

class Zip {
  constructor(
    private readonly view: DataView,
    readonly entryCount: number,
    /** Where the next entry is. */
    public readEntryCursor: number
  ) {}

  /** yauzl's zips emit errors; here each is thrown. */
  on(): void {}

  async *eachEntry(): AsyncGenerator<Entry> {
    for (let count = 0; count < this.entryCount; count++) yield this.entry()
  }

  async *openReadStreamPromise(entry: Entry): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const { view } = this
    if (entry.generalPurposeBitFlag & encrypted) throw new Error('an entry is encrypted')
    if (view.getUint32(entry.at, true) !== fileMark) throw new Error('an entry is not where it is said to be')
    const start = entry.at + fileSize + view.getUint16(entry.at + 26, true) + view.getUint16(entry.at + 28, true)
    const bytes = this.bytes(start, entry.compressedSize)
    let size = 0
    for await (const chunk of entry.method === 8 ? inflated(bytes) : [bytes]) {
      size += chunk.length
      if (size > entry.uncompressedSize) break
      yield chunk
    }
    if (size !== entry.uncompressedSize) throw new Error('an entry has another size')
  }

  private entry(): Entry {
    const { view, readEntryCursor: at } = this
    if (view.getUint32(at, true) !== entryMark) throw new Error('an entry is missing')
    const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true)) as [
      number,
      number,
      number
    ]
    const entry: Entry = {
      generalPurposeBitFlag: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      crc32: view.getUint32(at + 16, true),
      compressedSize: view.getUint32(at + 20, true),
      uncompressedSize: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
      fileName: this.bytes(at + entrySize, name),
      extraFields: []
    }
    if ([entry.compressedSize, entry.uncompressedSize, entry.at].includes(more)) throw new Error('it is a Zip64')
    if (entry.method !== 0 && entry.method !== 8) throw new Error('an entry is compressed in another way')
    this.readEntryCursor = at + entrySize + name + extra + comment
    return entry
  }

  /** Throws if some are missing. */
  private bytes(start: number, length: number): Uint8Array<ArrayBuffer> {
    const { buffer, byteOffset } = this.view
    if (start + length > this.view.byteLength) throw new RangeError('it is cut off')
    return new Uint8Array(buffer as ArrayBuffer, byteOffset + start, length)
  }
}

export async function fromBufferPromise(bytes: Uint8Array): Promise<Zip> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // A comment may follow.
  for (let at = bytes.length - endSize; at >= Math.max(0, bytes.length - endSize - 0xffff); at--) {
    if (view.getUint32(at, true) !== endMark) continue
    if (view.getUint16(at + 20, true) !== bytes.length - at - endSize) continue
    return new Zip(view, view.getUint16(at + 10, true), view.getUint32(at + 16, true))
  }
  throw new Error('it has no end')
}

async function* inflated(bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

const cp437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ '

/** The name of an entry: UTF-8, or code page 437. */
export function getFileNameLowLevel(flags: number, name: Uint8Array): string {
  const text =
    flags & utf8
      ? Buffer.from(name).toString()
      : Array.from(name, (byte) => (byte < 128 ? String.fromCharCode(byte) : cp437[byte - 128])).join('')
  return text.replaceAll('\\', '/')
}
