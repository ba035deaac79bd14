import type { Persona } from '../../../../contract/types.gen.js'
import { isSameId } from '../../rows.js'
import { ownAgent, ownInstructions } from '../own-rows.js'
import { privateCredential } from './effects.js'
import { changing, type Play, type Scene } from './scene.js'

const check = 'other_users_rows_hidden'
const expected = "a refusal: it is another user's"

/**
 * The second user tries to change, link and delete the first user's rows. Each call must be refused and change nothing.
 */
export const trespassPlays: Play[] = [
  changing("another user writes a project's instructions", ['setProjectInstructions'], async (scene) => {
    const { path, before, read } = await ownInstructions(scene)
    const body = { instructions: scene.run.mark('trespass') }
    await scene.refused(check, 'setProjectInstructions', { path, body }, expected, 'user')
    const isSame = (await read()) === before
    scene.check(check, 'setProjectInstructions', isSame, 'the instructions as their owner left them')
  }),
  changing('another user puts a chat session into a project', ['createChatSession'], async (scene) => {
    const project_id = await scene.own('project')
    const body = { description: scene.run.mark('trespass'), project_id }
    const made = await scene.may('createChatSession', { body }, 'missing', 'user')
    if (!made) return
    const id = made.chat_session_id
    const { project } = await scene.must('getProjectDetails', { path: { project_id } })
    const isApart = !project.chat_sessions.some((session) => isSameId(session.id, id))
    scene.check(check, 'createChatSession', isApart, `project ${project_id} without another user's session ${id}`)
    await scene.ask('deleteChatSession', { path: { session_id: id } }, 'user', 'missing')
  }),
  changing('another user links a file and deletes it', ['linkFile', 'deleteFile'], async (scene) => {
    const file_id = await scene.own('file')
    const before = await scene.must('getFile', { path: { file_id } })
    const [theirs] = await scene.must('listProjects', {}, 'user')
    const own = scene.rows.own('project')[0]
    for (const project_id of [theirs?.id, own]) {
      if (project_id === undefined) continue
      await scene.refused(check, 'linkFile', { path: { project_id, file_id } }, expected, 'user')
    }
    if (theirs) {
      const { files } = await scene.must('getProjectDetails', { path: { project_id: theirs.id } }, 'user')
      const [file] = files
      if (own !== undefined && file) {
        const path = { project_id: own, file_id: file.id }
        await scene.refused(check, 'linkFile', { path }, "a refusal: the project is another user's", 'user')
      }
      const isThere = files.some((file) => file.id.toLowerCase() === String(file_id).toLowerCase())
      scene.check(check, 'linkFile', !isThere, `no file ${file_id} in another user's project`)
    }
    await scene.refused(check, 'deleteFile', { path: { file_id } }, expected, 'user')
    const status = (await scene.may('getFile', { path: { file_id } }, 'missing'))?.status
    const isGone = status === undefined || (status === 'DELETING' && before.status !== 'DELETING')
    scene.check(check, 'deleteFile', !isGone, `the file ${file_id} still there for its owner`)
  }),
  changing('another user changes and deletes an agent', ['updatePersona', 'deletePersona'], async (scene) => {
    const { path, before: agent } = await ownAgent(scene)
    // The description does not say who may change an agent without an owner, or what happens if roles are off.
    if (!isOthers(scene, agent)) return
    const name = scene.run.mark('trespass')
    scene.undo.push(async () => {
      const now = await scene.may('getPersona', { path }, 'missing')
      if (now && now.name !== agent.name) await scene.must('updatePersona', { path, body: { name: agent.name } })
    })
    await scene.refused(check, 'updatePersona', { path, body: { name } }, expected, 'user')
    const read = await scene.must('getPersona', { path })
    scene.check(check, 'updatePersona', read.name === agent.name, `the name ${agent.name}`)
    await scene.refused(check, 'deletePersona', { path }, expected, 'user')
    const { reply } = await scene.ask('getPersona', { path }, 'admin', 'missing')
    scene.check(check, 'deletePersona', reply.status < 300, 'the agent still there for its owner')
  }),
  changing("another user replaces a credential's key", ['replacePrivateKey'], async (scene) => {
    const { id } = await scene.must('createCredential', { body: privateCredential(scene.run) })
    const [example] = Object.values(scene.rows.examplesOf(scene.run.operation('replacePrivateKey')))
    const input = { path: { credential_id: id }, body: example?.body }
    await scene.refused(check, 'replacePrivateKey', input, expected, 'user')
  })
]

function isOthers(scene: Scene, { owner, users, is_public, groups }: Persona): boolean {
  const isShared = is_public || groups.length > 0 || users.some((user) => user.id !== owner?.id)
  return owner !== null && owner !== undefined && !isShared && scene.run.answers.get('auth.roles') !== 'off'
}
