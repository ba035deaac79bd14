import type { GetProjectDetailsReply, UserFile } from '../../../contract/types.gen.js'
import { isSameId } from '../rows.js'
import type { Scene } from './any/scene.js'

/** A project of the first user, with its files. */
export type FullProject = Pick<GetProjectDetailsReply, 'files'> & { id: number; name: string }

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
