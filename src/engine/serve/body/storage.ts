import type { StorageEngine } from 'multer'
import type { UploadedFile } from '../../contract/message/body.js'
import { guarded } from '../message/contain.js'
import { type Limits, tooLarge } from './limits.js'

/** Keeps multer's files in memory, within the limit for all files together. */
export function inMemory(limits: Limits, add: (field: string, file: UploadedFile) => void): StorageEngine {
  let total = 0
  return {
    _handleFile(_request, { fieldname, originalname, mimetype, stream }, done) {
      const file = new Upload(originalname, mimetype)
      add(fieldname, file)
      let isOver = false
      const end = (error: unknown) => {
        if (!isOver) done(error, {})
        isOver = true
      }
      stream.on(
        'data',
        guarded(end, (chunk: Buffer) => {
          if (isOver) return
          total += chunk.length
          if (total > limits.total) throw tooLarge('files', limits.total, 'total')
          file.add(chunk)
        })
      )
      stream.on(
        'end',
        guarded(end, () => end(null))
      )
    },
    _removeFile(_request, _file, done) {
      done(null)
    }
  }
}

/** A file that arrives in chunks. They are joined only when an operation reads the bytes, which most do not. */
export class Upload implements UploadedFile {
  private readonly chunks: Buffer[] = []
  private whole: Buffer | undefined
  private size = 0

  readonly name: string

  constructor(
    readonly sentName: string,
    readonly type: string
  ) {
    this.name = safeName(sentName)
  }

  add(chunk: Buffer): void {
    this.chunks.push(chunk)
    this.size += chunk.length
  }

  get bytes(): Uint8Array {
    this.whole ??= Buffer.concat(this.chunks.splice(0))
    return this.whole
  }

  /** A message that quotes the file shows its name, not its contents. */
  toJSON() {
    return { name: this.name, type: this.type, size: this.size }
  }
}

/** The last part of a path, without control characters. */
function safeName(path: string): string {
  const base = (path.split(/[/\\]/).at(-1) as string).replace(/\p{Cc}/gu, '')
  return base === '' || base === '.' || base === '..' ? 'file' : base
}
