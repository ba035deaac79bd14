import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Door } from '../http.js'

export function addUploads(door: Door): void {
  const file = z.instanceof(File)
  door.add({
    id: 'E17',
    method: 'POST',
    url: '/api/manage/admin/connector/file/upload',
    isForm: true,
    body: { files: z.preprocess((sent) => (sent === undefined || Array.isArray(sent) ? sent : [sent]), z.array(file)) },
    answer({ body: { files } }) {
      return {
        file_paths: files.map(() => `uploads/${randomUUID()}`),
        file_names: files.map(({ name }) => name),
        zip_metadata: {}
      }
    }
  })
}
