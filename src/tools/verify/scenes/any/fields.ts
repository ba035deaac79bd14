import type { Persona } from '../../../../apis/knowledge-chat/types.gen.js'
import type { Json, JsonObject } from '../../../../engine/contract/load.js'
import { shows } from '../../same.js'
import { keepAgent, ownAgent } from '../own-rows.js'
import { wholeBody } from '../personas.js'
import { changing, type Play, type Scene } from './scene.js'

type Path = { persona_id: number | string }

/** A field of a body, a new value for it, and the value that the row should then show. */
interface Change {
  body: JsonObject
  shown: (persona: Persona) => unknown
  expected: unknown
}

/** Each field of a body is changed separately, and read back wherever a reply shows it. */
export const fieldPlays: Play[] = [
  changing('every field of an agent is changed alone', ['updatePersona', 'getPersona'], async (scene) => {
    const { path, before } = await ownAgent(scene)
    if (before.builtin_persona) return
    const whole = scene.run.needs.any('updatePersona') ? wholeBody(before) : {}
    keepAgent(scene, path, before)
    for await (const change of changesOf(scene, before)) await changed(scene, path, whole, change)
  }),
  changing('every field of a credential is read back', ['createCredential', 'getCredential'], async (scene) => {
    const base = { credential_json: { api_token: 'made-up' }, admin_public: true, source: 'web' }
    const changes: JsonObject[] = [
      {},
      { admin_public: false },
      { curator_public: true },
      { source: 'file' },
      { source: 'imap' },
      { name: '東京 é 👩‍🚀' },
      ...(await knownGroups(scene)).map((group) => ({ groups: [group] }))
    ]
    for (const change of changes) {
      const body: JsonObject = { name: scene.run.mark('field'), ...base, ...change }
      const exchange = await scene.ask('createCredential', { body })
      if (exchange.reply.status >= 300) continue
      const { id, credential } = exchange.reply.body as { id: number; credential: JsonObject }
      const { credential_json: _, ...expected }: JsonObject = { curator_public: false, ...body }
      const read = (await scene.must('getCredential', { path: { credential_id: id } })) as unknown as JsonObject
      for (const [operation, shown] of [
        ['createCredential', credential],
        ['getCredential', read]
      ] as const) {
        if ('success' in shown) continue
        const wrong = Object.keys(expected).filter((name) => !shows(shown[name] ?? false, expected[name]))
        const wanted = wrong.map((name) => `${name} ${JSON.stringify(expected[name])}`).join(', ')
        scene.check('values_read_back', operation, wrong.length === 0, wanted)
      }
    }
  }),
  changing('chat sessions with one agent and another', ['createChatSession', 'listChatSessions'], async (scene) => {
    for (const persona_id of scene.rows.readable('persona').slice(0, 3)) {
      const body = { description: scene.run.mark('agent'), persona_id }
      const { reply } = await scene.ask('createChatSession', { body }, 'admin', 'unknown-persona')
      if (reply.status >= 300) continue
      const { chat_session_id: id } = reply.body as { chat_session_id: string }
      const { sessions } = await scene.must('listChatSessions')
      const session = sessions.find((it) => it.id.toLowerCase() === id.toLowerCase())
      const isRead = !session || session.persona_id === persona_id
      scene.check('values_read_back', 'createChatSession', isRead, `the persona_id ${persona_id}`)
    }
  })
]

/** A group that a credential shows, which proves that the server has groups. */
async function knownGroups(scene: Scene): Promise<number[]> {
  const credentials = await scene.must('listCredentials')
  return [...new Set(credentials.flatMap(({ groups }) => groups ?? []))].slice(0, 1)
}

async function changed(scene: Scene, path: Path, whole: JsonObject, { body, shown, expected }: Change): Promise<void> {
  const [name] = Object.keys(body) as [string]
  const { display_priority: kept } = await scene.must('getPersona', { path })
  const input = { path, body: { ...whole, ...body } }
  const { reply } = await scene.ask('updatePersona', input, 'admin', 'unknown-reference')
  if (reply.status >= 300) {
    scene.run.results.couldNot('updatePersona', name, `the server does not take the value (${reply.status})`)
    return
  }
  const wanted = JSON.stringify(expected)
  const told = shown(reply.body as Persona)
  if (name === 'display_priority' && typeof kept === 'number') {
    const isKept = told === kept && told !== expected
    scene.run.answers.add('persona.display-priority', isKept ? 'kept' : 'changed', scene.title)
    if (isKept && scene.run.answers.get('persona.display-priority') === 'kept') return
  }
  // Only the read response is documented to have the date.
  const isTold = shows(told, expected) || (name === 'search_start_date' && told === undefined)
  const got = (value: unknown, where: string) => `${JSON.stringify(value)}, ${where}`
  scene.check('values_read_back', 'updatePersona', isTold, `${name} ${wanted}`, got(told, 'in its reply'))
  const read = shown(await scene.must('getPersona', { path }))
  const isRead = shows(read, expected)
  scene.check('values_read_back', 'updatePersona', isRead, `${name} ${wanted}`, got(read, 'read afterwards'))
}

async function* changesOf(scene: Scene, before: Persona): AsyncIterable<Change> {
  const fields = before as unknown as Record<string, Json | undefined>
  const same = (name: string, value: Json): Change => ({
    body: { [name]: value },
    shown: (persona) => (persona as unknown as Record<string, Json>)[name],
    expected: value
  })
  /** A value that is easily mistaken for none. A server may show it as none. */
  const none = (name: string, value: Json): Change => {
    const { body, shown, expected } = same(name, value)
    return { body, shown: (persona) => shown(persona) ?? value, expected }
  }
  for (const name of ['name', 'description', 'system_prompt', 'task_prompt', 'icon_name']) {
    yield same(name, `${scene.run.mark('alone')} é`)
  }
  // Longer than a short column of a database.
  for (const name of ['description', 'system_prompt', 'task_prompt']) {
    yield same(name, Array.from({ length: 80 }, (_, n) => `${n}: ${scene.run.mark('long')}`).join('\n'))
  }
  for (const name of ['num_chunks', 'display_priority']) {
    yield same(name, Number(fields[name] ?? 0) + 1)
    yield none(name, 0)
  }
  for (const name of ['description', 'system_prompt', 'task_prompt']) yield none(name, '')
  const flags = ['llm_filter_extraction', 'llm_relevance_filter', 'datetime_aware', 'replace_base_system_prompt']
  for (const name of [...flags, 'is_public', 'is_default_persona']) yield same(name, !fields[name])
  const starter = scene.run.mark('starter')
  yield same(
    'starter_messages',
    [1, 2].map((n) => ({ name: `${starter} é ${n}`, message: `What is "new" in ${n}? 東京 👩‍🚀` }))
  )
  for (const name of ['llm_model_provider_override', 'llm_model_version_override']) yield same(name, 'kcm-verify')
  for (const date of ['2025-02-03T04:05:06.000Z', '2025-03-04T05:06:07+02:00']) {
    const expected = Date.parse(date)
    yield {
      body: { search_start_date: date },
      shown: ({ search_start_date: shown }) => shown && momentOf(shown, expected),
      expected
    }
  }
  yield* lists(scene, before)
  const { uploaded_image_id } = before
  if (uploaded_image_id) {
    yield { body: { remove_image: true }, shown: (persona) => persona.uploaded_image_id ?? null, expected: null }
    yield same('uploaded_image_id', uploaded_image_id)
  }
  for (const group of await knownGroups(scene)) {
    if (!before.groups.includes(group)) yield same('groups', [group])
  }
}

/** The moment of a date. Without an offset it may be of any zone, so it is the expected one if that zone exists. */
function momentOf(date: string, expected: number): number {
  if (/(Z|[+-]\d\d:?\d\d)$/i.test(date)) return Date.parse(date)
  const moment = Date.parse(`${date}Z`)
  const away = Math.abs(moment - expected)
  return away % 900_000 === 0 && away <= 50_400_000 ? expected : moment
}

/** Changes of lists of rows: full lists are shortened and emptied, and empty ones get known rows. */
function* lists(scene: Scene, before: Persona): Iterable<Change> {
  const ids = (rows: { id: Json }[]) => rows.map((row) => row.id)
  const rows = {
    tool_ids: ({ tools }: Persona) => ids(tools),
    label_ids: ({ labels }: Persona) => ids(labels),
    document_set_ids: ({ document_sets }: Persona) => ids(document_sets),
    groups: ({ groups }: Persona) => groups,
    users: ({ users }: Persona) => ids(users).map((id) => String(id).toLowerCase()),
    user_file_ids: ({ user_file_ids }: Persona) => user_file_ids.map((id) => id.toLowerCase())
  }
  const ownerOf = ({ owner }: Persona) => owner?.id.toLowerCase()
  for (const [name, shownOf] of Object.entries(rows)) {
    // A server may keep the owner among the users.
    const shown = (it: Persona) => shownOf(it).filter((id) => name !== 'users' || id !== ownerOf(it))
    const [first, ...more] = shown(before)
    if (first !== undefined && more.length > 0) yield { body: { [name]: [first] }, shown, expected: [first] }
    if (first !== undefined) yield { body: { [name]: [] }, shown, expected: [] }
  }
  const [file] = scene.rows.own('file')
  if (file !== undefined)
    yield { body: { user_file_ids: [file] }, shown: rows.user_file_ids, expected: [String(file).toLowerCase()] }
  const { owner } = before
  if (owner) yield { body: { users: [owner.id] }, shown: rows.users, expected: [owner.id.toLowerCase()] }
}
