import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Door } from '../http.js'
import { pause } from '../state.js'

export function addUploads(door: Door): void {
  const { service } = door
  let busyPath: string | undefined

  function nameOf(name: string, n: number): string {
    if (service.broken('E17-names')) return `file-${n}`
    return service.broken('E17-lower') ? name.toLowerCase() : name
  }

  async function pathOf(name: string): Promise<string> {
    if (service.broken('E17-same-path')) return `uploads/${name}`
    if (service.chose('E17-readable-paths')) return `uploads/${randomUUID()}/${name}`
    if (!service.broken('race-E17')) return `uploads/${randomUUID()}`
    const path = busyPath ?? `uploads/${randomUUID()}`
    busyPath = path
    await pause()
    busyPath = undefined
    return path
  }

  door.add({
    id: 'E17',
    method: 'POST',
    url: '/api/manage/admin/connector/file/upload',
    isForm: true,
    body: {
      files: service.chose('E17-loc')
        ? z.custom<File | File[]>((sent) => sent !== undefined && [sent].flat().every((it) => it instanceof File))
        : z.preprocess(
            (sent) => (sent === undefined || Array.isArray(sent) ? sent : [sent]),
            service.broken('E17-none') ? z.array(z.instanceof(File)).optional() : z.array(z.instanceof(File))
          )
    },
    async answer({ body: { files = [] } }) {
      const taken = [files].flat().slice(0, service.broken('E17-first') ? 1 : undefined)
      if (service.broken('E17-empty') && taken.some((file) => file.size === 0)) throw new Error('an empty file')
      const paths: string[] = []
      for (const file of taken) paths.push(await pathOf(file.name))
      return {
        file_paths: paths,
        file_names: taken.map(({ name = 'text' }, n) => nameOf(name, n)),
        zip_metadata: {}
      }
    }
  })
}
