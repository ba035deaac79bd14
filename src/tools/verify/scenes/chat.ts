import type {
  ChatSessionSummary,
  CreateChatSessionReply,
  ListChatSessionsReply
} from '../../../apis/knowledge-chat/types.gen.js'
import { isObject } from '../../../engine/contract/load.js'
import type { Asker, Exchange } from '../calls/client.js'
import { searchNames, searchQueries } from '../inputs/names.js'
import { unknownNumber } from '../kinds.js'
import { isSameId } from '../rows.js'
import { changing, type Play, reading, type Scene } from './any/scene.js'

/** E1 to E4: a created session is found, a deleted one is gone. */
export const chatPlays: Play[] = [
  changing(
    'a chat session from its making to its end',
    ['createChatSession', 'listChatSessions', 'searchChats', 'deleteChatSession'],
    async (scene) => {
      const mark = scene.run.mark('session')
      const name = `${mark} plan`
      const { chat_session_id: id } = await scene.must('createChatSession', { body: { description: name } })
      const [session] = await listed(scene, id)
      // The description does not say how sessions are named. The name may differ, or be the start of the description.
      const isNamed = session === undefined || (session.name ?? '').startsWith(mark)
      if (!isNamed) scene.run.answers.add('chat.name', 'own', scene.title)
      scene.check('ensure_resource_availability', 'listChatSessions', session !== undefined, `the session ${id}`)
      if (session) {
        const persona = (session.persona_id ?? null) === null ? 'none' : 'built-in'
        scene.run.answers.add('chat.default-persona', persona, scene.title)
      }
      const { query, silent } = await searchNames(scene, mark)
      if (query === undefined && silent !== undefined && session?.name === name) {
        const expected = `the session ${id}, named ${name}, by ${silent}=${mark}`
        scene.check('ensure_resource_availability', 'searchChats', false, expected, 'nothing')
      }
      const shown = session?.name ?? name
      const isFound = async () => (await found(scene, mark)).some((it) => isSameId(it.id, id) && it.name === shown)
      if (isNamed) {
        const isThere = await scene.soon(isFound)
        scene.check('ensure_resource_availability', 'searchChats', isThere, `the session ${id}, named ${shown}`)
      }
      if (isNamed && query !== undefined) {
        const inside = mark.slice(2, -2)
        const match = (await found(scene, inside)).some((chat) => isSameId(chat.id, id)) ? 'substring' : 'stems'
        scene.run.answers.add('chat.search-match', match, `a search for "${inside}"`)
      }
      await scene.must('deleteChatSession', { path: { session_id: id } })
      deletionBody(scene)
      scene.check('use_after_free', 'listChatSessions', (await listed(scene, id)).length === 0, `no session ${id}`)
      const isGone = await scene.soon(async () => !(await found(scene, mark)).some((chat) => isSameId(chat.id, id)))
      scene.check('use_after_free', 'searchChats', isGone, `no session ${id}`)
      const path = { session_id: id }
      await scene.refused('use_after_free', 'deleteChatSession', { path }, 'a refusal: it is deleted')
    }
  ),
  changing(
    'a chat session in a project',
    ['createChatSession', 'listChatSessions', 'getProjectDetails', 'listProjects', 'deleteChatSession'],
    async (scene) => {
      const project_id = await scene.own('project')
      const body = { description: scene.run.mark('project'), project_id }
      const { chat_session_id: id } = await scene.must('createChatSession', { body })
      const has = async () => {
        const { project } = await scene.must('getProjectDetails', { path: { project_id } })
        return project.chat_sessions.filter((session) => isSameId(session.id, id)).length
      }
      scene.check('ensure_resource_availability', 'getProjectDetails', (await has()) === 1, `the session ${id}, once`)
      const loose = await scene.must('createChatSession', { body: { description: scene.run.mark('loose') } })
      for (const { id: at, chat_sessions } of await scene.must('listProjects')) {
        const isListed = (it: string) => chat_sessions.some((session) => isSameId(session.id, it))
        const isRight = isListed(id) === (at === project_id)
        const expected = at === project_id ? `the session ${id}` : `no session ${id}: it is in project ${project_id}`
        scene.check('ensure_resource_availability', 'listProjects', isRight, `project ${at} with ${expected}`)
        const isApart = !isListed(loose.chat_session_id)
        const none = `project ${at} without the session ${loose.chat_session_id}, which is in no project`
        scene.check('filter_respected', 'listProjects', isApart, none)
      }
      // A list may leave out sessions of projects, and the description does not say how to include them.
      await listed(scene, id, { project_id })
      await scene.must('deleteChatSession', { path: { session_id: id } })
      scene.check('use_after_free', 'getProjectDetails', (await has()) === 0, `no session ${id}`)
      const left = (await scene.must('listProjects')).find((it) => it.chat_sessions.some((row) => isSameId(row.id, id)))
      scene.check('use_after_free', 'listProjects', !left, `no session ${id}`, `it, in project ${left?.id}`)
    }
  ),
  changing('an incognito session', ['createChatSession', 'listChatSessions'], async (scene) => {
    const body = { description: scene.run.mark('incognito'), incognito: true }
    const made = await scene.may('createChatSession', { body }, 'incognito-off')
    scene.run.answers.add('chat.incognito', made ? 'accepted' : 'refused', scene.title)
    if (!made) return
    // The description does not say what incognito means.
    const isListed = (await listed(scene, made.chat_session_id)).length > 0
    scene.run.answers.add('chat.incognito-listed', isListed ? 'listed' : 'hidden', scene.title)
  }),
  changing('a chat session with an agent that does not exist', ['createChatSession'], async (scene) => {
    const body = { description: scene.run.mark('nobody'), persona_id: unknownNumber }
    const { reply } = await scene.ask('createChatSession', { body }, 'admin', 'missing')
    if (reply.status < 300) {
      const { chat_session_id: id } = reply.body as CreateChatSessionReply
      // The server may use another agent instead.
      const [session] = await listed(scene, id)
      const isOther = session?.persona_id !== unknownNumber
      const expected = 'a refusal, or a session with an agent that exists'
      scene.check('unknown_id_refused', 'createChatSession', isOther, expected)
      scene.run.answers.add('chat.persona-check', 'replaced', scene.title)
      return
    }
    const choice = { 404: '404', 400: '400-and-403' }[reply.status]
    if (choice) scene.run.answers.add('chat.persona-check', choice, scene.title)
  }),
  reading('chat sessions are listed once', ['listChatSessions', 'searchChats'], async (scene) => {
    const { sessions } = await scene.must('listChatSessions')
    scene.unique('listChatSessions', sessions)
    const again = (await scene.must('listChatSessions')).sessions
    const created = new Map(sessions.map((it) => [it.id, Date.parse(it.time_created)]))
    const moved = again.find(({ id, time_created }) => {
      const before = created.get(id)
      return before !== undefined && before !== Date.parse(time_created)
    })
    const expected = 'the same time_created of a session each time'
    scene.check('values_read_back', 'listChatSessions', moved === undefined, expected, `another of ${moved?.id}`)
    const isPaged = scene.run.hints?.query(scene.run, 'listChatSessions').some(({ name }) => name === 'before')
    const { reply } = await scene.ask('listChatSessions', { query: { page_size: 2 } })
    const limited = (reply.body ?? {}) as ListChatSessionsReply
    if (!isPaged || reply.status !== 200) return
    // The description promises no order, so use the older one of the two.
    const [last] = [...limited.sessions].sort((a, b) => Date.parse(a.time_updated) - Date.parse(b.time_updated))
    if (limited.sessions.length !== 2 || !last) return
    const next = await scene.must('listChatSessions', { query: { before: last.time_updated } })
    const isNext = next.sessions.every(({ id }) => !limited.sessions.some((session) => session.id === id))
    scene.check('paging_consistent', 'listChatSessions', isNext, `no session of the page before ${last.time_updated}`)
  })
]

/** The server chooses the body of a deletion. */
function deletionBody({ run, last, title }: Scene): void {
  const { status, body } = (last as Exchange).reply
  const isEmpty = isObject(body) && Object.keys(body).length === 0
  const object = isObject(body) && 'success' in body ? 'status-response' : isEmpty ? 'empty-object' : undefined
  const kind = status === 204 ? '204' : body === null ? 'null' : object
  if (kind) run.answers.add('delete.body', kind, title)
}

async function listed(scene: Scene, id: string, query = {}, as: Asker = 'admin'): Promise<ChatSessionSummary[]> {
  const { sessions } = await scene.must('listChatSessions', { query }, as)
  const same = sessions.filter((session) => isSameId(session.id, id))
  scene.check('unique_rows', 'listChatSessions', same.length < 2, `the session ${id} at most once`)
  return same
}

async function found(scene: Scene, query: string, as: Asker = 'admin') {
  const [words = {}] = await searchQueries(scene, query)
  const { groups } = await scene.must('searchChats', { query: words }, as)
  return groups.flatMap((group) => group.chats)
}
