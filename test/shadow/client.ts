import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'
import { call } from '../mock.js'
import { type Kit, play } from '../record/session.js'

const [ada, bob, cyd] = ['tok-ada', 'tok-bob', 'tok-cyd'] as const

const contract = createContract(readDocuments(), defaultChoices(readLedger()))

/** Texts that services trip over. */
const strange = ['a (b [c', '\u{1f600} all', 'nul\0', 'long '.repeat(1200), '\u202eright to left', 'e\u0301']
const accesses = ['public', 'private', 'sync']
const states = ['success', 'in_progress', 'failed', 'not_started', 'canceled', 'completed_with_errors']
const definition = {
  openapi: '3.1.0',
  info: { title: 'Weather', version: '1' },
  servers: [{ url: 'https://weather.example' }],
  paths: { '/today': { get: { operationId: 'today', summary: 'Today', responses: { 200: { description: 'Done' } } } } }
}

/** What a client looks at first, whatever it is about. */
const overview = ['E2', 'E3', 'E10', 'E16', 'E21', 'E29']

export interface Drive {
  seed: number
  calls: number
  /** The operations that it calls, besides an overview. All if there are none. */
  at?: string | undefined
}

/** A client of the foreign service that makes random calls of all operations, as three users, right ones and wrong ones. */
export async function drive(proxy: string, { seed, calls, at }: Drive): Promise<void> {
  const codes = at && new Set([...at.split(','), ...overview])
  const isLeftOut = (text: string) => {
    const [method = '', path = ''] = text.split(/[ ?]/)
    const match = contract.match(method, path)
    return codes !== undefined && codes !== '' && !(match.kind === 'operation' && codes.has(match.operation.code))
  }
  const ask = (method: string, path: string, options: { as: string; body?: unknown; form?: FormData }) =>
    call(proxy, method, path, { ...options, as: options.as === '' ? null : options.as })
  await play(ask, { users: [ada, bob, cyd], seed, calls, more, without: { test: isLeftOut } })
}

const instructions = ['', 'Tea & <b>biscuits</b>', '\u{1f600} smile', 'Long. '.repeat(60)]

/** Changes of agents. */
const changes = [
  { num_chunks: 0 },
  { description: '' },
  { name: 'A name of more than twelve letters' },
  { system_prompt: 'System', task_prompt: 'Task' },
  {
    starter_messages: [
      { name: 'One', message: 'First' },
      { name: 'Two', message: 'Second' }
    ]
  },
  { uploaded_image_id: 'image-1' },
  { remove_image: true },
  { search_start_date: '2026-01-31T23:30:00+02:00' },
  { label_ids: [1] },
  { label_ids: [2], tool_ids: [] },
  { document_set_ids: [] },
  { groups: [4] },
  { display_priority: 3 },
  { is_public: true },
  { llm_filter_extraction: true, llm_relevance_filter: false },
  { llm_filter_extraction: false, llm_relevance_filter: true },
  { datetime_aware: true },
  { is_default_persona: true },
  { replace_base_system_prompt: true },
  { users: [] },
  { user_file_ids: [] }
]

function more({ send, among, random, seen }: Kit): (() => Promise<unknown>)[] {
  const invited: string[] = []
  const maybe = (chance: number, fields: object) => (random() < chance ? fields : {})
  const some = (all: string[]) => all.filter(() => random() < 0.4)
  const report = '/api/manage/admin/connector/indexing-status'
  const agent = () => `/api/persona/${among(seen.personas) ?? 101}`
  const project = () => `/api/user/projects/${among(seen.projects) ?? 601}`
  const link = () =>
    `/api/manage/connector/${among([201, 202, 291, 292, 293, 999])}/credential/${among(seen.credentials) ?? 301}`
  const form = (fields: Record<string, string | Blob>) => {
    const made = new FormData()
    for (const [name, value] of Object.entries(fields)) made.append(name, value)
    return made
  }
  const wrong = (fields: object) => ({ ...(among([fields, {}]) as object), ...fields })
  return [
    () => send('GET', `/api/chat/search?query=${among(['plan', 'a', 'none of it', 'ЗДЕ', 'budget (2026'])}`),
    () => send('GET', `/api/chat/search?query=${among(['plan', 'e'])}&page=${among([1, 2])}`, undefined, ada),
    () => send('GET', `/api/chat/search?page=${among([1, 2, 3, 4])}`, undefined, ada),
    () => send('GET', agent(), undefined, among(['', 'not-a-token', `${ada}x`, 'TOK-ADA', 'tok-'])),
    () => send('GET', '/api/manage/admin/credential', undefined, among(['', 'not-a-token', bob])),
    () => send('GET', `/api/persona/${among([-1, 9_999_999_999, 'one', '101x'])}`),
    () => send('GET', `/api/manage/credential/${among([-1, '9223372036854775808', 'one'])}`),
    () => send('GET', `/api/user/projects/${among([0, '9223372036854775808', 'one'])}/details`),
    () => send('GET', `/api/manage/connector/${among([201, 212, 291, 999])}`),
    () =>
      send('GET', `/api/manage/admin/similar-credentials/${among(['web', 'file', 'imap', 'nothing'])}`, undefined, ada),
    () =>
      send(
        'POST',
        report,
        {
          ...maybe(0.3, { access_type_filters: some(accesses) }),
          ...maybe(0.3, { last_status_filters: some(states) }),
          ...maybe(0.3, { name_filter: among(['web', 'pair 1', 'FEED', 'x [y']) }),
          ...maybe(0.3, { source_to_page: { web: among([1, 2, 3]) } }),
          ...maybe(0.5, { get_all_connectors: true })
        },
        ada
      ),
    () => send('POST', report, wrong({ source_to_page: { web: 'one' } }), ada),
    () => send('POST', report, wrong({ access_type_filters: ['secret'] }), ada),
    () => send('POST', '/api/chat/create-chat-session', { description: among(strange) }),
    () => send('POST', '/api/chat/create-chat-session', wrong({ persona_id: among(['one', true, 1.5]) })),
    () => send('PATCH', agent(), { task_prompt: among(strange) }),
    () => send('PATCH', agent(), { system_prompt: 'Be brief.', num_chunks: among([5, 'many', 2.5, null]) }),
    () => send('PATCH', agent(), { name: 'Good', starter_messages: among([[{ name: 'Hello' }], 'none', [1]]) }),
    () => send('PATCH', agent(), {}),
    () => send('PATCH', agent(), among(changes)),
    () => send('PATCH', agent(), { ...among(changes), ...among(changes) }),
    () => send('DELETE', `/api/admin/tool/custom/${among([401, 402, 403, 404, 405, 499])}`, undefined, ada),
    () => send('DELETE', `/api/persona/${among([101, 102, 103, 104, 106, 107])}`, undefined, ada),
    () => send('GET', `/api/persona/${among([101, 102, 103, 104, 105, 106, 107, 108])}`, undefined, ada),
    () => send('GET', `/api/persona/${among([101, 102, 103, 104, 105, 106, 107, 108])}`, undefined, ada),
    () => send('GET', `/api/user/projects/${among([601, 602, 603, 604])}/details`, undefined, ada),
    () =>
      send('POST', `/api/user/projects/${among([601, 602])}/instructions`, { instructions: among(instructions) }, ada),
    () => send('DELETE', `/api/admin/token-rate-limits/rate-limit/${among([501, 502, 503, 504])}`, undefined, ada),
    () => send('PATCH', agent(), { label_ids: [among([1, 2, 3])], groups: [among([4, 5])] }),
    () => send('PATCH', agent(), { num_chunks: among([1, 9]), datetime_aware: random() < 0.5 }),
    () => send('PATCH', agent(), { icon_name: among(['moon', 'sun']), llm_model_version_override: 'small-1' }),
    () => send('POST', '/api/manage/credential', wrong({ admin_public: 'perhaps' })),
    () =>
      send('POST', '/api/manage/credential', { credential_json: { token: 'abc' }, admin_public: true, source: 'none' }),
    () =>
      send(
        'PUT',
        `/api/manage/admin/credential/private-key/${among([301, 302, 399])}`,
        form({
          ...maybe(0.8, { name: `Key ${among([1, 2])}` }),
          credential_json: JSON.stringify({ user: 'robot' }),
          uploaded_file: new File(['-----BEGIN'], 'key.pem'),
          field_key: 'private_key',
          type_definition_key: 'pem'
        }),
        ada
      ),
    () => send('PUT', link(), { name: `Link ${among([1, 2, 3])}` }, ada),
    () => send('DELETE', link(), undefined, ada),
    () =>
      send(
        'POST',
        '/api/manage/admin/connector/file/upload',
        form(random() < 0.8 ? { files: new File(['One line'], `notes-${among([1, 2])}.txt`) } : { other: 'x' }),
        ada
      ),
    () => send('POST', '/api/admin/tool/custom/validate', { definition: among([definition, {}, { paths: [] }]) }, ada),
    () => send('POST', '/api/web-search/open-urls', { urls: among([[], ['not an address'], ['https://a.example']]) }),
    () => send('POST', `${project()}/instructions`, { instructions: among([...strange, 7]) }),
    () => send('POST', `${project()}/files/${among(seen.files) ?? 'none'}`, undefined, ada),
    () => send('GET', `${project()}/details`, undefined, ada),
    () => send('GET', `${project()}/details`, undefined, bob),
    () => send('GET', '/api/user/projects/', undefined, among([ada, bob])),
    () =>
      send('PUT', '/api/manage/admin/users', { emails: among([['good@knodel.example', 'not one'], [], 'none']) }, ada),
    () => {
      invited.push(`guest-${invited.length}@mill.example`)
      return send('PUT', '/api/manage/admin/users', { emails: invited.slice(-1) }, ada)
    },
    () => send('DELETE', '/api/manage/admin/delete-user', { user_email: among(invited) ?? 'nobody@mill.example' }, ada),
    () => send('DELETE', `/api/admin/token-rate-limits/rate-limit/${among(seen.limits)}`, undefined, among([ada, bob])),
    () => send('DELETE', `/api/chat/delete-chat-session/${among(seen.sessions) ?? 'none'}`, undefined, bob)
  ]
}
