import { randomUUID } from 'node:crypto'
import type { User, UserFile } from '../data/rows.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { forbidden, impossible, notFound } from '../refused.js'
import { pause, type Service } from '../state.js'
import type { Bug } from '../switches/bugs/index.js'
import { ownProject } from './projects.js'
import { removeFile } from './removal.js'

export function fileSnapshot(file: UserFile, project: number | null) {
  return {
    id: file.id,
    name: file.name,
    user_id: file.user,
    file_id: `blob-${file.id.slice(-6)}`,
    created_at: new Date(file.created).toISOString(),
    status: file.status,
    last_accessed_at: new Date(file.accessed).toISOString(),
    file_type: file.mime,
    chat_file_type: file.kind,
    token_count: file.tokens,
    chunk_count: file.tokens === null ? null : Math.ceil(file.tokens / 100),
    temp_id: null,
    project_id: project
  }
}

/** The file, for its owner. */
function ownFile(service: Service, id: string, user: User, open: Bug): UserFile {
  const file = service.rows.files.find((it) => it.id === id)
  if (!file) throw notFound('file')
  const isOpen = file.user === user.id || service.broken(open)
  if (!isOpen) throw service.chose('others-403') ? forbidden('Not yours.') : notFound('file')
  return file
}

/** Bugs that hide a file in a status. */
const hidden: Partial<Record<UserFile['status'], Bug>> = {
  FAILED: 'E25-failed',
  CANCELED: 'E25-canceled',
  PROCESSING: 'E25-processing',
  DELETING: 'E25-deleting'
}

export function addFiles(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)
  const started = Date.now()
  const projectOf = (file: string) => rows.links.find((it) => it.file === file)?.project ?? null

  door.add({
    id: 'E24',
    method: 'POST',
    url: '/api/user/projects/:project_id/files/:file_id',
    path: { project_id: kinds.pathInteger, file_id: kinds.uuid },
    async answer({ user, path: { project_id, file_id } }) {
      const project = ownProject(service, project_id, user, 'E24-others-project')
      let file = ownFile(service, file_id, user, 'E24-others-file')
      if (file.status === 'DELETING' && service.chose('E24-deleting')) throw impossible('It is being deleted.')
      const isLinked = () => rows.links.some((it) => it.project === project.id && it.file === file.id)
      const wasLinked = isLinked()
      if (wasLinked && service.broken('E24-twice-fails')) throw new Error('a second row')
      if (wasLinked && !service.broken('E24-twice')) return fileSnapshot(file, project.id)
      if (service.broken('race-E24') || service.broken('race-E24-fails')) await pause()
      if (service.broken('race-E24-fails') && isLinked()) throw new Error('a second row')
      if (service.broken('E24-moves')) rows.links = rows.links.filter((it) => it.file !== file.id)
      if (service.broken('E24-copies')) {
        file = { ...file, id: randomUUID() }
        rows.files.push(file)
      }
      if (!service.broken('E24-lost')) rows.links.push({ project: project.id, file: file.id })
      return fileSnapshot(file, project.id)
    }
  })

  const path = { file_id: kinds.uuid }
  const url = '/api/user/projects/file/:file_id'

  door.add({
    id: 'E25',
    method: 'GET',
    url,
    path,
    answer({ user, path: { file_id } }) {
      if (service.broken('E25-unknown') && !rows.files.some(({ id }) => id === file_id)) throw new Error('no row')
      const file = ownFile(service, file_id, user, 'E25-others')
      const age = Date.now() - started
      if (service.chose('E25-moves-on') && file.status === 'PROCESSING' && age > 700) file.status = 'COMPLETED'
      const bug = hidden[file.status]
      if (bug && service.broken(bug)) throw notFound('file')
      if (service.broken('E25-removes') && file.status === 'FAILED') rows.files = rows.files.filter((it) => it !== file)
      return fileSnapshot(file, service.chose('E25-no-project') ? null : projectOf(file_id))
    }
  })

  door.add({
    id: 'E26',
    method: 'DELETE',
    url,
    path,
    answer: ({ user, path: { file_id } }) => removeFile(service, ownFile(service, file_id, user, 'E26-others'))
  })
}
