import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import { backwards, done, type Model, missing, type Predict } from './model.js'
import { seesPersona } from './personas.js'

type Session = Rows['chatSessions']
type User = Rows['users']

const createChatSession: Predict = ({ body }, model, user) => {
  const project_id = body.project_id ?? null
  if (project_id !== null && model.find('projects', project_id)?.user_id !== user.id) return missing
  const named = body.persona_id ?? 0
  const persona = model.find('personas', named)
  if (named !== 0 && !(persona && seesPersona(user, persona))) return missing
  const wanted = body.incognito ? body.incognito_session_id : null
  if (wanted && model.find('chatSessions', wanted)) return { status: 400 }
  return done(
    ({ chat_session_id: id }: { chat_session_id: string }) =>
      wanted ? id === wanted : model.isFresh('chatSessions', id),
    ({ chat_session_id }) =>
      model.add('chatSessions', {
        id: chat_session_id,
        user_id: user.id,
        name: body.description ?? '',
        time_created: model.moment,
        time_updated: model.moment,
        shared_status: 'private',
        persona_id: persona?.id ?? null,
        current_alternate_model: null,
        current_temperature_override: null,
        project_id,
        incognito: body.incognito ?? false,
        message_count: 0
      })
  )
}

const listChatSessions: Predict = ({ query }, model, user) => {
  const project = query.project_id === undefined ? undefined : Number(query.project_id)
  const sessions = listed(model, user)
    .filter((it) => project === undefined || it.project_id === project)
    .filter((it) => query.only_non_project_chats !== 'true' || project !== undefined || it.project_id === null)
    .filter((it) => query.before === undefined || it.time_updated < query.before)
    .sort(lastUsedFirst)
  return done({ sessions: sessions.slice(0, Number(query.page_size ?? sessions.length)).map(summary) })
}

const searchChats: Predict = ({ query }, model, user) => {
  const [page, size] = [Number(query.page ?? 1), Number(query.page_size ?? 10)]
  const words = (query.query ?? '').toLowerCase().split(/\s+/)
  const found = listed(model, user)
    .filter(({ name }) => words.every((word) => (name ?? '').toLowerCase().includes(word)))
    .sort(
      backwards(
        (it: Session) => it.time_created,
        (it) => it.id
      )
    )
  const chats = found.slice((page - 1) * size, page * size)
  const titles = [...new Set(chats.map((it) => period(it, model.now)))]
  const has_more = found.length > page * size
  return done({
    groups: titles.map((title) => ({ title, chats: chats.filter((it) => period(it, model.now) === title).map(item) })),
    has_more,
    next_page: has_more ? page + 1 : null
  })
}

const deleteChatSession: Predict = ({ path }, model, user) => {
  const session = model.find('chatSessions', path.session_id)
  if (session?.user_id !== user.id) return missing
  return done(null, () => model.remove('chatSessions', [session]))
}

export const chat = { createChatSession, listChatSessions, searchChats, deleteChatSession }

/** A project in lists, last used first. */
export function sessionsOf(model: Model, user: User, project_id: number): Session[] {
  return listed(model, user)
    .filter((it) => it.project_id === project_id)
    .sort(lastUsedFirst)
}

export function summary(session: Session) {
  return { ...item(session), time_updated: session.time_updated }
}

function listed(model: Model, user: User): Session[] {
  return model.all('chatSessions', (it) => it.user_id === user.id && !it.incognito)
}

const lastUsedFirst = backwards(
  (it: Session) => it.time_updated,
  (it) => it.id
)

function item({ user_id, time_updated, project_id, incognito, message_count, ...shown }: Session) {
  return shown
}

function period({ time_created }: Session, now: number): string {
  const days = Math.floor(now / 864e5) - Math.floor(Date.parse(time_created) / 864e5)
  if (days < 1) return 'Today'
  if (days < 2) return 'Yesterday'
  if (days < 7) return 'This Week'
  return days < 30 ? 'This Month' : 'Older'
}
