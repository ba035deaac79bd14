import type { UserFile } from '../data/rows.js'
import type { Service } from '../state.js'

/** Deletes a file, and tells of what it was part. */
export function removeFile(service: Service, file: UserFile) {
  const { rows } = service
  const links = rows.links.filter((it) => it.file === file.id)
  if (service.broken('E26-linked-fails') && links.length > 0) throw new Error('a row is used')
  const linked = links.map((it) => it.project)
  const isNamed = (id: number) => linked.includes(id) || service.broken('E26-others-names')
  const projects = rows.projects.filter(({ id }) => isNamed(id)).map(({ name }) => name)
  const users = rows.personas.filter((it) => it.user_file_ids.includes(file.id)).map(({ name }) => name)
  const assistants = service.chose('E26-no-agents') ? [] : users
  remove(service, file, linked)
  return {
    has_associations: projects.length + assistants.length > 0 && !service.chose('E26-none'),
    project_names: service.broken('E26-first') ? projects.slice(0, 1) : projects,
    assistant_names: assistants
  }
}

function remove(service: Service, file: UserFile, projects: number[]): void {
  const { rows } = service
  if (service.broken('E26-kept')) return
  const gone = new Set([file.id])
  if (service.broken('E26-project')) {
    for (const link of rows.links) if (projects.includes(link.project)) gone.add(link.file)
  }
  if (service.broken('E26-another')) {
    const last = rows.links.findLast((it) => it.project === projects[0] && it.file !== file.id)
    rows.links = rows.links.filter((it) => it !== last)
  }
  if (service.broken('E26-keeps-links')) rows.removed.set(file.id, file)
  else rows.links = rows.links.filter((it) => !gone.has(it.file))
  if (service.chose('E26-soft') || service.chose('E26-soft-then-404')) file.status = 'DELETING'
  else rows.files = rows.files.filter(({ id }) => !gone.has(id))
  if (service.chose('E26-soft-then-404')) {
    setTimeout(() => {
      rows.files = rows.files.filter((it) => it !== file)
    }, 20).unref()
  }
}
