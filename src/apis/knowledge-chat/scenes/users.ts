import type { Asker } from '../../../tools/verify/calls/client.js'
import { keepAgent, ownAgent, wholeBody } from './personas.js'
import { poolOf, privateCredential, theirCredential } from './pool.js'
import {
  among,
  changing,
  keyForm,
  newSession,
  ownInstructions,
  type Play,
  reading,
  type Scene,
  withId
} from './scene.js'
import { foundBy, idsOf, searchNames } from './search.js'

const check = 'other_users_rows_hidden'
const expected = "a refusal: it is another user's"

const credentialOperations = ['createCredential', 'getCredential', 'listCredentials', 'replacePrivateKey']

/** Rows are hidden from other users (section 1, E21 to E26): their calls are refused, and change nothing. */
export const foreignPlays: Play[] = [
  reading("another user's projects and files", ['listProjects', 'getProjectDetails', 'getFile'], async (scene) => {
    const [ours, others] = [await scene.must('listProjects'), await scene.must('listProjects', {}, 'user')]
    const [mine, theirs] = [ours, others].map((projects) => projects.map(({ id }) => id)) as [number[], number[]]
    const shared = mine.filter(among(theirs))
    const none = 'no project that both users list'
    scene.check(check, 'listProjects', shared.length === 0, none, `both list ${shared.join(', ')}`)
    const user = ours[0]?.user_id
    const isApart = !user || shared.length > 0 || others.every(({ user_id }) => user_id !== user)
    scene.check('values_read_back', 'listProjects', isApart, "another user_id than the first user's", `${user}`)
    await hidden(scene, theirs, 'user', 'admin')
    await hidden(scene, mine, 'admin', 'user')
  }),
  reading('an agent that both users see', ['getPersona'], async (scene) => {
    const second = await secondUser(scene)
    for (const persona_id of scene.rows.readable('persona').slice(0, 4)) {
      const input = { path: { persona_id } }
      const mine = await scene.may('getPersona', input, 'missing')
      const theirs = await scene.may('getPersona', input, 'missing', 'user')
      const isOwn = mine?.owner?.id.toLowerCase() === second && second !== undefined
      scene.check('values_read_back', 'getPersona', !isOwn || theirs !== undefined, 'an agent that its owner can read')
      if (mine?.owner && theirs) scene.shows('getPersona', theirs, { owner: mine.owner })
    }
  }),
  changing('an agent is shared with another user', ['updatePersona', 'getPersona', 'deletePersona'], async (scene) => {
    const { path, before } = await ownAgent(scene)
    const [second, { owner, name }] = [await secondUser(scene), before]
    if (second === undefined || before.builtin_persona || !owner || second === owner.id.toLowerCase()) {
      return scene.couldNot('updatePersona', 'no id of the second user is known, or no agent of another owner')
    }
    keepAgent(scene, path, before)
    const share = (...users: string[]) => {
      const body = { ...wholeBody(before), is_public: false, groups: [], users }
      return scene.may('updatePersona', { path, body }, 'unknown-reference')
    }
    // The description does not say what happens if roles are off.
    const isOff = scene.run.answers.get('auth.roles') === 'off'
    const trespass = async () => {
      const body = { name: scene.mark('trespass') }
      await scene.refused(check, 'updatePersona', { path, body }, expected, 'user')
      const isSame = (await scene.must('getPersona', { path })).name === name
      scene.check(check, 'updatePersona', isSame, `the name ${name}`)
    }
    if (!isOff && (await share())) {
      await trespass()
      await scene.refused(check, 'deletePersona', { path }, expected, 'user')
      const isThere = (await scene.may('getPersona', { path }, 'missing')) !== undefined
      scene.check(check, 'deletePersona', isThere, 'the agent still there for its owner')
    }
    if (!(await share(second))) return scene.couldNot('updatePersona', 'the server does not share an agent')
    scene.shows('getPersona', await scene.must('getPersona', { path }), { owner })
    const theirs = await scene.may('getPersona', { path }, 'missing', 'user')
    const shared = `the agent ${path.persona_id}, which is shared with the caller`
    scene.check('ensure_resource_availability', 'getPersona', theirs !== undefined, shared)
    if (theirs) scene.shows('getPersona', theirs, { owner })
    if (!isOff) await trespass()
  }),
  changing("another user's chat sessions", ['listChatSessions', 'searchChats', 'deleteChatSession'], async (scene) => {
    const word = scene.mark('foreign')
    // The name of the search parameter is learned with a session that the first user can find.
    const own = scene.mark('own')
    await newSession(scene, `${own} plan`)
    await searchNames(scene, own)
    const body = { description: `${word} plan` }
    const { chat_session_id: id } = await scene.must('createChatSession', { body }, 'user')
    const path = { session_id: id }
    const none = `no session ${id}: it is another user's`
    const [mine, theirs] = [await sessionsOf(scene, 'admin'), await sessionsOf(scene, 'user')]
    const isIt = among([id])
    scene.check(check, 'listChatSessions', !mine.some(isIt), none)
    const isListed = theirs.some(isIt)
    scene.check('ensure_resource_availability', 'listChatSessions', isListed, `the session ${id}, for its owner`)
    const shared = mine.filter(among(theirs))
    scene.check(check, 'listChatSessions', shared.length === 0, 'no session that both users list', shared.join(', '))
    const found = [...idsOf(await scene.must('searchChats')), ...(await foundBy(scene, word)).map((it) => it.id)]
    scene.check(check, 'searchChats', !found.some(isIt), none)
    await scene.refused(check, 'deleteChatSession', { path }, expected)
    const isKept = !isListed || (await sessionsOf(scene, 'user')).some(isIt)
    scene.check(check, 'deleteChatSession', isKept, `the session ${id} still there for its owner`)
    await scene.must('deleteChatSession', { path }, 'user')
  }),
  changing("another user's credential", credentialOperations, async (scene) => {
    const { id, credential } = await privateCredential(scene)
    const own = { path: { credential_id: id } }
    await scene.refused(check, 'getCredential', own, expected, 'user')
    await scene.refused(check, 'replacePrivateKey', { ...own, body: keyForm(scene, 'trespass') }, expected, 'user')
    const theirs = await theirCredential(scene)
    const { user_id } = theirs?.credential ?? credential
    const isOwn = !theirs || user_id === null || user_id !== credential.user_id
    const another = "another user_id than the first user's"
    scene.check('values_read_back', 'createCredential', isOwn, another, `${user_id}`)
    if (!theirs?.sent.admin_public) return
    const isListed = (await scene.must('listCredentials')).some((it) => it.id === theirs.id)
    const open = `the credential ${theirs.id}, which another user made public`
    scene.check('ensure_resource_availability', 'listCredentials', isListed, open, 'a list without it')
    const path = { credential_id: theirs.id }
    const read = await scene.may('getCredential', { path }, 'missing')
    if (!read || !('user_id' in read)) return
    scene.shows('getCredential', read, { user_id })
    if (!(await scene.may('replacePrivateKey', { path, body: keyForm(scene, 'other') }, 'bad-file'))) return
    const after = await scene.may('getCredential', { path }, 'missing')
    if (!after || !('user_id' in after) || user_id === null) return
    const isCaller = after.user_id === credential.user_id
    if (!isCaller) scene.shows('replacePrivateKey', after, { user_id })
    scene.answer('credential.new-owner', isCaller ? 'caller' : 'unchanged', "E12 of another user's credential")
  }),
  changing('another user changes a project', ['setProjectInstructions', 'createChatSession'], async (scene) => {
    const { path, before, read } = await ownInstructions(scene)
    const mark = scene.mark('trespass')
    await scene.refused(check, 'setProjectInstructions', { path, body: { instructions: mark } }, expected, 'user')
    scene.check(check, 'setProjectInstructions', (await read()) === before, 'the instructions as their owner left them')
    const session = await scene.may(
      'createChatSession',
      { body: { description: mark, ...path } as never },
      'missing',
      'user'
    )
    if (!session) return
    const id = session.chat_session_id
    const { project } = await scene.must('getProjectDetails', { path })
    const isApart = withId(project.chat_sessions, id).length === 0
    scene.check(check, 'createChatSession', isApart, `the project without another user's session ${id}`)
    await scene.ask('deleteChatSession', { path: { session_id: id } }, 'missing', 'user')
  }),
  changing('another user links a file and deletes it', ['linkFile', 'deleteFile'], async (scene) => {
    const file_id = await scene.own('file')
    const before = await scene.must('getFile', { path: { file_id } })
    const [theirs] = await projectsOf(scene, 'user')
    const [own] = scene.rows.own('project')
    for (const project_id of [theirs, own]) {
      if (project_id === undefined) continue
      await scene.refused(check, 'linkFile', { path: { project_id, file_id } }, expected, 'user')
    }
    if (theirs !== undefined) {
      const { files } = await scene.must('getProjectDetails', { path: { project_id: theirs } }, 'user')
      const [file] = files
      if (own !== undefined && file) {
        const path = { project_id: own, file_id: file.id }
        await scene.refused(check, 'linkFile', { path }, "a refusal: the project is another user's", 'user')
      }
      const isThere = withId(files, file_id).length > 0
      scene.check(check, 'linkFile', !isThere, `no file ${file_id} in another user's project`)
    }
    await scene.refused(check, 'deleteFile', { path: { file_id } }, expected, 'user')
    const status = (await scene.may('getFile', { path: { file_id } }, 'missing'))?.status
    const isGone = status === undefined || (status === 'DELETING' && before.status !== 'DELETING')
    scene.check(check, 'deleteFile', !isGone, `the file ${file_id} still there for its owner`)
  })
]

/** The id of the second user, if a project or a credential shows it. */
async function secondUser(scene: Scene): Promise<string | undefined> {
  const [project] = await scene.must('listProjects', {}, 'user')
  const own = project?.user_id ?? poolOf(scene.run).credentials.find(({ as }) => as === 'user')?.credential.user_id
  return own?.toLowerCase()
}

async function projectsOf(scene: Scene, as: Asker): Promise<number[]> {
  return (await scene.must('listProjects', {}, as)).map((project) => project.id)
}

async function sessionsOf(scene: Scene, as: Asker): Promise<string[]> {
  return (await scene.must('listChatSessions', {}, as)).sessions.map(({ id }) => id)
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
  if (reply.status === 403) scene.answer('errors.missing', '403-foreign', `${id} of another user's row`)
}
