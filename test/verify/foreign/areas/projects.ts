import type { Project, Rows, User } from '../data/rows.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { notFound } from '../refused.js'
import { newestFirst, summaryOf } from './chat.js'
import { fileSnapshot } from './files.js'

function projectRecord(rows: Rows, project: Project) {
  const { id, name, description, instructions, user, created } = project
  const sessions = rows.sessions.filter((it) => it.project === id && it.user === user).sort(newestFirst)
  return {
    id,
    name,
    description,
    created_at: new Date(created).toISOString(),
    user_id: user,
    chat_sessions: sessions.map(summaryOf),
    instructions
  }
}

/** The project, for its owner. */
export function ownProject(rows: Rows, id: number, user: User): Project {
  const project = rows.projects.find((it) => it.id === id && it.user === user.id)
  if (!project) throw notFound('project')
  return project
}

export function addProjects(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)
  const path = { project_id: kinds.pathInteger }

  door.add({
    id: 'E21',
    method: 'GET',
    url: '/api/user/projects/',
    answer: ({ user }) => rows.projects.filter((it) => it.user === user.id).map((it) => projectRecord(rows, it))
  })

  door.add({
    id: 'E22',
    method: 'GET',
    url: '/api/user/projects/:project_id/details',
    path,
    answer({ user, path: { project_id } }) {
      const project = projectRecord(rows, ownProject(rows, project_id, user))
      const linked = rows.links.filter((it) => it.project === project_id).map((it) => it.file)
      const personas = project.chat_sessions.map(({ persona_id }) => persona_id)
      return {
        project,
        files: rows.files.filter(({ id }) => linked.includes(id)).map((file) => fileSnapshot(file, project_id)),
        persona_id_to_is_default: Object.fromEntries(
          rows.personas.filter(({ id }) => personas.includes(id)).map((it) => [it.id, it.is_default_persona])
        )
      }
    }
  })

  door.add({
    id: 'E23',
    method: 'POST',
    url: '/api/user/projects/:project_id/instructions',
    path,
    body: { instructions: kinds.text },
    answer({ user, path: { project_id }, body }) {
      const project = ownProject(rows, project_id, user)
      project.instructions = body.instructions
      return { instructions: project.instructions }
    }
  })
}
