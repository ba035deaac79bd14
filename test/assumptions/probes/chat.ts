import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import { type Probe, seen, statusOf } from '../probe.js'

const create = '/api/chat/create-chat-session'
const list = '/api/chat/get-user-chat-sessions'
const search = '/api/chat/search'

interface Found {
  groups: { title: string; chats: { name: string }[] }[]
}

export const chatProbes: Record<string, Probe> = {
  'chat.list-query': async ({ call }) => (await call('GET', list)).body.sessions.length,

  'chat.search-query': ({ call }) => statusOf(call('GET', `${search}?page_size=0`)),

  'chat.times': async ({ call }) => (await call('GET', list)).body.sessions[0].time_updated.slice(23),

  'chat.search-scope': async ({ call }) => {
    await call('POST', create, { body: { description: 'Frostwork', project_id: 1 } })
    return ((await call('GET', `${search}?query=frostwork`)).body as Found).groups.length
  },

  'chat.search-match': async ({ call }) => {
    await call('POST', create, { body: { description: 'Zoned planting' } })
    const { groups } = (await call('GET', `${search}?query=zoned+plan`)).body as Found
    return groups.flatMap((group) => group.chats.map((chat) => chat.name))
  },

  'chat.groups': async ({ call }) => ((await call('GET', search)).body as Found).groups.map((group) => group.title),

  'chat.hidden-persona': ({ call, sandbox: { rows } }) => {
    const row = rows.personas.get(1) as Rows['personas']
    rows.personas.put({ ...row, is_public: false, user_ids: [] })
    return statusOf(call('POST', create, { as: 'basic', body: { persona_id: 1 } }))
  },

  'chat.deletion': async ({ call }) => {
    const { body } = await call('POST', create, { body: {} })
    const path = `/api/chat/delete-chat-session/${body.chat_session_id}`
    await call('DELETE', path)
    return seen(call('DELETE', path))
  },

  'chat.incognito': ({ call }) => statusOf(call('POST', create, { body: { incognito: true } })),

  'chat.name': async ({ call, sandbox: { rows } }) => {
    const made = await Promise.all(
      ['  Frost  ', ''].map((description) => call('POST', create, { body: { description } }))
    )
    return made.map(({ body }) => rows.chatSessions.get(body.chat_session_id)?.name)
  },

  'chat.shared-status': async ({ call, sandbox: { rows } }) => {
    const { body } = await call('POST', create, { body: {} })
    return rows.chatSessions.get(body.chat_session_id)?.shared_status
  },

  'chat.persona-check': async ({ call }) => [
    await seen(call('POST', create, { body: { persona_id: 999 } })),
    await seen(call('POST', create, { body: { project_id: 999 } }))
  ],

  'limits.text': ({ call }) => statusOf(call('POST', create, { body: { description: 'a'.repeat(10_001) } })),

  'chat.default-persona': async ({ call, sandbox: { rows } }) => {
    const { body } = await call('POST', create, { body: {} })
    return rows.chatSessions.get(body.chat_session_id)?.persona_id
  }
}
