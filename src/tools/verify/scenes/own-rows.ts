import type { GetProjectDetailsReply, Persona, UserFile } from '../../../apis/knowledge-chat/types.gen.js'
import type { Id } from '../kinds.js'
import { isSameId } from '../rows.js'
import type { Scene } from './any/scene.js'
import { wholeBody } from './personas.js'

/** A project of the first user, with its files. */
export type FullProject = Pick<GetProjectDetailsReply, 'files'> & { id: number; name: string }

/** The instructions of a project that may be changed. If they differ when the scene ends, they are written again. */
export async function ownInstructions(scene: Scene) {
  const path = { project_id: await scene.own('project') }
  const read = async () => (await scene.must('getProjectDetails', { path })).project.instructions ?? ''
  const before = await read()
  scene.undo.push(async () => {
    if ((await read()) !== before) await scene.must('setProjectInstructions', { path, body: { instructions: before } })
  })
  return { path, before, read }
}

/** An agent that may be changed. */
export async function ownAgent(scene: Scene) {
  const path = { persona_id: await scene.own('persona') }
  return { path, before: await scene.must('getPersona', { path }) }
}

/** Writes the values of an agent again when the scene ends. */
export function keepAgent(scene: Scene, path: { persona_id: Id }, before: Persona): void {
  scene.undo.push(async () => {
    await scene.ask('updatePersona', { path, body: wholeBody(before) }, 'admin', 'unknown-reference')
  })
}

const order: UserFile['status'][] = ['COMPLETED', 'PROCESSING', 'CANCELED', 'FAILED']

/** The files that may be changed and exist. Files that any server can link come first. */
export async function usableFiles(scene: Scene): Promise<UserFile[]> {
  const files: UserFile[] = []
  for (const file_id of scene.rows.own('file').slice(0, 10)) {
    const file = await scene.may('getFile', { path: { file_id } }, 'missing')
    // Keep the given id, because a server may show it in another case than it accepts.
    if (file) files.push({ ...file, id: String(file_id) })
  }
  const placeOf = ({ status }: UserFile) => order.indexOf(status)
  return files.filter((file) => placeOf(file) >= 0).sort((a, b) => placeOf(a) - placeOf(b))
}

/** The projects with their files. */
export async function holders(scene: Scene): Promise<FullProject[]> {
  const found: FullProject[] = []
  for (const { id, name } of (await scene.must('listProjects')).slice(0, 20)) {
    const project = await scene.may('getProjectDetails', { path: { project_id: id } }, 'missing')
    if (project) found.push({ id, name, files: project.files })
  }
  return found
}

export function holds({ files }: Pick<FullProject, 'files'>, id: string): boolean {
  return files.some((file) => isSameId(file.id, id))
}
