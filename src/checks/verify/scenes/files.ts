import type { UserFile } from '../../../contract/types.gen.js'
import { Stopped } from '../calls/unreachable.js'
import { type Id, isSameId } from '../rows.js'
import { changing, type Play, reading, type Scene } from './any/scene.js'
import { holds, usableFiles } from './own-rows.js'

/** E24 to E26, and section 3: links are made once, files are readable in any status, and deleting unlinks. */
export const filePlays: Play[] = [
  reading('the files of projects are readable', ['getFile', 'getProjectDetails'], async (scene) => {
    const projects = await scene.must('listProjects')
    for (const { id: project_id } of projects.slice(0, 5)) {
      const { project, files } = await scene.must('getProjectDetails', { path: { project_id } })
      const foreign = files.find((file) => file.user_id && project.user_id && !isSameId(file.user_id, project.user_id))
      const owner = `files of the project's user ${project.user_id}`
      scene.check('values_read_back', 'getProjectDetails', !foreign, owner, `one of ${foreign?.user_id}`)
      scene.unique('getProjectDetails', files)
      for (const file of files.slice(0, 10)) await readable(scene, file, project_id)
    }
    for (const file_id of scene.rows.readable('file')) {
      const status = scene.rows.statuses.get(file_id)
      const { reply } = await scene.ask('getFile', { path: { file_id } }, 'admin', 'missing')
      const isThere = reply.status < 300 || status === 'DELETING'
      const expected = `the file ${file_id}, which was ${status} when it was read before`
      scene.check('file_readable_in_any_status', 'getFile', isThere, expected)
    }
  }),
  changing(
    'a file that is not linked is linked by six requests at the same time',
    ['linkFile', 'getProjectDetails'],
    async (scene) => {
      const path = await unlinkedPath(scene)
      const told = await scene.atOnce(6, () => ['linkFile', { path }])
      await scene.stopIfRefused('linkFile', { path }, told)
      const made = told.filter(({ reply }) => reply.status < 300).length
      scene.check('association_idempotence', 'linkFile', made > 0, 'at least one of six that is a success')
      await linkedOnce(scene, path)
      for (const { reply } of told) if (reply.status < 300) await inProject(scene, path, reply.body as UserFile)
    }
  ),
  changing(
    'a file is linked, again, and by six requests at the same time',
    ['linkFile', 'getProjectDetails'],
    async (scene) => {
      const path = await ownPath(scene)
      for (let times = 0; times < 2; times++) {
        const linked = await scene.must('linkFile', { path })
        scene.check('values_read_back', 'linkFile', isSameId(linked.id, path.file_id), `the file ${path.file_id}`)
        const project = (linked.project_id ?? null) === null ? 'null' : 'linked'
        scene.run.answers.add('files.project-id', project, 'linkFile')
        await linkedOnce(scene, path)
      }
      await Promise.all(Array.from({ length: 6 }, () => scene.must('linkFile', { path })))
      await linkedOnce(scene, path)
    }
  )
]

type Link = { project_id: Id; file_id: Id }

async function ownPath(scene: Scene): Promise<Link> {
  const [file] = await usableFiles(scene)
  if (!file) throw new Stopped('no file is known that may be changed: give one with --disposable file=<id>')
  return { project_id: await scene.own('project'), file_id: file.id }
}

/** A project and a file that are not linked yet. */
async function unlinkedPath(scene: Scene): Promise<Link> {
  for (const project_id of scene.rows.own('project')) {
    const project = await scene.may('getProjectDetails', { path: { project_id } }, 'missing')
    if (!project) continue
    const loose = (await usableFiles(scene)).find(({ id }) => !holds(project, id))
    if (loose) return { project_id, file_id: loose.id }
  }
  throw new Stopped('no file is known that is not linked yet: give one with --disposable file=<id>')
}

/** Rule 3.1: a file is readable in any status. A file that is being deleted may be gone by now, and then is not listed. */
async function readable(scene: Scene, listed: UserFile, project_id: Id): Promise<void> {
  const { id, status, name, file_id, user_id } = listed
  const { reply } = await scene.ask('getFile', { path: { file_id: id } }, 'admin', 'missing')
  if (status === 'DELETING' && reply.status >= 400) {
    const { files } = await scene.must('getProjectDetails', { path: { project_id } })
    if (!holds({ files }, id)) return
  }
  const expected = `the file ${id}, which is ${status}`
  if (!scene.check('file_readable_in_any_status', 'getFile', reply.status < 300, expected)) return
  const file = reply.body as UserFile
  const isSame = isSameId(file.id, id) && file.name === name && file.file_id === file_id && file.user_id === user_id
  scene.check('values_read_back', 'getFile', isSame, `the file ${id} as the project lists it`)
  if (file.status === status) return
  // It may have moved on meanwhile: then the project says so, too.
  const { files } = await scene.must('getProjectDetails', { path: { project_id } })
  const now = files.find((it) => isSameId(it.id, id))
  const hasMoved = now?.status !== status
  scene.check('values_read_back', 'getFile', hasMoved, `the status ${status}, as the project lists it`, file.status)
}

/** A file may be in several projects. The one that it names has it. */
async function inProject(scene: Scene, path: Link, { project_id }: UserFile): Promise<void> {
  if (project_id === path.project_id || !project_id || project_id < 0) return
  const project = await scene.may('getProjectDetails', { path: { project_id } }, 'missing')
  const isThere = project !== undefined && holds(project, String(path.file_id))
  scene.check('values_read_back', 'linkFile', isThere, `the project_id ${path.project_id}`, `${project_id}`)
}

async function linkedOnce(scene: Scene, { project_id, file_id }: Link): Promise<void> {
  const { files } = await scene.must('getProjectDetails', { path: { project_id } })
  const times = files.filter((file) => isSameId(file.id, file_id)).length
  const { status } = await scene.must('getFile', { path: { file_id } })
  const isHidden = status === 'FAILED' && times === 0
  if (isHidden) return scene.run.results.couldNot('linkFile', 'the link is listed', 'the server lists no FAILED files')
  scene.check('ensure_resource_availability', 'linkFile', times > 0, `project ${project_id} with the file`)
  scene.check('association_idempotence', 'linkFile', times < 2, 'the file once', `${times} times`)
}
