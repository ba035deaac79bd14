import type { Persona, ValidateToolReply } from '../../../../apis/knowledge-chat/types.gen.js'
import type { Asker } from '../../calls/client.js'
import { Stopped } from '../../calls/patience.js'
import type { Input } from '../../calls/request.js'
import { idsOf, searchNames, searchQueries } from '../../inputs/names.js'
import type { Id } from '../../kinds.js'
import { isSameId } from '../../rows.js'
import { ownAgent, ownInstructions } from '../own-rows.js'
import { privateCredential } from './effects.js'
import { changing, type Play, reading, type Scene } from './scene.js'

/** E17 to E19. */
export const otherPlays: Play[] = [
  changing('files are uploaded', ['uploadConnectorFiles'], async (scene) => {
    const { body: example } = exampleOf(scene, 'uploadConnectorFiles')
    const { files } = example as { files: { 'x-file': { name: string; type: string; text: string } }[] }
    const long = { name: 'KCM-Verify_Quarterly.Report-2026.txt', type: 'text/plain', text: 'Up.' }
    const body = { files: [...files, { 'x-file': long }] }
    const sent = body.files.map((file) => file['x-file'].name)
    const { file_names, file_paths } = await scene.must('uploadConnectorFiles', { body })
    const isNamed = JSON.stringify([...file_names].sort()) === JSON.stringify([...sent].sort())
    scene.check('values_read_back', 'uploadConnectorFiles', isNamed, `the file_names ${sent.join(', ')}`)
    const isPaired = file_paths.length === file_names.length
    scene.check('values_read_back', 'uploadConnectorFiles', isPaired, 'a path for every name')
    // A server may change such a name, but it reads it as UTF-8 (RFC 7578, 5.1).
    const far = { 'x-file': { name: 'Übersicht 東京.txt', type: 'text/plain', text: 'Up.' } }
    const { reply: added } = await scene.ask('uploadConnectorFiles', { body: { files: [far] } })
    const shown = added.status < 300 ? JSON.stringify((added.body as { file_names: string[] }).file_names) : ''
    const isRead = !shown.includes(Buffer.from(far['x-file'].name).toString('latin1'))
    scene.check('values_read_back', 'uploadConnectorFiles', isRead, `the name ${far['x-file'].name}`)
    scene.unique('uploadConnectorFiles', file_paths)
    const none = await scene.ask('uploadConnectorFiles', { body: { note: 'no file' } })
    const isRefused = none.reply.status >= 400
    scene.check('negative_data_rejection', 'uploadConnectorFiles', isRefused, '422: the form has no file')
    const name = 'same.txt'
    const twice = ['one', 'two'].map((text) => ({ 'x-file': { name, type: 'text/plain', text } }))
    const paths = [...file_paths]
    for (const file of twice) {
      paths.push(...(await scene.must('uploadConnectorFiles', { body: { files: [file] } })).file_paths)
    }
    const both = (await scene.ask('uploadConnectorFiles', { body: { files: twice } })).reply
    // A server may refuse two of one name, or keep one of them, but it does not lose both.
    const told = both.status < 300 ? (both.body as { file_paths: string[] }).file_paths : []
    const isSome = both.status >= 300 || told.length === 2 || told.length === 1
    scene.check('values_read_back', 'uploadConnectorFiles', isSome, `one or two paths of two files ${name}`)
    if (told.length > 0) scene.run.answers.add('upload.same-names', told.length === 1 ? 'once' : 'kept', scene.title)
    scene.unique('uploadConnectorFiles', [...paths, ...told])
    const corrupt = { 'x-file': { name: 'corrupt.zip', type: 'application/zip', text: 'PK no zip' } }
    const { reply } = await scene.ask('uploadConnectorFiles', { body: { files: [corrupt] } }, 'admin', 'corrupt-zip')
    const choice = reply.status < 300 ? 'stored' : reply.status === 422 ? 'expanded' : 'expanded-or-400'
    scene.run.answers.add('upload.zip', choice, 'a corrupt zip')
  }),
  reading("a tool's definition is checked", ['validateTool'], async (scene) => {
    const { methods } = await scene.must('validateTool', exampleOf(scene, 'validateTool'))
    const [method] = methods
    await severalMethods(scene)
    const isOne = methods.length === 1 && method?.path === '/forecast' && method.method.toLowerCase() === 'get'
    scene.check('values_read_back', 'validateTool', isOne, 'one method, get /forecast')
    // The description does not say what a definition must have.
    const exchange = await scene.ask('validateTool', { body: { definition: {} } }, 'admin', 'bad-definition')
    const { status, body } = exchange.reply
    scene.run.answers.add('tool.definition', status < 300 ? 'any' : String(status), 'an empty definition')
    const none = status >= 300 || (body as ValidateToolReply).methods.length === 0
    scene.check('values_read_back', 'validateTool', none, 'no method: the definition has none')
  }),
  reading('the content of web pages', ['openUrls'], async (scene) => {
    const input = exampleOf(scene, 'openUrls')
    const { urls } = input.body as { urls: string[] }
    const { results } = await scene.must('openUrls', input)
    scene.check('filter_respected', 'openUrls', results.length <= urls.length, `at most ${urls.length} pages`)
    const { content } = results[0] ?? {}
    if (content !== undefined) scene.run.answers.add('web.content', content === '' ? 'blank' : 'generated', scene.title)
  })
]

/** Every method of every path must be listed, with its description. */
async function severalMethods(scene: Scene): Promise<void> {
  const operation = (operationId: string) => ({ operationId, summary: `Does ${operationId}` })
  const paths = {
    '/items': { get: operation('listItems'), post: operation('makeItem') },
    '/orders': { delete: operation('dropOrder') }
  }
  const servers = [{ url: 'https://tools.example.com' }]
  const definition = { openapi: '3.0.0', info: { title: 'Items', version: '1', description: 'Items.' }, servers, paths }
  const { reply } = await scene.ask('validateTool', { body: { definition } }, 'admin', 'bad-definition')
  if (reply.status >= 300)
    return scene.run.results.couldNot('validateTool', 'several methods', 'the server refuses them')
  const { methods } = reply.body as ValidateToolReply
  for (const { name, spec } of methods) {
    const others = methods.filter((it) => it.name !== name && JSON.stringify(spec).includes(it.name))
    const isOwn = others.length === 0 || JSON.stringify(spec).includes(name)
    scene.check('values_read_back', 'validateTool', isOwn, `the spec of ${name}`, `that of ${others[0]?.name}`)
  }
  const told = methods.map(({ path, method, name, summary }) => [method.toLowerCase(), path, name, summary].join(' '))
  const wanted = Object.entries(paths).flatMap(([path, row]) =>
    Object.entries(row).map(([method, it]) => [method, path, it.operationId, it.summary].join(' '))
  )
  const isWhole = JSON.stringify(told.sort()) === JSON.stringify(wanted.sort())
  scene.check('values_read_back', 'validateTool', isWhole, `the methods ${wanted.join(', ')}`, told.join(', '))
}

function exampleOf(scene: Scene, id: string): Input {
  const [example] = Object.values(scene.run.operation(id).examples)
  if (!example) throw new Stopped('the contract has no example')
  return example
}

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
