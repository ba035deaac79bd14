import type { ConnectorSnapshot, Operations } from '../../../../apis/knowledge-chat/types.gen.js'
import type { JsonObject } from '../../../../engine/contract/load.js'
import { Stopped } from '../../calls/patience.js'
import { isSameId } from '../../rows.js'
import { keepAgent, ownAgent, ownInstructions } from '../own-rows.js'
import { credentialBody, link, newCredential } from './effects.js'
import { changing, type Play, reading, type Scene } from './scene.js'

const six = 6
const count = (scene: Scene, what: string) => Array.from({ length: six }, () => scene.run.mark(what))

/** Each rule under six concurrent requests: none fails, each gets its own answer, and all changes are kept. */
export const racePlays: Play[] = [
  changing(
    'chat sessions are made and deleted by six requests at the same time',
    ['createChatSession', 'listChatSessions', 'deleteChatSession'],
    async (scene) => {
      const names = count(scene, 'race')
      const made = await scene.atOnce(six, (n) => ['createChatSession', { body: { description: names[n] as string } }])
      const ids = bodies<'createChatSession'>(made).map((body) => body.chat_session_id)
      scene.unique('createChatSession', ids)
      const left = async () => {
        const { sessions } = await scene.must('listChatSessions')
        return ids.filter((id) => sessions.some((session) => isSameId(session.id, id)))
      }
      const kept = await left()
      const lost = ids.filter((id) => !kept.includes(id))
      const all = `the ${six} sessions that were made at the same time`
      scene.check('ensure_resource_availability', 'createChatSession', lost.length === 0, all, `not ${lost.join(', ')}`)
      const gone = await scene.atOnce(kept.length, (n) => [
        'deleteChatSession',
        { path: { session_id: kept[n] as string } },
        'admin',
        'missing'
      ])
      if (gone.some(({ reply }) => reply.status >= 300)) return
      const still = await left()
      const none = 'none of the sessions that were deleted at the same time'
      scene.check('use_after_free', 'deleteChatSession', still.length === 0, none, still.join(', '))
    }
  ),
  changing('several fields of an agent are changed at the same time', ['updatePersona'], async (scene) => {
    const { path, before } = await ownAgent(scene)
    const isWhole = scene.run.needs.any('updatePersona') || scene.run.answers.get('persona.patch') !== 'partial'
    if (before.builtin_persona || isWhole) throw new Stopped('a change is of the whole agent')
    keepAgent(scene, path, before)
    const text = scene.run.mark('race')
    const changes: JsonObject[] = [
      { name: text },
      { description: text },
      { system_prompt: text },
      { task_prompt: text },
      { num_chunks: (before.num_chunks ?? 0) + 1 },
      { datetime_aware: !before.datetime_aware }
    ]
    const told = await scene.atOnce(changes.length, (n) => ['updatePersona', { path, body: changes[n] as JsonObject }])
    const taken: JsonObject = Object.assign({}, ...changes.filter((_, n) => (told[n]?.reply.status ?? 500) < 300))
    const read = (await scene.must('getPersona', { path })) as unknown as JsonObject
    const lost = Object.keys(taken).filter((name) => read[name] !== taken[name])
    const expected = `every change of ${Object.keys(taken).join(', ')}, which were made at the same time`
    scene.check('values_read_back', 'updatePersona', lost.length === 0, expected, `not ${lost.join(', ')}`)
  }),
  changing('credentials are made by six requests at the same time', ['createCredential'], async (scene) => {
    const sent = Array.from({ length: six }, () => credentialBody(scene.run, 'effect'))
    const told = await scene.atOnce(six, (n) => ['createCredential', { body: sent[n] as never }])
    const made = bodies<'createCredential'>(told)
    scene.unique('createCredential', made)
    for (const [n, { id }] of made.entries()) {
      const read = await scene.must('getCredential', { path: { credential_id: id } })
      const isOwn = 'name' in read && read.name === sent[n]?.name
      scene.check('values_read_back', 'createCredential', isOwn, `the name ${sent[n]?.name} of the credential ${id}`)
    }
  }),
  changing('an association is ended by six requests at the same time', ['unlinkCredential'], async (scene) => {
    const connector_id = await scene.own('connector')
    const credential_id = await newCredential(scene, connector_id)
    await link(scene, connector_id, credential_id)
    const path = { connector_id, credential_id }
    const told = await scene.atOnce(six, () => ['unlinkCredential', { path }, 'admin', 'not-associated'])
    const isMade = told.some(({ reply }) => reply.status < 300)
    scene.check('use_after_free', 'unlinkCredential', isMade, 'at least one of six that is a success')
    const { credential_ids } = (await scene.must('getConnector', { path: { connector_id } })) as ConnectorSnapshot
    const isGone = !credential_ids.includes(credential_id)
    scene.check('use_after_free', 'unlinkCredential', isGone, 'a connector without the credential')
  }),
  changing('files are uploaded by six requests at the same time', ['uploadConnectorFiles'], async (scene) => {
    const texts = count(scene, 'race')
    const fileOf = (text: string) => ({ 'x-file': { name: 'race.txt', type: 'text/plain', text } })
    const told = await scene.atOnce(six, (n) => [
      'uploadConnectorFiles',
      { body: { files: [fileOf(texts[n] as string)] } }
    ])
    const paths = bodies<'uploadConnectorFiles'>(told).flatMap(({ file_paths }) => file_paths)
    scene.unique('uploadConnectorFiles', paths)
  }),
  changing('instructions are written by six requests at the same time', ['setProjectInstructions'], async (scene) => {
    const { path, read } = await ownInstructions(scene)
    const texts = count(scene, 'race')
    const told = await scene.atOnce(six, (n) => [
      'setProjectInstructions',
      { path, body: { instructions: texts[n] as string } }
    ])
    for (const [n, { instructions }] of bodies<'setProjectInstructions'>(told).entries()) {
      const expected = `the instructions ${texts[n]}, which the request has`
      scene.check('instructions_read_back', 'setProjectInstructions', instructions === texts[n], expected, instructions)
    }
    const isOne = texts.includes(await read())
    scene.check('instructions_read_back', 'setProjectInstructions', isOne, 'the instructions of one of six requests')
  }),
  reading('web pages are opened by six requests at the same time', ['openUrls'], (scene) =>
    alike(scene, 'openUrls', (n) => ({ urls: [`https://example.com/kcm-race-${n}`] }))
  ),
  reading('definitions are checked by six requests at the same time', ['validateTool'], (scene) => {
    const openapi = { openapi: '3.0.0', info: { title: 'Race', version: '1', description: 'A race.' } }
    const definition = { ...openapi, servers: [{ url: 'https://tools.example.com' }] }
    const paths = (n: number) => ({ [`/race-${n}`]: { get: { operationId: `race${n}`, summary: `Does race ${n}` } } })
    return alike(scene, 'validateTool', (n) => ({ definition: { ...definition, paths: paths(n) } }))
  }),
  reading('two users ask at the same time', ['getUserRole'], async (scene) => {
    if (scene.run.settings.userToken === undefined) return
    const roles = [await scene.must('getUserRole'), await scene.must('getUserRole', {}, 'user')].map(({ role }) => role)
    const told = await scene.atOnce(six, (n) => ['getUserRole', {}, n % 2 === 0 ? 'admin' : 'user'])
    const got = bodies<'getUserRole'>(told).map(({ role }) => role)
    const expected = `each user's own role: ${roles.join(', ')} in turn`
    const areOwn = got.every((role, n) => role === roles[n % 2])
    scene.check('other_users_rows_hidden', 'getUserRole', areOwn, expected, got.join(', '))
  })
]

/** The replies of the requests. The scene stops if one of them was refused. */
function bodies<Id extends keyof Operations>(told: Awaited<ReturnType<Scene['atOnce']>>): Operations[Id]['reply'][] {
  const refused = told.find(({ reply }) => reply.status >= 300)
  if (refused) throw new Stopped(`the server refuses one of six requests at the same time (${refused.reply.status})`)
  return told.map(({ reply }) => reply.body as Operations[Id]['reply'])
}

/** Each request must get the same reply as when sent alone, if that reply is constant. */
async function alike(scene: Scene, id: string, bodyOf: (n: number) => JsonObject): Promise<void> {
  const sent = Array.from({ length: six }, (_, n) => bodyOf(n))
  const alone: string[] = []
  for (const body of sent) alone.push((await scene.ask(id, { body })).reply.text)
  const again = (await scene.ask(id, { body: sent[0] as JsonObject })).reply.text
  if (again !== alone[0] || new Set(alone).size < sent.length) {
    throw new Stopped('the server answers one request in several ways, or several in one')
  }
  const told = await scene.atOnce(sent.length, (n) => [id, { body: sent[n] as JsonObject }])
  const wrong = told.find(({ reply }, n) => reply.status < 300 && reply.text !== alone[n])
  const expected = 'what the request is answered when it comes alone'
  scene.check('values_read_back', id, wrong === undefined, expected, wrong?.reply.text)
}
