import type { JsonObject } from '../../../engine/contract/load.js'
import type { Id } from '../../../tools/verify/api.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import type { Input } from '../../../tools/verify/calls/request.js'
import type { Operations } from '../types.gen.js'
import { link } from './effects.js'
import { definitionOf } from './others.js'
import { keepAgent, ownAgent } from './personas.js'
import { twoCredentials } from './pool.js'
import { among, changing, ownInstructions, type Play, reading, type Scene } from './scene.js'

const six = [0, 1, 2, 3, 4, 5]

/** Each rule under six concurrent requests: none fails, each gets its own answer, and all changes are kept. */
export const racePlays: Play[] = [
  changing(
    'chat sessions are created and deleted by six requests at the same time',
    ['createChatSession', 'listChatSessions', 'deleteChatSession'],
    async (scene) => {
      const inputs = six.map(() => ({ body: { description: scene.mark('race') } }))
      const ids = (await replies(scene, 'createChatSession', inputs)).map((body) => body.chat_session_id)
      scene.unique('createChatSession', ids)
      const left = async () => {
        const { sessions } = await scene.must('listChatSessions')
        return ids.filter(among(sessions.map(({ id }) => id)))
      }
      const kept = await left()
      const lost = ids.filter((id) => !kept.includes(id))
      const all = `the ${ids.length} sessions that were created at the same time`
      scene.check('ensure_resource_availability', 'createChatSession', lost.length === 0, all, `not ${lost.join(', ')}`)
      const paths = kept.map((session_id) => ({ path: { session_id } }))
      const gone = await scene.atOnce(kept.length, (n) => ['deleteChatSession', paths[n], 'missing'])
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
    const text = scene.mark('race')
    const changes: JsonObject[] = [
      { name: text },
      { description: text },
      { system_prompt: text },
      { task_prompt: text },
      { num_chunks: (before.num_chunks ?? 0) + 1 },
      { datetime_aware: !before.datetime_aware }
    ]
    const exchanges = await scene.atOnce(changes.length, (n) => ['updatePersona', { path, body: changes[n] }])
    const isTaken = (n: number) => (exchanges[n]?.reply.status ?? 500) < 300
    const taken: JsonObject = Object.assign({}, ...changes.filter((_, n) => isTaken(n)))
    const read = (await scene.must('getPersona', { path })) as unknown as JsonObject
    const lost = Object.keys(taken).filter((name) => read[name] !== taken[name])
    const expected = `every change of ${Object.keys(taken).join(', ')}, at the same time`
    scene.check('values_read_back', 'updatePersona', lost.length === 0, expected, `not ${lost.join(', ')}`)
  }),
  changing(
    'two credentials are associated with one connector at the same time, and dissociated',
    ['linkCredential', 'unlinkCredential', 'getConnector'],
    async (scene) => {
      const connector_id = await scene.own('connector')
      const ids = await twoCredentials(scene, connector_id)
      const left = async () => {
        const connector = await scene.must('getConnector', { path: { connector_id } })
        const all = 'credential_ids' in connector ? connector.credential_ids : []
        return ids.map((id) => all.filter((it) => it === id).length)
      }
      const paths = ids.map((credential_id) => ({ connector_id, credential_id }))
      for (const path of paths)
        scene.undo.push(async () => void (await scene.ask('unlinkCredential', { path }, 'missing')))
      const body = () => ({ name: scene.mark('race') })
      const made = await scene.atOnce(2, (n) => ['linkCredential', { path: paths[n], body: body() }, 'missing'])
      if (made.some(({ reply }) => reply.status >= 300))
        throw new Stopped('the server refuses one of two at the same time')
      const linked = await left()
      const expected = `the credentials ${ids.join(' and ')}, each once`
      const got = `${linked.join(' and ')} times`
      scene.check(
        'ensure_resource_availability',
        'linkCredential',
        linked.every((it) => it === 1),
        expected,
        got
      )
      const ended = await scene.atOnce(2, (n) => ['unlinkCredential', { path: paths[n] }, 'not-associated'])
      scene.undo.splice(0)
      if (ended.some(({ reply }) => reply.status >= 300)) return
      const none = (await left()).every((it) => it === 0)
      scene.check('use_after_free', 'unlinkCredential', none, `a connector without ${ids.join(' and ')}`)
    }
  ),
  changing('an association is ended by six requests at the same time', ['unlinkCredential'], async (scene) => {
    const connector_id = await scene.own('connector')
    const [credential_id] = await twoCredentials(scene, connector_id)
    await link(scene, connector_id, credential_id)
    const path = { connector_id, credential_id }
    const exchanges = await scene.atOnce(six.length, () => ['unlinkCredential', { path }, 'not-associated'])
    const isMade = exchanges.some(({ reply }) => reply.status < 300)
    scene.check('use_after_free', 'unlinkCredential', isMade, 'at least one of six that is a success')
    const connector = await scene.must('getConnector', { path: { connector_id } })
    const isGone = !('credential_ids' in connector && connector.credential_ids.includes(credential_id))
    scene.check('use_after_free', 'unlinkCredential', isGone, 'a connector without the credential')
  }),
  changing('instructions are written by six requests at the same time', ['setProjectInstructions'], async (scene) => {
    const { path, read } = await ownInstructions(scene)
    const texts = six.map(() => scene.mark('race'))
    const inputs = texts.map((instructions) => ({ path, body: { instructions } }))
    for (const [n, { instructions }] of (await replies(scene, 'setProjectInstructions', inputs)).entries()) {
      const expected = `the instructions ${texts[n]}, which the request has`
      scene.check('instructions_read_back', 'setProjectInstructions', instructions === texts[n], expected, instructions)
    }
    const isOne = texts.includes(await read())
    scene.check('instructions_read_back', 'setProjectInstructions', isOne, 'the instructions of one of six requests')
  }),
  changing('two projects get instructions at the same time', ['setProjectInstructions'], async (scene) => {
    const paths = scene.rows
      .own('project')
      .slice(0, 2)
      .map((project_id) => ({ project_id }))
    if (paths.length < 2) throw new Stopped('one project is known that may be changed: give two')
    const read = async (path: { project_id: Id }) =>
      (await scene.must('getProjectDetails', { path })).project.instructions ?? ''
    for (const path of paths) {
      const before = await read(path)
      scene.undo.push(
        async () => void (await scene.ask('setProjectInstructions', { path, body: { instructions: before } }))
      )
    }
    const texts = paths.map(() => scene.mark('race'))
    await scene.atOnce(2, (n) => [
      'setProjectInstructions',
      { path: paths[n], body: { instructions: texts[n] as string } }
    ])
    for (const [n, path] of paths.entries()) {
      const text = await read(path)
      const expected = `the instructions ${texts[n]} of project ${path.project_id}`
      scene.check('instructions_read_back', 'setProjectInstructions', text === texts[n], expected, text)
    }
  }),
  reading('web pages are opened by four requests at the same time', ['openUrls'], (scene) =>
    alike(scene, 'openUrls', (n) => ({ urls: [`https://example.com/kcm-race-${n}`] }))
  ),
  reading('definitions are checked by four requests at the same time', ['validateTool'], (scene) =>
    alike(scene, 'validateTool', (n) => {
      const paths = { [`/race-${n}`]: { get: { operationId: `race${n}`, summary: `Does race ${n}` } } }
      return { definition: definitionOf('Race', paths) as JsonObject }
    })
  ),
  reading('two users ask at the same time', ['getUserRole', 'listProjects'], async (scene) => {
    if (scene.run.settings.userToken === undefined) return
    const roles = [await scene.must('getUserRole'), await scene.must('getUserRole', {}, 'user')].map(({ role }) => role)
    const asked = await scene.atOnce(six.length, (n) => ['getUserRole', {}, undefined, n % 2 === 0 ? 'admin' : 'user'])
    const got = asked.map(({ reply }) => (reply.body as Operations['getUserRole']['reply']).role)
    const areOwn = got.every((role, n) => role === roles[n % 2])
    const expected = `each user's own role: ${roles.join(', ')} in turn`
    scene.check('other_users_rows_hidden', 'getUserRole', areOwn, expected, got.join(', '))
    const idsOf = (projects: Operations['listProjects']['reply']) =>
      projects
        .map(({ id }) => id)
        .sort()
        .join(', ')
    const alone = [idsOf(await scene.must('listProjects')), idsOf(await scene.must('listProjects', {}, 'user'))]
    const lists = await scene.atOnce(six.length, (n) => ['listProjects', {}, undefined, n % 2 === 0 ? 'admin' : 'user'])
    const foreign = lists.find(
      ({ reply }, n) => idsOf(reply.body as Operations['listProjects']['reply']) !== alone[n % 2]
    )
    const own = `each user's own projects: ${alone.join(' and ')} in turn`
    scene.check('other_users_rows_hidden', 'listProjects', foreign === undefined, own)
  })
]

/** The replies to requests at the same time. The scene stops if one of them is refused. */
async function replies<Id extends keyof Operations & string>(
  scene: Scene,
  id: Id,
  inputs: Input[]
): Promise<Operations[Id]['reply'][]> {
  const exchanges = await scene.atOnce(inputs.length, (n) => [id, inputs[n]])
  const refused = exchanges.find(({ reply }) => reply.status >= 300)
  if (refused) throw new Stopped(`the server refuses one of six requests at the same time (${refused.reply.status})`)
  return exchanges.map(({ reply }) => reply.body as Operations[Id]['reply'])
}

/** Each request must get the same reply as when sent alone, if that reply is constant. */
async function alike(scene: Scene, id: string, bodyOf: (n: number) => JsonObject): Promise<void> {
  const inputs = six.slice(2).map((n) => ({ body: bodyOf(n) }))
  const alone: string[] = []
  for (const input of inputs) alone.push((await scene.ask(id, input)).reply.text)
  const again = (await scene.ask(id, inputs[0])).reply.text
  if (again !== alone[0] || new Set(alone).size < inputs.length) {
    throw new Stopped('the server answers one request in several ways, or several in one')
  }
  const exchanges = await scene.atOnce(inputs.length, (n) => [id, inputs[n]])
  const wrong = exchanges.find(({ reply }, n) => reply.status < 300 && reply.text !== alone[n])
  const expected = 'the answer that the request gets on its own'
  scene.check('values_read_back', id, wrong === undefined, expected, wrong?.reply.text)
}
