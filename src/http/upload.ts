import type { UploadedFile } from './multipart.js'

/** A file that arrives in chunks. Most operations look at no byte of it: it is put together when one does. */
export class Upload implements UploadedFile {
  readonly name: string
  readonly chunks: Buffer[] = []
  private whole: Buffer | undefined

  constructor(
    path: string,
    readonly type: string
  ) {
    this.name = baseName(path)
  }

  get bytes(): Uint8Array {
    this.whole ??= Buffer.concat(this.chunks)
    return this.whole
  }

  /** A message that quotes the file says which it is, not what it holds. */
  toJSON() {
    const size = this.chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    return { name: this.name, type: this.type, size }
  }
}

/** The last part of a path, without control characters. Browsers escape what would end its quotes. */
function baseName(path: string): string {
  const plain = path.replace(/%(22|0A|0D)/gi, decodeURIComponent)
  const base = (plain.split(/[/\\]/).at(-1) as string).replace(/\p{Cc}/gu, '')
  return base === '' || base === '.' || base === '..' ? 'file' : base
}
