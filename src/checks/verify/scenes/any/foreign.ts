import { idsOf, searchNames, searchQueries } from '../../inputs/names.js'
import { type Id, isSameId } from '../../rows.js'
import type { Asker } from '../../run.js'
import { privateCredential } from './effects.js'
import { changing, type Play, reading, type Scene } from './scene.js'

const check = 'other_users_rows_hidden'
const expected = "a refusal: it is another user's"

/** The rows of each user are hidden from the other one (section 1, E21 to E26). */
export const foreignPlays: Play[] = [
  reading("another user's projects and files", ['listProjects', 'getProjectDetails', 'getFile'], async (scene) => {
    const mine = await projectsOf(scene, 'admin')
    const theirs = await projectsOf(scene, 'user')
    const shared = common(mine, theirs)
    scene.check(check, 'listProjects', shared.length === 0, "nobody else's projects", `both list ${shared.join(', ')}`)
    await hidden(scene, theirs, 'user', 'admin')
    await hidden(scene, mine, 'admin', 'user')
  }),
  changing("another user's chat sessions", ['listChatSessions', 'searchChats', 'deleteChatSession'], async (scene) => {
    const word = scene.run.mark('foreign')
    // The name of the search parameter is learned with a session that the first user can find.
    const own = scene.run.mark('own')
    await scene.must('createChatSession', { body: { description: `${own} plan` } })
    await searchNames(scene, own)
    const body = { description: `${word} plan` }
    const { chat_session_id: id } = await scene.must('createChatSession', { body }, 'user')
    const path = { session_id: id }
    scene.check(check, 'listChatSessions', !(await lists(scene, id, 'admin')), `no session ${id}: it is another user's`)
    for (const query of [{}, ...(await searchQueries(scene, word))]) {
      const isFound = idsOf(await scene.must('searchChats', { query })).some((it) => isSameId(it, id))
      scene.check(check, 'searchChats', !isFound, `no session ${id}: it is another user's`)
    }
    await scene.refused(check, 'deleteChatSession', { path }, expected)
    const isKept = await lists(scene, id, 'user')
    scene.check(check, 'deleteChatSession', isKept, `the session ${id} still there for its owner`)
    const shared = common(await sessionsOf(scene, 'admin'), await sessionsOf(scene, 'user'))
    scene.check(check, 'listChatSessions', shared.length === 0, 'no session that both users list', shared.join(', '))
    await scene.must('deleteChatSession', { path }, 'user')
  }),
  changing("another user's credential", ['createCredential', 'getCredential'], async (scene) => {
    const body = privateCredential(scene.run)
    const { id, credential } = await scene.must('createCredential', { body })
    await scene.refused(check, 'getCredential', { path: { credential_id: id } }, expected, 'user')
    const theirs = await scene.may('createCredential', { body }, undefined, 'user')
    const { user_id } = theirs?.credential ?? credential
    const isOwn = !theirs || user_id === null || user_id !== credential.user_id
    const another = "another user_id than that of the first user's"
    scene.check('values_read_back', 'createCredential', isOwn, another, `${user_id}`)
  })
]

function common<T extends Id>(first: T[], second: T[]): T[] {
  const ids = new Set(second.map((id) => String(id).toLowerCase()))
  return first.filter((id) => ids.has(String(id).toLowerCase()))
}

async function projectsOf(scene: Scene, as: Asker): Promise<number[]> {
  return (await scene.must('listProjects', {}, as)).map((project) => project.id)
}

/** Checks that one user's projects and their files are refused to the other one. */
async function hidden(scene: Scene, projects: number[], owner: Asker, other: Asker): Promise<void> {
  for (const project_id of projects.slice(0, 3)) {
    const { files } = await scene.must('getProjectDetails', { path: { project_id } }, owner)
    await refused(scene, 'getProjectDetails', { project_id }, other)
    for (const { id } of files.slice(0, 2)) await refused(scene, 'getFile', { file_id: id }, other)
  }
}

async function refused(scene: Scene, id: string, path: Record<string, number | string>, as: Asker): Promise<void> {
  const { reply } = await scene.refused(check, id, { path }, expected, as)
  if (reply.status === 403) scene.run.answers.add('errors.missing', '403-foreign', `${id} of another user's row`)
}

async function sessionsOf(scene: Scene, as: Asker): Promise<string[]> {
  return (await scene.must('listChatSessions', {}, as)).sessions.map(({ id }) => id)
}

async function lists(scene: Scene, id: string, as: Asker): Promise<boolean> {
  return (await sessionsOf(scene, as)).some((it) => isSameId(it, id))
}
