import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import { sessionsOf, summary } from './chat.js'
import { backwards, done, type Model, missing, type Predict } from './model.js'

type File = Rows['userFiles']
type Project = Rows['projects']
type User = Rows['users']

const listProjects: Predict = (_, model, user) => {
  return done(model.all('projects', (it) => it.user_id === user.id).map((it) => shown(model, user, it)))
}

const getProjectDetails: Predict = ({ path }, model, user) => {
  const project = ownProject(model, user, path.project_id)
  if (!project) return missing
  const links = model
    .all('projectFiles', (it) => it.project_id === project.id)
    .sort(
      backwards(
        (it: Rows['projectFiles']) => it.linked_at,
        (it) => it.id
      )
    )
  const files = links.map((it) => model.find('userFiles', it.user_file_id) as File).filter((it) => !isOver(model, it))
  const personas = sessionsOf(model, user, project.id).map((it) => model.find('personas', it.persona_id))
  return done({
    project: shown(model, user, project),
    files: files.map((it) => snapshot(model, it, project.id)),
    persona_id_to_is_default: Object.fromEntries(personas.flatMap((it) => (it ? [[it.id, it.is_default_persona]] : [])))
  })
}

const setProjectInstructions: Predict = ({ path, body }, model, user) => {
  const project = ownProject(model, user, path.project_id)
  if (!project) return missing
  return done(body, () => {
    project.instructions = body.instructions
  })
}

const linkFile: Predict = ({ path }, model, user) => {
  const project = ownProject(model, user, path.project_id)
  const file = ownFile(model, user, path.file_id)
  if (!project || !file) return missing
  return done(snapshot(model, file, project.id), () => {
    const links = model.all('projectFiles', (it) => it.project_id === project.id && it.user_file_id === file.id)
    if (links.length > 0) return
    // The mock chooses the number: one above all earlier ones is as good.
    const id =
      Math.max(0, ...model.all('projectFiles').map((it) => it.id), ...(model.gone.projectFiles as number[])) + 1
    model.add('projectFiles', { id, project_id: project.id, user_file_id: file.id, linked_at: model.moment })
  })
}

const getFile: Predict = ({ path }, model, user) => {
  const file = ownFile(model, user, path.file_id)
  return file ? done(snapshot(model, file)) : missing
}

const deleteFile: Predict = ({ path }, model, user) => {
  const file = ownFile(model, user, path.file_id)
  if (!file) return missing
  const links = model.all('projectFiles', (it) => it.user_file_id === file.id)
  const assistants = model.all('personas', (it) => it.user_file_ids.includes(file.id)).sort((a, b) => a.id - b.id)
  const reply = {
    has_associations: false,
    project_names: links.map((it) => model.find('projects', it.project_id)?.name),
    assistant_names: assistants.map((it) => it.name)
  }
  return done(reply, () => {
    unlink(model, file)
    if (file.status === 'DELETING') return
    file.status = 'DELETING'
    file.settles_at = new Date(model.now + 2000).toISOString()
  })
}

export const files = { listProjects, getProjectDetails, setProjectInstructions, linkFile, getFile, deleteFile }

/** Removes a file from every project and agent. */
export function unlink(model: Model, file: File): void {
  model.remove(
    'projectFiles',
    model.all('projectFiles', (it) => it.user_file_id === file.id)
  )
  for (const persona of model.all('personas', (it) => it.user_file_ids.includes(file.id))) {
    persona.user_file_ids = persona.user_file_ids.filter((id) => id !== file.id)
  }
}

/** Whether its deletion is over. */
export function isOver(model: Model, { status, settles_at }: File): boolean {
  return status === 'DELETING' && settles_at !== null && Date.parse(settles_at) <= model.now
}

function ownFile(model: Model, user: User, id: unknown): File | undefined {
  const file = model.find('userFiles', id)
  return file && file.user_id === user.id && !isOver(model, file) ? file : undefined
}

function ownProject(model: Model, user: User, id: unknown): Project | undefined {
  const project = model.find('projects', id)
  return project?.user_id === user.id ? project : undefined
}

function shown(model: Model, user: User, project: Project) {
  return { ...project, chat_sessions: sessionsOf(model, user, project.id).map(summary) }
}

function snapshot(model: Model, file: File, project_id?: number) {
  const { settles_at, settles_as, reads, ...fields } = file
  const isSettled = file.status === 'PROCESSING' && settles_at !== null && Date.parse(settles_at) <= model.now
  const status = isSettled ? settles_as : file.status
  const isCounted = status === 'COMPLETED' || status === 'DELETING'
  const links = model.all('projectFiles', (it) => it.user_file_id === file.id)
  return {
    ...fields,
    status,
    token_count: isCounted ? file.token_count : null,
    chunk_count: isCounted ? file.chunk_count : null,
    project_id: project_id ?? links.at(-1)?.project_id ?? null
  }
}
