import type { Project, User } from '../data/rows.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { forbidden, notFound } from '../refused.js'
import { pause, type Service } from '../state.js'
import type { Bug } from '../switches/bugs/index.js'
import { fileSnapshot } from './files.js'
import { sessionsOf, summaryOf } from './sessions.js'

function projectRecord(service: Service, project: Project) {
  const { id, name, description, instructions, user, created } = project
  const sessions = sessionsOf(service.rows, user).filter((it) => it.project === id || service.broken('E21-sessions'))
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
export function ownProject(service: Service, id: number, user: User, open: Bug): Project {
  const project = service.rows.projects.find((it) => it.id === id)
  if (!project) throw notFound('project')
  const isOpen = project.user === user.id || service.broken(open)
  if (!isOpen) throw service.chose('others-403') ? forbidden('Not yours.') : notFound('project')
  return project
}

/** Instructions as they are kept. */
function kept(service: Service, before: string, sent: string): string {
  if (service.broken('E23-empty') && sent === '') return before
  if (service.broken('E23-appends')) return `${before}\n${sent}`
  if (service.broken('E23-cuts')) return sent.slice(0, 255)
  if (service.broken('E23-escapes')) return sent.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  if (service.broken('E23-ascii')) return sent.replace(/[^\p{ASCII}]/gu, '')
  return sent
}

export function addProjects(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)
  const path = { project_id: kinds.pathInteger }
  let written = ''

  door.add({
    id: 'E21',
    method: 'GET',
    url: '/api/user/projects/',
    answer: ({ user }) =>
      (service.chose('E21-oldest-last') ? rows.projects.toReversed() : rows.projects)
        .filter((it) => it.user === user.id || service.broken('E21-everybody'))
        .map((it) => projectRecord(service, it))
        .map((it) => (service.broken('E21-no-sessions') ? { ...it, chat_sessions: [] } : it))
  })

  door.add({
    id: 'E22',
    method: 'GET',
    url: '/api/user/projects/:project_id/details',
    path,
    answer({ user, path: { project_id } }) {
      const project = projectRecord(service, ownProject(service, project_id, user, 'E22-others'))
      const links = rows.links.filter((it) => it.project === project_id || service.broken('E22-all-files'))
      const files = links.flatMap(
        (link) => rows.files.find(({ id }) => id === link.file) ?? rows.removed.get(link.file) ?? []
      )
      const personas = project.chat_sessions.map(({ persona_id }) => persona_id)
      return {
        project,
        files: (service.chose('E22-newest-first') ? files.toReversed() : files).map((file) =>
          fileSnapshot(file, project_id)
        ),
        persona_id_to_is_default: Object.fromEntries(
          rows.personas
            .filter(({ id }) => personas.includes(id) || service.chose('E22-all-agents'))
            .map((it) => [it.id, it.is_default_persona])
        )
      }
    }
  })

  door.add({
    id: 'E23',
    method: 'POST',
    url: '/api/user/projects/:project_id/instructions',
    path,
    body: { instructions: service.chose('E23-nothing') ? kinds.text.optional() : kinds.text },
    async answer({ user, path: { project_id }, body }) {
      const project = ownProject(service, project_id, user, 'E23-others')
      const before = project.instructions
      const sent = kept(service, before, body.instructions ?? '')
      if (service.broken('E23-lost')) return { instructions: sent }
      if (service.broken('race-E23')) {
        written = sent
        await pause()
        project.instructions = written
        return { instructions: written }
      }
      if (service.broken('E23-all')) for (const it of rows.projects) if (it.user === user.id) it.instructions = sent
      if (service.broken('E23-empties')) project.description = ''
      project.instructions = sent
      return { instructions: service.broken('E23-old') ? before : sent }
    }
  })
}
