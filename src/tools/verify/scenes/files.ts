import type { Operations, Persona, UserFile } from '../../../apis/knowledge-chat/types.gen.js'
import { Stopped } from '../calls/patience.js'
import type { Id } from '../kinds.js'
import { isSameId } from '../rows.js'
import { has, leavesTheRest, type PreparedCall } from './any/effects.js'
import { changing, type Play, reading, type Scene } from './any/scene.js'
import { type FullProject, holders, holds, usableFiles } from './own-rows.js'
import { wholeBody } from './personas.js'

type DeletionReply = Operations['deleteFile']['reply']

/** E26 and rule 3.2. The interface cannot create files, so each play uses one that may be deleted. */
export const fileDeletionPlays: Play[] = [
  changing('a file that is in no project is deleted', ['deleteFile'], async (scene) => {
    const files = await usableFiles(scene)
    const projects = await holders(scene)
    const loose = files.filter(({ id }) => !projects.some((project) => holds(project, id))).at(-1)
    // Keep the last file for the next play.
    if (!loose || files.length < 2)
      throw new Stopped('no file is known that is in no project: give two with --disposable file=<id>')
    const told = await scene.must('deleteFile', { path: { file_id: loose.id } })
    // A server may keep files that are in use.
    if (told.has_associations) return
    gone(scene, 'deleteFile', await statusOf(scene, loose.id))
  }),
  changing('a linked file is deleted', ['deleteFile'], (scene) =>
    leavesTheRest(scene, 'deleteFile', () => linkedFile(scene))
  ),
  changing('a file is deleted by six requests at the same time', ['deleteFile'], async (scene) => {
    const [, file] = await usableFiles(scene)
    if (!file) throw new Stopped('too few files are known that may be deleted: give more with --disposable file=<id>')
    const path = { file_id: file.id }
    const told = await scene.atOnce(6, () => ['deleteFile', { path }, 'admin', 'missing'])
    await scene.stopIfRefused('deleteFile', { path }, told)
    const made = told.filter(({ reply }) => reply.status < 300)
    scene.check('use_after_free', 'deleteFile', made.length > 0, 'at least one of six that is a success')
    if (made.some(({ reply }) => (reply.body as DeletionReply).has_associations)) return
    gone(scene, 'deleteFile', await statusOf(scene, file.id))
  })
]

/** Puts a file into each project that may be changed, and into an agent. Another file is added to the projects too. */
async function linkedFile(scene: Scene): Promise<PreparedCall> {
  const first = await scene.own('project')
  const [file, ...others] = await usableFiles(scene)
  // A file that is being processed changes by itself.
  const other = others.find(({ status }) => status !== 'PROCESSING')
  if (!file) throw new Stopped('no file is known that may be deleted: give one with --disposable file=<id>')
  for (const project_id of new Set([first, ...scene.rows.own('project').slice(0, 3)])) {
    for (const file_id of [file.id, ...(other ? [other.id] : [])]) {
      const { reply } = await scene.ask('linkFile', { path: { project_id, file_id } }, 'admin', 'missing')
      if (reply.status >= 300 && project_id === first && file_id === file.id)
        throw new Stopped('the server links no file')
    }
  }
  const agent = await agentWith(scene, file.id)
  const before = (await holders(scene)).filter((it) => scene.rows.own('project').includes(it.id) || holds(it, file.id))
  return { act: () => deleted(scene, file, before, agent), isMeant: has(file.id) }
}

/** An agent that uses the file, if the server allows that. */
async function agentWith(scene: Scene, file: string): Promise<Persona | undefined> {
  const persona_id = scene.rows.own('persona')[0]
  // An agent's file ids are texts, so case matters.
  if (persona_id === undefined || file !== file.toLowerCase()) return undefined
  const path = { persona_id }
  const agent = await scene.may('getPersona', { path }, 'missing')
  if (!agent || agent.builtin_persona) return undefined
  const whole = wholeBody(agent)
  const body = { ...whole, user_file_ids: [...agent.user_file_ids, file] }
  if (!(await scene.may('updatePersona', { path, body }, 'unknown-reference'))) return undefined
  scene.undo.push(async () => {
    await scene.ask('updatePersona', { path, body: whole }, 'admin', 'unknown-reference')
  })
  const read = await scene.must('getPersona', { path })
  return read.user_file_ids.some((id) => isSameId(id, file)) ? read : undefined
}

async function deleted(scene: Scene, file: UserFile, before: FullProject[], agent: Persona | undefined): Promise<void> {
  const path = { file_id: file.id }
  const told = await scene.must('deleteFile', { path })
  await namesOf(scene, told, file, before, agent)
  const after = await statusOf(scene, file.id)
  const left = (await holders(scene)).filter((it) => holds(it, file.id))
  if (left.length > 0 && after === file.status) {
    scene.run.answers.add('files.deletion', 'refused', scene.title)
    const expected = 'has_associations true: it is not deleted'
    scene.check('file_delete_unlinks', 'deleteFile', told.has_associations, expected)
    return
  }
  scene.run.answers.add('files.deletion', 'unlinked', scene.title)
  scene.run.answers.add('files.deletion-report', told.has_associations ? 'before' : 'now', scene.title)
  const expected = `the projects ${before.map(({ id }) => id).join(', ')} without the file`
  scene.check('file_delete_unlinks', 'deleteFile', left.length === 0, expected, `${left[0]?.id} with it`)
  gone(scene, 'getFile', after)
  const again = await scene.ask('deleteFile', { path }, 'admin', 'missing')
  const repeated = again.reply.status < 300 ? 'hidden' : 'removed'
  scene.run.answers.add('files.deleting', after === 'DELETING' ? 'readable' : repeated, scene.title)
  if (after === 'DELETING' || repeated === 'hidden') {
    scene.run.answers.add('files.deletion-again', repeated === 'hidden' ? 'accepted' : 'missing', scene.title)
  }
  const [project] = before
  if (repeated !== 'removed' || after !== undefined || !project) return
  const link = { path: { project_id: project.id, file_id: file.id } }
  await scene.refused('use_after_free', 'linkFile', link, 'a refusal: the file is deleted')
}

/** The names must be those of the file's projects. Whether agents are named is not shown. */
async function namesOf(
  scene: Scene,
  told: DeletionReply,
  file: UserFile,
  before: FullProject[],
  agent: Persona | undefined
) {
  // A server may report that no associations are left.
  if (!told.has_associations && told.project_names.length + told.assistant_names.length === 0) return
  for (const { name } of before.filter((it) => holds(it, file.id))) {
    const isTold = told.project_names.includes(name)
    scene.check('file_delete_unlinks', 'deleteFile', isTold, `the project ${name} among project_names`)
  }
  if (agent) {
    const choice = told.assistant_names.includes(agent.name) ? 'agents' : 'none'
    scene.run.answers.add('files.assistants', choice, scene.title)
  }
  const theirs = scene.run.settings.userToken === undefined ? [] : await scene.must('listProjects', {}, 'user')
  const all = [...(await scene.must('listProjects')), ...theirs].map(({ name }) => name)
  const wrong = told.project_names.filter((it) => all.includes(it) && !before.some(({ name }) => name === it))
  const expected = 'the names of its own projects alone'
  scene.check('file_delete_unlinks', 'deleteFile', wrong.length === 0, expected, `also ${wrong.join(', ')}`)
}

/** The status of a file. Undefined if it cannot be read. */
async function statusOf(scene: Scene, file_id: string): Promise<UserFile['status'] | undefined> {
  return (await scene.may('getFile', { path: { file_id } }, 'missing'))?.status
}

/** A file that was deleted may be readable until it is gone. */
function gone(scene: Scene, id: string, status: UserFile['status'] | undefined): void {
  const isGone = status === undefined || status === 'DELETING'
  scene.check('use_after_free', id, isGone, 'the status DELETING, or a refusal', `the status ${status}`)
}

/** E24 to E26, and section 3: links are created once, files are readable in any status, and deleting unlinks. */
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
  // Its status may have changed meanwhile: then the project shows that, too.
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
