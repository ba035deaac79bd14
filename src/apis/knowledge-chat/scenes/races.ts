import type { JsonObject } from '../../../engine/contract/load.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import type { Input } from '../../../tools/verify/calls/request.js'
import type { Operations } from '../types.gen.js'
import { definitionOf } from './others.js'
import { keepAgent, ownAgent } from './personas.js'
import { among, changing, ownInstructions, type Play, reading, type Scene } from './scene.js'

const six = [0, 1, 2, 3, 4, 5]

const chatting = ['createChatSession', 'listChatSessions', 'deleteChatSession']

/** Each rule under six concurrent requests: none fails, each gets its own answer, and all changes are kept. */
export const racePlays: Play[] = [
  changing('chat sessions are created and deleted by six requests at the same time', chatting, async (scene) => {
    // Names are not keys.
    const body = { description: scene.mark('race') }
    const inputs = six.map(() => ({ body }))
    const ids = (await replies(scene, 'createChatSession', inputs)).map((body) => body.chat_session_id)
    scene.unique('createChatSession', ids)
    const listedIds = async () => {
      const { sessions } = await scene.must('listChatSessions')
      return ids.filter(among(sessions.map(({ id }) => id)))
    }
    const survivors = await listedIds()
    const lost = ids.filter((id) => !survivors.includes(id))
    const all = `the ${ids.length} sessions that were created at the same time`
    scene.check('ensure_resource_availability', 'createChatSession', lost.length === 0, all, `not ${lost.join(', ')}`)
    const paths = survivors.map((session_id) => ({ path: { session_id } }))
    const deletions = await scene.atOnce(survivors.length, (n) => ['deleteChatSession', paths[n], 'missing'])
    if (deletions.some(({ reply }) => reply.status >= 300)) return
    const still = await listedIds()
    const none = 'none of the sessions that were deleted at the same time'
    scene.check('use_after_free', 'deleteChatSession', still.length === 0, none, still.join(', '))
  }),
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
    const result: JsonObject = Object.assign({}, ...changes.filter((_, n) => isTaken(n)))
    const read = (await scene.must('getPersona', { path })) as unknown as JsonObject
    const lost = Object.keys(result).filter((name) => read[name] !== result[name])
    const expected = `every change of ${Object.keys(result).join(', ')}, at the same time`
    scene.check('values_read_back', 'updatePersona', lost.length === 0, expected, `not ${lost.join(', ')}`)
  }),
  changing('instructions of two projects are written at the same time', ['setProjectInstructions'], async (scene) => {
    const all = [await ownInstructions(scene)]
    const others = scene.rows.own('project').filter((id) => scene.rows.readable('project').includes(id))
    const other = others.find((id) => id !== all[0]?.path.project_id)
    if (other !== undefined) all.push(await ownInstructions(scene, other))
    const writes = six.map((n) => ({ project: all[n % all.length] as (typeof all)[0], text: scene.mark('race') }))
    const inputs = writes.map(({ project, text }) => ({ path: project.path, body: { instructions: text } }))
    for (const [n, { instructions }] of (await replies(scene, 'setProjectInstructions', inputs)).entries()) {
      const expected = `the instructions ${writes[n]?.text}, which the request has`
      const isOwn = instructions === writes[n]?.text
      scene.check('instructions_read_back', 'setProjectInstructions', isOwn, expected, instructions)
    }
    for (const { path, read } of all) {
      const text = await read()
      const isOne = writes.some((it) => it.text === text && it.project.path === path)
      const expected = `the instructions of one of the requests for project ${path.project_id}`
      scene.check('instructions_read_back', 'setProjectInstructions', isOne, expected, text)
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
    for (const id of ['getUserRole', 'listProjects'] as const) {
      const shown = (body: unknown) => (Array.isArray(body) ? body.map((row) => row.id).sort() : (body as Role).role)
      const alone = [await scene.must(id), await scene.must(id, {}, 'user')].map((body) => `${shown(body)}`)
      const exchanges = await scene.atOnce(six.length, (n) => [id, {}, undefined, n % 2 === 0 ? 'admin' : 'user'])
      const got = exchanges.map(({ reply }) => `${shown(reply.body)}`)
      const areOwn = got.every((it, n) => it === alone[n % 2])
      const expected = `each user's own in turn: ${alone.join(' and ')}`
      scene.check('other_users_rows_hidden', id, areOwn, expected, got.join(' and '))
    }
  })
]

type Role = Operations['getUserRole']['reply']

/** The replies to requests at the same time. The scene stops if one of them is refused. */
async function replies<Id extends keyof Operations & string>(scene: Scene, id: Id, inputs: Input[]) {
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
