import { groupBy } from '../../../tools/texts.js'
import { type Id, isSameId } from '../../../tools/verify/api.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import { lines, words } from '../../../tools/verify/phases/hostile.js'
import { has, leavesTheRest, type PreparedCall } from '../../../tools/verify/plays/neighbours.js'
import { noneKnown } from '../../../tools/verify/scene.js'
import type { GetProjectDetailsReply, Operations, Persona, UserFile } from '../types.gen.js'
import { agentWith } from './personas.js'
import { changing, ownInstructions, type Play, reading, type Scene, withId } from './scene.js'

type Link = { project_id: Id; file_id: Id }

type FullProject = Pick<GetProjectDetailsReply, 'files'> & { id: number; name: string }

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

const linking = ['linkFile', 'getProjectDetails']

/** Files of one project. Later, all files are in all projects. */
export const filesAtOncePlays: Play[] = [
  changing('files that are not linked are linked by six requests at the same time', linking, async (scene) => {
    const files = (await usableFiles(scene)).filter(({ status }) => status !== 'FAILED')
    // Other plays use the first ones.
    for (const project_id of scene.rows.own('project').toReversed()) {
      const project = await scene.may('getProjectDetails', { path: { project_id } }, 'missing')
      const loose = files.filter(({ id }) => project && withId(project.files, id).length === 0).slice(-2)
      if (loose.length === 0) continue
      const links = loose.map(({ id, status }) => ({ path: { project_id, file_id: id }, status }))
      const exchanges = await scene.atOnce(6, (n) => ['linkFile', { path: links[n % links.length]?.path }, 'missing'])
      await scene.stopIfRefused('linkFile', { path: links[0]?.path }, exchanges)
      for (const [at, { path, status }] of links.entries()) {
        const successes = exchanges.filter(({ reply }, n) => n % links.length === at && reply.status < 300)
        // A server may refuse files that are not processed.
        const isTaken = successes.length > 0 || status !== 'COMPLETED'
        scene.check('association_idempotence', 'linkFile', isTaken, 'at least one of several that is a success')
        if (successes.length > 0) await linkedOnce(scene, path)
        for (const { reply } of successes) await inProject(scene, path, reply.body as UserFile)
      }
      return
    }
    throw noneKnown('file', 'that is not linked yet')
  })
]

/** E24 and E25, and section 3: links are created once, and files are readable in any status. */
export const filePlays: Play[] = [
  reading('the files of projects are readable', ['getFile', 'getProjectDetails'], async (scene) => {
    const projects = await scene.must('listProjects')
    for (const { id: project_id } of projects.slice(0, 5)) {
      const path = { project_id }
      const { project, files, persona_id_to_is_default: defaults } = await scene.must('getProjectDetails', { path })
      for (const [persona_id, isDefault] of Object.entries(defaults).slice(0, 2)) {
        const agent = await scene.may('getPersona', { path: { persona_id } }, 'missing')
        const isRight = !agent || isDefault === agent.is_default_persona || isDefault === agent.builtin_persona
        scene.check('values_read_back', 'getProjectDetails', isRight, `the agent ${persona_id} as ${!isDefault}`)
      }
      const foreign = files.find((file) => file.user_id && project.user_id && !isSameId(file.user_id, project.user_id))
      const owner = `files of the project's user ${project.user_id}`
      scene.check('values_read_back', 'getProjectDetails', !foreign, owner, `one of ${foreign?.user_id}`)
      for (const file of files.slice(0, 10)) await readable(scene, file, project_id)
    }
    const read = (file_id: Id) => scene.may('getFile', { path: { file_id } }, 'missing')
    const first = new Map<Id, UserFile['status'] | undefined>()
    for (const file_id of new Set([...scene.rows.readable('file'), ...scene.rows.own('file').slice(0, 20)]))
      first.set(file_id, (scene.rows.before('file', file_id) ?? (await read(file_id)))?.status as UserFile['status'])
    for (const [file_id, before] of first) {
      const after = (await read(file_id))?.status
      const isThere = (before === undefined) === (after === undefined) || before === 'DELETING'
      const expected = `the file ${file_id} in both reads: it was ${before ?? 'missing'}, then ${after ?? 'missing'}`
      scene.check('file_readable_in_any_status', 'getFile', isThere, expected)
    }
  }),
  changing('a file is linked, and again', linking, async (scene) => {
    const [file] = await usableFiles(scene)
    if (!file) throw noneKnown('file')
    const path = { project_id: await scene.own('project'), file_id: file.id }
    const filesIn = async () => (await scene.must('getProjectDetails', { path })).files.map(({ id }) => id)
    const before = await filesIn()
    for (let times = 0; times < 2; times++) {
      const linked = await scene.must('linkFile', { path })
      scene.check('values_read_back', 'linkFile', isSameId(linked.id, path.file_id), `the file ${path.file_id}`)
      // Neither its date nor anything else of it changes with a link.
      const { name, created_at, file_type, chat_file_type, status, token_count, chunk_count } = file
      const same = { name, created_at, ...(status === 'COMPLETED' && { status, token_count, chunk_count }) }
      scene.shows('linkFile', linked, { ...same, file_type, chat_file_type })
      scene.shows('getFile', await scene.must('getFile', { path: { file_id: file.id } }), same)
      scene.answer('files.project-id', (linked.project_id ?? null) === null ? 'null' : 'linked', 'linkFile')
      await linkedOnce(scene, path)
    }
    const others = (await filesIn()).filter((id) => !isSameId(id, file.id) && !before.includes(id))
    const alone = `no new file in project ${path.project_id} but ${file.id}`
    scene.check('others_untouched', 'linkFile', others.length === 0, alone, others.join(', '))
  })
]

/** Rule 3.1: a file is readable in any status. A file that is being deleted may be gone by now, and then is not listed. */
async function readable(scene: Scene, listed: UserFile, project_id: Id): Promise<void> {
  const { id, status } = listed
  const { reply } = await scene.ask('getFile', { path: { file_id: id } }, 'missing')
  const now = async () => withId((await scene.must('getProjectDetails', { path: { project_id } })).files, id)[0]
  if (status === 'DELETING' && reply.status >= 400 && !(await now())) return
  const expected = `the file ${id}, which is ${status}`
  if (!scene.check('file_readable_in_any_status', 'getFile', reply.status < 300, expected)) return
  const file = reply.body as UserFile
  if (file.status === status) return
  // Its status may have changed meanwhile: then the project shows that, too.
  const hasMoved = (await now())?.status !== status
  scene.check('values_read_back', 'getFile', hasMoved, `the status ${status}, as the project lists it`, file.status)
}

/** A file may be in several projects. The one that it names has it. */
async function inProject(scene: Scene, path: Link, { project_id }: UserFile): Promise<void> {
  if (project_id === path.project_id || !project_id || project_id < 0) return
  const project = await scene.may('getProjectDetails', { path: { project_id } }, 'missing')
  const isThere = project !== undefined && withId(project.files, path.file_id).length > 0
  scene.check('values_read_back', 'linkFile', isThere, `the project_id ${path.project_id}`, `${project_id}`)
}

export async function linkedOnce(scene: Scene, { project_id, file_id }: Link): Promise<void> {
  const { files } = await scene.must('getProjectDetails', { path: { project_id } })
  const times = withId(files, file_id).length
  const { status } = await scene.must('getFile', { path: { file_id } })
  const isFinal = withId(files, file_id)[0]?.status === 'COMPLETED' && status !== 'DELETING'
  const isSame = !isFinal || status === 'COMPLETED'
  scene.check('values_read_back', 'getProjectDetails', isSame, `the status ${status}`, 'COMPLETED')
  const isHidden = status === 'FAILED' && times === 0
  if (isHidden) return scene.couldNot('linkFile', 'the server lists no FAILED files', 'the link is listed')
  scene.check('ensure_resource_availability', 'linkFile', times > 0, `project ${project_id} with the file`)
  scene.check('association_idempotence', 'linkFile', times < 2, 'the file once', `${times} times`)
}

type DeletionReply = Operations['deleteFile']['reply']

/** E26 and rule 3.2. The interface cannot create files, so each play uses one that may be deleted. */
export const fileDeletionPlays: Play[] = [
  changing('a file that is in no project is deleted', ['deleteFile'], async (scene) => {
    const files = await usableFiles(scene)
    const projects = await fullProjects(scene)
    const loose = files.findLast((it: UserFile) => projectsWith(projects, it.id).length === 0 && !hasTwin(it, files))
    // Keep the last file, and two of one name, for the next play.
    if (!loose || files.length < 2) throw noneKnown('file', 'that is in no project', 'give two')
    const reply = await scene.must('deleteFile', { path: { file_id: loose.id } })
    // A server may keep files that are in use.
    if (!reply.has_associations) checkDeletion(scene, 'deleteFile', await statusOf(scene, loose.id))
    await othersStay(scene, files, loose)
  }),
  changing('a file of each status and type is linked', linking, async (scene) => {
    const project_id = await scene.own('project')
    const files = await usableFiles(scene)
    if (files.length === 0) throw noneKnown('file')
    for (const [, [file]] of groupBy(files, (it) => `${it.status} ${it.chat_file_type}`)) {
      const path = { project_id, file_id: (file as UserFile).id }
      // A server may refuse files that are not processed.
      if (await scene.may('linkFile', { path }, 'missing')) await linkedOnce(scene, path)
    }
  }),
  changing('a linked file is deleted', ['deleteFile'], (scene) =>
    leavesTheRest(scene, 'deleteFile', () => linkedFile(scene))
  ),
  changing('a file is deleted by six requests at the same time', ['deleteFile'], async (scene) => {
    const [, file] = await usableFiles(scene)
    if (!file) throw new Stopped('too few files are known that may be deleted: give more with --disposable file=<id>')
    const path = { file_id: file.id }
    const exchanges = await scene.atOnce(6, () => ['deleteFile', { path }, 'missing'])
    await scene.stopIfRefused('deleteFile', { path }, exchanges)
    const successes = exchanges.filter(({ reply }) => reply.status < 300)
    scene.check('use_after_free', 'deleteFile', successes.length > 0, 'at least one of six that is a success')
    if (successes.some(({ reply }) => (reply.body as DeletionReply).has_associations)) return
    checkDeletion(scene, 'deleteFile', await statusOf(scene, file.id))
  })
]

const hasTwin = ({ id, name }: UserFile, files: UserFile[]) => files.some((it) => it.name === name && it.id !== id)

async function fullProjects(scene: Scene): Promise<FullProject[]> {
  const projects: FullProject[] = []
  for (const { id, name } of (await scene.must('listProjects')).slice(0, 20)) {
    const project = await scene.may('getProjectDetails', { path: { project_id: id } }, 'missing')
    if (project) projects.push({ id, name, files: project.files })
  }
  return projects
}

function projectsWith(projects: FullProject[], file: string): FullProject[] {
  return projects.filter(({ files }) => withId(files, file).length > 0)
}

/** Puts a file into each project that may be changed, and into an agent. Another file is added to the projects too. */
async function linkedFile(scene: Scene): Promise<PreparedCall> {
  const first = await scene.own('project')
  const files = await usableFiles(scene)
  const twin = files.find((it) => hasTwin(it, files))
  const file = twin ?? files[0]
  const others = files.filter(({ id }) => id !== file?.id)
  const other = others.find(({ name }) => name === twin?.name) ?? others[0]
  if (!file) throw noneKnown('file', 'that may be deleted')
  for (const project_id of new Set([first, ...scene.rows.own('project').slice(0, 3)])) {
    for (const file_id of [file.id, ...(other ? [other.id] : [])]) {
      const linked = await scene.may('linkFile', { path: { project_id, file_id } }, 'missing')
      if (!linked && project_id === first && file_id === file.id) throw new Stopped('the server links no file')
    }
  }
  if (other) await agentWith(scene, 'user_file_ids', other.id)
  const agent = await agentWith(scene, 'user_file_ids', file.id)
  const isOwn = ({ id, files }: FullProject) =>
    scene.rows.own('project').includes(id) || withId(files, file.id).length > 0
  const before = (await fullProjects(scene)).filter(isOwn)
  const act = async () => {
    await deleted(scene, file, before, agent)
    await othersStay(scene, files, file)
  }
  return { act, isMeant: (place) => has(file.id, place) }
}

async function deleted(scene: Scene, file: UserFile, before: FullProject[], agent: Persona | undefined): Promise<void> {
  const path = { file_id: file.id }
  const reply = await scene.must('deleteFile', { path })
  await checkNames(scene, reply, file, before, agent)
  const after = await statusOf(scene, file.id)
  const [first, ...others] = projectsWith(await fullProjects(scene), file.id)
  if (first && after === file.status) {
    const all = projectsWith(before, file.id).map(({ id }) => id)
    const isWhole = others.length + 1 === all.length
    const ids = [first, ...others].map(({ id }) => id).join(', ')
    const allOrNone = `none of its projects ${all.join(', ')} with it, or all of them if it is not deleted`
    if (!scene.check('file_delete_unlinks', 'deleteFile', isWhole, allOrNone, `it, in ${ids}`)) return
    scene.answer('files.deletion', 'refused')
    scene.check('file_delete_unlinks', 'deleteFile', reply.has_associations, 'has_associations true: it is not deleted')
    return
  }
  scene.answer('files.deletion', 'unlinked')
  scene.answer('files.deletion-report', reply.has_associations ? 'before' : 'now')
  const expected = `the projects ${before.map(({ id }) => id).join(', ')} without the file`
  scene.check('file_delete_unlinks', 'deleteFile', !first, expected, `${first?.id} with it`)
  checkDeletion(scene, 'getFile', after)
  const isAccepted = (await scene.may('deleteFile', { path }, 'missing')) !== undefined
  const isDeleting = after === 'DELETING'
  scene.answer('files.deleting', isDeleting ? 'readable' : isAccepted ? 'hidden' : 'removed')
  if (isDeleting || isAccepted) scene.answer('files.deletion-again', isAccepted ? 'accepted' : 'missing')
  const [project] = before
  if (isAccepted || after !== undefined || !project) return
  const link = { path: { project_id: project.id, file_id: file.id } }
  await scene.refused('use_after_free', 'linkFile', link, 'a refusal: the file is deleted')
}

/** Other files may be processed meanwhile, but not deleted. */
async function othersStay(scene: Scene, files: UserFile[], deleted: UserFile): Promise<void> {
  for (const { id, name } of files.filter((it) => it !== deleted)) {
    const isLost = [undefined, 'DELETING'].includes(await statusOf(scene, id))
    scene.check('others_untouched', 'deleteFile', !isLost, `the file ${id}, named ${name}`)
  }
}

/** The names must be those of the file's projects. Whether agents are named is not shown. */
async function checkNames(scene: Scene, reply: DeletionReply, file: UserFile, before: FullProject[], agent?: Persona) {
  const { has_associations, project_names, assistant_names } = reply
  // A server may report that no associations are left.
  if (!has_associations && project_names.length + assistant_names.length === 0) return
  for (const { name } of projectsWith(before, file.id)) {
    const isNamed = project_names.includes(name)
    scene.check('file_delete_unlinks', 'deleteFile', isNamed, `the project ${name} among project_names`)
  }
  if (agent) scene.answer('files.assistants', assistant_names.includes(agent.name) ? 'agents' : 'none')
  const theirs = scene.run.settings.userToken === undefined ? [] : await scene.must('listProjects', {}, 'user')
  const all = [...(await scene.must('listProjects')), ...theirs].map(({ name }) => name)
  const wrong = project_names.filter((it) => all.includes(it) && !before.some(({ name }) => name === it))
  const expected = 'only the names of its own projects'
  scene.check('file_delete_unlinks', 'deleteFile', wrong.length === 0, expected, `also ${wrong.join(', ')}`)
}

async function statusOf(scene: Scene, file_id: string): Promise<UserFile['status'] | undefined> {
  return (await scene.may('getFile', { path: { file_id } }, 'missing'))?.status
}

/** A file that was deleted may be readable until it is gone. */
function checkDeletion(scene: Scene, id: string, status: UserFile['status'] | undefined): void {
  const isGone = status === undefined || status === 'DELETING'
  scene.check('use_after_free', id, isGone, 'the status DELETING, or a refusal', `the status ${status}`)
}

const instructing = ['setProjectInstructions', 'getProjectDetails', 'listProjects']

/** E21 to E23. */
export const projectPlays: Play[] = [
  reading('listed projects are found', ['listProjects', 'getProjectDetails'], async (scene) => {
    const projects = await scene.must('listProjects')
    for (const project_id of scene.rows.readable('project')) {
      if (withId(projects, project_id).length > 0) continue
      const { project } = (await scene.may('getProjectDetails', { path: { project_id } }, 'missing')) ?? {}
      const isOwn = project !== undefined && project.user_id === projects[0]?.user_id
      scene.check('ensure_resource_availability', 'listProjects', !isOwn, `the project ${project_id}, as E22 shows it`)
    }
  }),
  changing('instructions are stored and read back', instructing, async (scene) => {
    const { path, read } = await ownInstructions(scene)
    // Longer than a column of a database, and than a buffer of 64 KiB.
    const long = `${scene.mark('long')} `.repeat(4000)
    for (const text of [`${lines}${scene.mark('instructions')}${lines}`, ...words, long, '']) {
      const reply = await scene.may('setProjectInstructions', { path, body: { instructions: text } }, 'missing')
      if (!reply) {
        scene.couldNot('setProjectInstructions', 'the server does not take them', `instructions as ${shortOf(text)}`)
        continue
      }
      const check = (id: string, value: unknown, where = '') => {
        const expected = `the instructions ${shortOf(text)}${where}`
        scene.check('instructions_read_back', id, (value ?? '') === text, expected, shortOf(`${value}`))
      }
      check('setProjectInstructions', reply.instructions)
      check('setProjectInstructions', await read(), ' in E22')
      const projects = await scene.must('listProjects')
      check('listProjects', projects.find(({ id }) => id === path.project_id)?.instructions, ' in E21')
    }
  })
]

const shortOf = (text: string) =>
  text.length > 300 ? `${JSON.stringify(text.slice(0, 40))}, ${text.length} characters` : JSON.stringify(text)
