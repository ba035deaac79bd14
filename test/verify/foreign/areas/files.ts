import type { Rows, User, UserFile } from '../data/rows.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { notFound } from '../refused.js'
import { ownProject } from './projects.js'

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
function ownFile(rows: Rows, id: string, user: User): UserFile {
  const file = rows.files.find((it) => it.id === id && it.user === user.id)
  if (!file) throw notFound('file')
  return file
}

export function addFiles(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)
  const projectOf = (file: string) => rows.links.find((it) => it.file === file)?.project ?? null

  door.add({
    id: 'E24',
    method: 'POST',
    url: '/api/user/projects/:project_id/files/:file_id',
    path: { project_id: kinds.pathInteger, file_id: kinds.uuid },
    answer({ user, path: { project_id, file_id } }) {
      const project = ownProject(rows, project_id, user)
      const file = ownFile(rows, file_id, user)
      const isLinked = rows.links.some((it) => it.project === project.id && it.file === file.id)
      if (!isLinked) rows.links.push({ project: project.id, file: file.id })
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
    answer: ({ user, path: { file_id } }) => fileSnapshot(ownFile(rows, file_id, user), projectOf(file_id))
  })

  door.add({
    id: 'E26',
    method: 'DELETE',
    url,
    path,
    answer({ user, path: { file_id } }) {
      const file = ownFile(rows, file_id, user)
      const linked = rows.links.filter((it) => it.file === file.id).map((it) => it.project)
      const projects = rows.projects.filter(({ id }) => linked.includes(id)).map(({ name }) => name)
      const assistants = rows.personas.filter((it) => it.user_file_ids.includes(file.id)).map(({ name }) => name)
      rows.links = rows.links.filter((it) => it.file !== file.id)
      rows.files.splice(rows.files.indexOf(file), 1)
      return {
        has_associations: projects.length + assistants.length > 0,
        project_names: projects,
        assistant_names: assistants
      }
    }
  })
}
