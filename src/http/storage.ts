import type { StorageEngine } from 'multer'
import { type Limits, tooLarge } from './limits.js'
import type { UploadedFile } from './multipart.js'

/** Where multer puts files: in memory, as long as all of them together are within the limit. */
export function inMemory(limits: Limits, add: (field: string, file: UploadedFile) => void): StorageEngine {
  let total = 0
  return {
    _handleFile(_request, { fieldname, originalname, mimetype, stream }, done) {
      const file = new Upload(safeName(originalname), mimetype)
      add(fieldname, file)
      let chunks: Buffer[] = []
      let refused = false
      stream.on('data', (chunk: Buffer) => {
        if (refused) return
        total += chunk.length
        if (total <= limits.total) chunks.push(chunk)
        else {
          refused = true
          chunks = []
          done(tooLarge('files', limits.total, 'total'))
        }
      })
      stream.on('end', () => {
        if (refused) return
        file.bytes = Buffer.concat(chunks)
        done(null, {})
      })
    },
    _removeFile(_request, _file, done) {
      done(null)
    }
  }
}

class Upload implements UploadedFile {
  bytes: Uint8Array = new Uint8Array()

  constructor(
    readonly name: string,
    readonly type: string
  ) {}

  /** A message that quotes the file says which it is, not what it holds. */
  toJSON() {
    return { name: this.name, type: this.type, size: this.bytes.length }
  }
}

/** The last part of a path, without control characters. */
function safeName(path: string): string {
  const base = (path.split(/[/\\]/).at(-1) as string).replace(/\p{Cc}/gu, '')
  return base === '' || base === '.' || base === '..' ? 'file' : base
}
