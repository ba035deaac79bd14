import { isObject } from '../../../engine/contract/load.js'
import { unknownNumber } from '../../../tools/verify/api.js'
import type { Exchange } from '../../../tools/verify/calls/client.js'
import type { ChatSessionSummary, CreateChatSessionReply, ListChatSessionsReply } from '../types.gen.js'
import { changing, newSession, type Play, reading, type Scene, withId } from './scene.js'
import { foundBy, searchNames } from './search.js'

const lifecycle = ['createChatSession', 'listChatSessions', 'searchChats', 'deleteChatSession']

const inProject = ['createChatSession', 'listChatSessions', 'getProjectDetails', 'listProjects', 'deleteChatSession']

/** E1 to E4: a created session is found, a deleted one is gone. */
export const chatPlays: Play[] = [
  changing('a chat session is created, found and deleted', lifecycle, async (scene) => {
    const mark = scene.mark('session')
    const name = `${mark} plan &<>"' 👩‍🚀 MiXeD`
    const id = await newSession(scene, name)
    const [session] = await listed(scene, id)
    // The description does not say how sessions are named. The name may differ, or be the start of the description.
    const isNamed = session === undefined || (session.name ?? '').startsWith(mark)
    if (!isNamed) scene.answer('chat.name', 'own')
    scene.check('ensure_resource_availability', 'listChatSessions', session !== undefined, `the session ${id}`)
    if (session) {
      scene.isNew('listChatSessions', session.time_created)
      const start = (session.name ?? '').replace(/(…|\.\.\.)$/, '').trimEnd()
      const [isStart, expected] = [!isNamed || name.startsWith(start), `the name ${name}, or its start`]
      scene.check('values_read_back', 'listChatSessions', isStart, expected, `${session.name}`)
      scene.answer('chat.default-persona', (session.persona_id ?? null) === null ? 'none' : 'built-in')
    }
    const { query, silent } = await searchNames(scene, mark)
    if (query === undefined && silent !== undefined && session?.name === name) {
      const expected = `the session ${id}, named ${name}, by ${silent}=${mark}`
      scene.check('ensure_resource_availability', 'searchChats', false, expected, 'nothing')
    }
    const hitsFor = async (word: string) => withId(await foundBy(scene, word), id)
    if (isNamed) {
      const shown = session?.name ?? name
      const isFound = await scene.soon(async () => (await hitsFor(mark)).some((it) => it.name === shown))
      scene.check('ensure_resource_availability', 'searchChats', isFound, `the session ${id}, named ${shown}`)
    }
    if (isNamed && query !== undefined) {
      const inside = mark.slice(2, -2)
      const match = (await hitsFor(inside)).length > 0 ? 'substring' : 'stems'
      scene.answer('chat.search-match', match, `a search for "${inside}"`)
      const isFound = match === 'substring' && (await hitsFor(`${mark}é`)).length > 0
      scene.check('filter_respected', 'searchChats', !isFound, `no session ${id}: its name has no ${mark}é`)
    }
    // One change may have another cause.
    const times = [session, ...(await listed(scene, id)), ...(await listed(scene, id))].map((it) => it?.time_updated)
    const isSteady = new Set(times).size < 3
    scene.check('others_untouched', 'listChatSessions', isSteady, 'the same time_updated again', times.join(', '))
    await scene.must('deleteChatSession', { path: { session_id: id } })
    deletionBody(scene)
    const expected = `no session ${id}`
    scene.check('use_after_free', 'listChatSessions', (await listed(scene, id)).length === 0, expected)
    const isGone = await scene.soon(async () => (await hitsFor(mark)).length === 0)
    scene.check('use_after_free', 'searchChats', isGone, expected)
    await scene.refused('use_after_free', 'deleteChatSession', { path: { session_id: id } }, 'a refusal: it is deleted')
  }),
  changing('a chat session in a project', inProject, async (scene) => {
    const project_id = await scene.own('project')
    const id = await newSession(scene, scene.mark('project'), { project_id })
    const times = async () => {
      const { project } = await scene.must('getProjectDetails', { path: { project_id } })
      return withId(project.chat_sessions, id).length
    }
    scene.check('ensure_resource_availability', 'getProjectDetails', (await times()) === 1, `the session ${id}, once`)
    const loose = await newSession(scene, scene.mark('loose'))
    const nameless = (await scene.must('createChatSession', { body: {} })).chat_session_id
    const isListed = (await listed(scene, nameless)).length > 0
    const whole = `the session ${nameless}, which has no description`
    scene.check('ensure_resource_availability', 'listChatSessions', isListed, whole)
    for (const { id: at, chat_sessions } of await scene.must('listProjects')) {
      const isRight = withId(chat_sessions, id).length > 0 === (at === project_id)
      const what = at === project_id ? `the session ${id}` : `no session ${id}: it is in project ${project_id}`
      scene.check('ensure_resource_availability', 'listProjects', isRight, `project ${at} with ${what}`)
      const none = `project ${at} without the session ${loose}, which is in no project`
      scene.check('filter_respected', 'listProjects', withId(chat_sessions, loose).length === 0, none)
    }
    // A list may leave out sessions of projects, and the description does not say how to include them.
    await listed(scene, id, { project_id })
    // A server that knows this flag refuses a bad value.
    const flag = 'only_non_project_chats'
    const { status } = (await scene.run.exactly('listChatSessions', { query: { [flag]: 'kcm' } })).reply
    for (const only of status === 422 ? [true, false] : []) {
      const reply = await scene.may('listChatSessions', { query: { [flag]: only } })
      const isRight = !reply || withId(reply.sessions, id).length > 0 !== only
      const text = `${only ? 'no' : 'the'} session ${id} with ${flag}=${only}: it is in a project`
      scene.check('filter_respected', 'listChatSessions', isRight, text)
    }
    await scene.must('deleteChatSession', { path: { session_id: id } })
    scene.check('use_after_free', 'getProjectDetails', (await times()) === 0, `no session ${id}`)
    const row = (await scene.must('listProjects')).find((it) => withId(it.chat_sessions, id).length > 0)
    scene.check('use_after_free', 'listProjects', !row, `no session ${id}`, `it, in project ${row?.id}`)
  }),
  changing('an incognito session', ['createChatSession', 'listChatSessions'], async (scene) => {
    const body = { description: scene.mark('incognito'), incognito: true }
    const reply = await scene.may('createChatSession', { body }, 'incognito-off')
    scene.answer('chat.incognito', reply ? 'accepted' : 'refused')
    if (!reply) return
    // The description does not say what incognito means.
    const isListed = (await listed(scene, reply.chat_session_id)).length > 0
    scene.answer('chat.incognito-listed', isListed ? 'listed' : 'hidden')
  }),
  changing('a chat session with an agent that does not exist', ['createChatSession'], async (scene) => {
    const body = { description: scene.mark('nobody'), persona_id: unknownNumber }
    const { status, body: reply } = (await scene.ask('createChatSession', { body }, 'missing')).reply
    const choice = { 404: '404', 400: '400-and-403' }[status]
    if (choice) scene.answer('chat.persona-check', choice)
    if (status >= 300) return
    // The server may use another agent instead, or keep the number: the description forbids neither.
    const [session] = await listed(scene, (reply as CreateChatSessionReply).chat_session_id)
    if (session?.persona_id === unknownNumber) return
    scene.answer('chat.persona-check', 'replaced')
  }),
  changing('chat sessions with one agent and another', ['createChatSession', 'listChatSessions'], async (scene) => {
    for (const persona_id of scene.rows.readable('persona').slice(0, 3)) {
      const body = { description: scene.mark('agent'), persona_id }
      const reply = await scene.may('createChatSession', { body }, 'unknown-persona')
      if (!reply) continue
      const { sessions } = await scene.must('listChatSessions')
      const [session] = withId(sessions, reply.chat_session_id)
      const isRead = !session || session.persona_id === persona_id
      scene.check('values_read_back', 'createChatSession', isRead, `the persona_id ${persona_id}`)
    }
  }),
  reading('chat sessions are listed once', ['listChatSessions', 'searchChats'], async (scene) => {
    await scene.must('listChatSessions')
    const isPaged = scene.run.hints
      ?.query(scene.run.operation('listChatSessions'))
      .some(({ name }) => name === 'before')
    const { status, body } = (await scene.ask('listChatSessions', { query: { page_size: 2 } })).reply
    if (!isPaged || status !== 200) return
    const limited = (body as ListChatSessionsReply).sessions
    // The description promises no order, so use the older one of the two.
    const [last] = [...limited].sort((a, b) => Date.parse(a.time_updated) - Date.parse(b.time_updated))
    if (limited.length !== 2 || !last) return
    const next = (await scene.must('listChatSessions', { query: { before: last.time_updated } })).sessions
    const isNext = next.every(({ id }) => !limited.some((session) => session.id === id))
    scene.check('paging_consistent', 'listChatSessions', isNext, `no session of the page before ${last.time_updated}`)
  })
]

/** The server chooses the body of a deletion. */
function deletionBody(scene: Scene): void {
  const { status, body } = (scene.last as Exchange).reply
  const isEmpty = isObject(body) && Object.keys(body).length === 0
  const object = isObject(body) && 'success' in body ? 'status-response' : isEmpty ? 'empty-object' : undefined
  const kind = status === 204 ? '204' : body === null ? 'null' : object
  if (kind) scene.answer('delete.body', kind)
}

async function listed(scene: Scene, id: string, query = {}): Promise<ChatSessionSummary[]> {
  const { sessions } = await scene.must('listChatSessions', { query })
  return withId(sessions, id)
}
