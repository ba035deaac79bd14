import { recordCommand } from '../../src/doors/cli/record.js'
import { readOptions } from '../../src/doors/options/command-line.js'
import type { Answer } from '../mock.js'

/** Runs `record` in this process, and gives what it says. */
export async function record(...args: string[]): Promise<string> {
  const command = recordCommand()
  command.hook('preAction', () => readOptions(command, [command], undefined))
  const { write } = process.stdout
  let said = ''
  process.stdout.write = (text: string | Uint8Array) => {
    said += text
    return true
  }
  try {
    await command.parseAsync(args, { from: 'user' })
  } finally {
    process.stdout.write = write
  }
  return said
}

/** What makes a call and gives its answer. */
export type Ask = (
  method: string,
  path: string,
  options: { as: string; body?: unknown; form?: FormData }
) => Promise<Answer>

/** A GET of a session, with its user. */
export interface Get {
  as: string
  path: string
}

/** What a client has seen: the ids of replies, by kind. */
type Seen = Record<
  | 'sessions'
  | 'personas'
  | 'projects'
  | 'files'
  | 'credentials'
  | 'connectors'
  | 'sources'
  | 'tools'
  | 'limits'
  | 'sets'
  | 'labels'
  | 'emails',
  Set<string | number>
>

/** Numbers from 0 up to 1 that follow from a seed. */
export function numbers(seed: number): () => number {
  let state = seed * 2_654_435_769
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Texts that a person may type, in several languages. */
export const typed = [
  'Böhmische Knödel für Zdeněk',
  'Ольга Петрова помогает с отчётами',
  'Plan the party of Marguerite Oyelaran',
  '田中さんの出張計画',
  'חופשה של דנה לוי',
  'Ask zdenka@knodel.example, or see https://intranet.knodel.example/wiki/37'
]

/** The secrets that are sent. */
export const secrets = ['correct-horse-battery', 'ghp_0123456789abcdef', 'hunter2-hunter2']

interface Session {
  /** The tokens of an administrator, of another user, and of a curator. */
  users: readonly [string, string, string]
  seed: number
  calls: number
  /** Leaves out calls whose methods and paths match. */
  without?: { test(call: string): boolean }
  /** Further calls to choose from. */
  more?: (kit: Kit) => (() => Promise<unknown>)[]
}

/** What the calls of a session are made with. */
export interface Kit {
  send: (method: string, path: string, body?: unknown, as?: string) => Promise<unknown>
  among: <T>(all: Iterable<T>) => T | undefined
  random: () => number
  seen: Seen
}

/** A session of so many calls: it reads, makes, changes and deletes what it has seen. Returns its GETs that were answered. */
export async function play(ask: Ask, { users, seed, calls, without, more }: Session): Promise<Get[]> {
  const random = numbers(seed)
  const among = <T>(all: Iterable<T>): T | undefined => {
    const list = [...all]
    return list[Math.floor(random() * list.length)]
  }
  const kinds = 'sessions personas projects files credentials connectors sources tools limits sets labels emails'
  const seen = Object.fromEntries(kinds.split(' ').map((kind) => [kind, new Set()])) as unknown as Seen
  for (const limit of [1, 2, 3, 501]) seen.limits.add(limit)
  const gets = new Map<string, Get>()
  let left = calls
  const send = async (method: string, path: string, body?: unknown, as: string = among(users) as string) => {
    if (without?.test(`${method} ${path}`)) return
    left--
    const { body: reply, status } = await ask(method, path, {
      as,
      ...(body instanceof FormData ? { form: body } : { body })
    })
    if (method === 'GET' && status < 300) gets.set(`${as} ${path}`, { as, path })
    look(reply, seen)
    return reply
  }
  for (const as of users) {
    for (const path of [
      '/api/get-user-role',
      '/api/chat/get-user-chat-sessions',
      '/api/chat/search?page_size=50',
      '/api/user/projects/',
      '/api/manage/admin/credential'
    ])
      await send('GET', path, undefined, as)
  }
  await send('POST', '/api/manage/admin/connector/indexing-status', { get_all_connectors: true }, users[0])
  const credential = (name: string) => ({
    credential_json: { web_password: among(secrets), nested: { key: among(secrets) } },
    admin_public: random() < 0.5,
    source: among(seen.sources) ?? 'web',
    name
  })
  const text = () => among(typed) as string
  const actions: (() => Promise<unknown>)[] = [
    () => send('GET', '/api/get-user-role'),
    () => send('GET', '/api/chat/get-user-chat-sessions'),
    () => send('GET', `/api/chat/search?page=${among([1, 2])}&page_size=${among([3, 10, 50])}`),
    () => send('GET', `/api/persona/${among(seen.personas) ?? 1}`),
    () => send('GET', `/api/persona/${among(seen.personas) ?? 1}`),
    () => send('GET', `/api/persona/${Math.floor(random() * 12)}`),
    () => send('GET', `/api/manage/connector/${among(seen.connectors) ?? Math.floor(random() * 9)}`),
    () => send('GET', `/api/manage/connector/${Math.floor(random() * 9)}`),
    () => send('GET', `/api/manage/credential/${among(seen.credentials) ?? 1}`),
    () => send('GET', '/api/manage/admin/credential'),
    () => send('GET', `/api/manage/admin/similar-credentials/${among(seen.sources) ?? 'web'}`),
    () => send('GET', '/api/user/projects/'),
    () => send('GET', `/api/user/projects/${among(seen.projects) ?? 1}/details`),
    () => send('GET', `/api/user/projects/${among(seen.projects) ?? 1}/details`),
    () => send('GET', `/api/user/projects/file/${among(seen.files) ?? 'none'}`),
    () => send('GET', `/api/user/projects/file/${among(seen.files) ?? 'none'}`),
    () =>
      send('POST', '/api/chat/create-chat-session', {
        ...(random() < 0.7 && { description: text() }),
        ...(random() < 0.3 && { persona_id: among(seen.personas) ?? 0 }),
        ...(random() < 0.3 && { project_id: among(seen.projects) })
      }),
    () => send('DELETE', `/api/chat/delete-chat-session/${among(seen.sessions) ?? 'none'}`),
    () =>
      send('PATCH', `/api/persona/${among(seen.personas) ?? 1}`, {
        name: `${text()} ${left}`,
        description: text(),
        ...(random() < 0.3 && { starter_messages: [{ name: text(), message: text() }] }),
        ...(random() < 0.2 && { tool_ids: [among(seen.tools)].filter((it) => it !== undefined) }),
        ...(random() < 0.2 && { is_public: random() < 0.5 })
      }),
    () => send('DELETE', `/api/persona/${among(seen.personas) ?? 99}`),
    () => send('POST', '/api/manage/credential', credential(text())),
    () =>
      send(
        'PUT',
        `/api/manage/connector/${among(seen.connectors) ?? 1}/credential/${among(seen.credentials) ?? 1}`,
        { name: `${text()} ${left}`, access_type: among(['public', 'private']) },
        users[0]
      ),
    () =>
      send(
        'DELETE',
        `/api/manage/connector/${among(seen.connectors) ?? 1}/credential/${among(seen.credentials) ?? 1}`,
        undefined,
        users[0]
      ),
    () => send('POST', '/api/manage/admin/connector/indexing-status', { get_all_connectors: true }, users[0]),
    () => send('DELETE', `/api/admin/tool/custom/${among(seen.tools) ?? 1}`, undefined, users[0]),
    () => send('POST', `/api/user/projects/${among(seen.projects) ?? 1}/instructions`, { instructions: text() }),
    () => send('POST', `/api/user/projects/${among(seen.projects) ?? 1}/files/${among(seen.files) ?? 'none'}`),
    async () => {
      const file = among(seen.files) ?? 'none'
      await send('DELETE', `/api/user/projects/file/${file}`)
      // A service may still show it for a while.
      for (const [key, { path }] of gets) if (path.endsWith(`/${file}`)) gets.delete(key)
      seen.files.delete(file)
    },
    () => send('PUT', '/api/manage/admin/users', { emails: [`guest-${left}@knodel.example`] }, users[0]),
    () => send('DELETE', `/api/admin/token-rate-limits/rate-limit/${among(seen.limits)}`, undefined, users[0]),
    () => send('POST', '/api/web-search/open-urls', { urls: ['https://intranet.knodel.example/wiki/37'] }),
    ...(more?.({ send, among, random, seen }) ?? [])
  ]
  while (left > 0) await among(actions)?.()
  // It ends with a look at everything.
  const read = [...gets.values()]
  gets.clear()
  for (const { as, path } of read) await send('GET', path, undefined, as)
  return [...gets.values()]
}

/** Notes the ids in a reply, by the fields that they are in or that their objects have. */
function look(value: unknown, seen: Seen): void {
  if (Array.isArray(value)) for (const it of value) look(it, seen)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const it = value as Record<string, string | number | undefined>
  const { id } = it
  if (it.chat_session_id !== undefined) seen.sessions.add(it.chat_session_id)
  if (id !== undefined) {
    const kind =
      'shared_status' in it || ('time_updated' in it && 'persona_id' in it)
        ? 'sessions'
        : 'starter_messages' in it || 'builtin_persona' in it
          ? 'personas'
          : 'chat_sessions' in it || 'instructions' in it
            ? 'projects'
            : 'token_count' in it || 'file_type' in it
              ? 'files'
              : 'credential_json' in it
                ? 'credentials'
                : 'in_code_tool_id' in it
                  ? 'tools'
                  : 'credential_ids' in it
                    ? 'connectors'
                    : undefined
    if (kind) seen[kind].add(id)
  }
  if (typeof it.persona_id === 'number') seen.personas.add(it.persona_id)
  if (typeof it.source === 'string') seen.sources.add(it.source)
  for (const part of Object.values(value)) look(part, seen)
}

/** A value without its content: names, types, the lengths of lists, and ids. */
export function structureOf(value: unknown, name = '', isSecret = false): unknown {
  if (Array.isArray(value)) return value.map((it) => structureOf(it, name, isSecret))
  if (value === null) return null
  if (typeof value !== 'object') return /^id$|_ids?$/.test(name) && !isSecret ? value : typeof value
  return Object.fromEntries(
    Object.entries(value)
      .map(([field, it]): [string, unknown] => [
        field,
        structureOf(it, field, isSecret || /credential_json|config|definition/.test(field))
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )
}
