import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { proxyCommand } from '../../src/doors/cli/proxy.js'
import { recordCommand } from '../../src/doors/cli/record.js'
import { ended, ready, start } from '../cli.js'
import { invoke, refusalOf } from '../invoke.js'
import { call, startTestMock } from '../mock.js'
import { record } from './session.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-record-'))

const origin = 'https://chat.example'
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const time = '2026-03-02T09:00:00.000Z'

interface Exchange {
  method?: string
  path: string
  token?: string
  body?: unknown
  status?: number
  /** Sent as JSON. */
  reply?: unknown
  /** In place of it. */
  content?: object
  headers?: Record<string, string>
}

const listed = (values: Record<string, string>) => Object.entries(values).map(([name, value]) => ({ name, value }))

function entry({
  method = 'GET',
  path,
  token = 'tok-one',
  body,
  status = 200,
  reply,
  content,
  headers = {}
}: Exchange) {
  return {
    startedDateTime: time,
    request: {
      method,
      url: path.startsWith('/') ? origin + path : path,
      headers: listed({ Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { postData: { mimeType: 'application/json', text: JSON.stringify(body) } })
    },
    response: {
      status,
      headers: listed(headers),
      content: content ?? { mimeType: 'application/json', text: reply === undefined ? '' : JSON.stringify(reply) }
    }
  }
}

let archives = 0
function archive(exchanges: readonly Exchange[] | string): string {
  const file = join(folder, `${++archives}.har`)
  writeFileSync(
    file,
    typeof exchanges === 'string' ? exchanges : JSON.stringify({ log: { entries: exchanges.map(entry) } })
  )
  return file
}

interface Recorded {
  text: string
  now: string
  // biome-ignore lint/suspicious/noExplicitAny: rows of every collection
  rows: Record<string, any[]>
  said: string
  file: `${string}.json`
}

/** What becomes of an archive. */
async function setOf(exchanges: readonly Exchange[] | string, ...options: string[]): Promise<Recorded> {
  const file = archive(exchanges)
  const to = file.replace('.har', '')
  const said = await record(file, to, ...options)
  const text = readFileSync(join(to, 'fixtures.json'), 'utf8')
  const { now, collections: rows } = JSON.parse(text)
  return { text, now, rows, said, file: join(to, 'fixtures.json') as `${string}.json` }
}

const project = (id: number, more: object = {}) => ({
  id,
  name: 'Boat of Marguerite Oyelaran',
  description: 'See https://intranet.oyelaran.example/boat\nand ask marguerite@oyelaran.example',
  created_at: time,
  user_id: uuid(1),
  chat_sessions: [],
  instructions: 'Отвечайте Маргарите по-русски',
  ...more
})

const file = (n: number, more: object = {}) => ({
  id: uuid(n),
  name: 'Marguerite at the lake.pdf',
  user_id: uuid(1),
  file_id: uuid(n),
  created_at: time,
  status: 'COMPLETED',
  last_accessed_at: time,
  file_type: 'application/pdf',
  chat_file_type: 'document',
  token_count: 512,
  chunk_count: 1,
  temp_id: null,
  project_id: null,
  ...more
})

const credential = (id: number, more: object = {}) => ({
  id,
  credential_json: { web_login: 'correct-horse-battery', nested: { port: 8080, hosts: ['db.oyelaran.example'] } },
  admin_public: true,
  source: 'web',
  name: 'Intranet of Oyelaran',
  curator_public: false,
  groups: [],
  user_id: uuid(1),
  user_email: 'Marguerite@Oyelaran.example',
  time_created: time,
  time_updated: time,
  ...more
})

const session: Exchange[] = [
  { path: '/api/get-user-role', token: 'tok-root', reply: { role: 'admin' } },
  { path: '/api/user/projects/', reply: [project(3), project(4)] },
  {
    path: '/api/user/projects/3/details',
    reply: { project: project(3), files: [file(7), file(8)], persona_id_to_is_default: {} }
  },
  { path: '/api/manage/admin/credential', token: 'tok-root', reply: [credential(5)] },
  { path: '/api/get-user-role', token: 'tok-three', reply: { role: 'basic' } }
]

test('texts, addresses and secrets are replaced, in their length and language; ids, times and numbers stay', async () => {
  const { text, rows, now } = await setOf(session)
  for (const it of ['Marguerite', 'oyelaran', 'intranet', 'Маргарите', 'correct-horse', 'tok-', 'application/pdf'])
    expect(text).not.toContain(it)
  expect(now).toBe(time)
  const [boat] = rows.projects as [{ name: string; instructions: string; description: string }]
  expect(boat).toMatchObject({ id: 3, created_at: time, user_id: uuid(1) })
  expect(boat.name).toMatch(/^[A-Z][a-z ]{10,26}$/)
  expect(boat.description.split('\n')).toHaveLength(2)
  expect(boat.instructions).toMatch(/^[А-Я][а-я]{8} [А-Я][а-я]{8} [а-я]{2}-[а-я]{6}$/)
  expect(rows.userFiles?.[0]).toMatchObject({ id: uuid(7), status: 'COMPLETED', token_count: 512 })
  expect(rows.userFiles?.[0].name).toMatch(/\.pdf$/)
  const [{ credential_json: secret }] = rows.credentials as [{ credential_json: Record<string, unknown> }]
  expect(secret).toEqual({
    web_login: expect.stringMatching(/^\w{24}$/),
    nested: { port: expect.any(Number), hosts: [expect.stringMatching(/^\w{24}$/)] }
  })
})

test('the same seed gives the same bytes, and a person the same name everywhere; another seed gives others', async () => {
  const [first, again, other] = [await setOf(session), await setOf(session), await setOf(session, '--seed', '7')]
  expect(again.text).toBe(first.text)
  const names = ({ rows }: Recorded) => rows.projects?.map((it) => it.name) as string[]
  expect(names(first)[0]).toBe(names(first)[1])
  expect(names(other)[0]).not.toBe(names(first)[0])
  // In another run, too, whatever else is in it, and whatever the case of an address is.
  const invited = {
    method: 'PUT',
    path: '/api/manage/admin/users',
    body: { emails: ['marguerite@oyelaran.EXAMPLE'] },
    reply: 1
  }
  const { rows } = await setOf([invited, { path: '/api/user/projects/', reply: [project(9)] }])
  expect(rows.projects?.[0].name).toBe(names(first)[0])
  expect(rows.invites?.[0].email).toBe(first.rows.users?.find(({ id }) => id === uuid(1)).email)
})

test('the administrator is admin, another caller basic, further ones have keys, and the three users always exist', async () => {
  const { rows } = await setOf(session)
  const keys = Object.fromEntries((rows.users ?? []).map(({ key, ...it }) => [key, it]))
  expect(Object.keys(keys).sort()).toEqual(['admin', 'basic', 'curator', 'user-4'])
  expect(keys).toMatchObject({
    admin: { role: 'admin' },
    basic: { id: uuid(1), role: 'basic' },
    'user-4': { role: 'basic' }
  })
  const { rows: empty } = await setOf([{ path: '/api/persona/3', status: 404, reply: { detail: 'none' } }])
  expect(empty.users?.map(({ key }) => key).sort()).toEqual(['admin', 'basic', 'curator'])
})

test('--keep leaves fields as they are, addresses too, but no secret', async () => {
  const { rows, text } = await setOf(session, '--keep', 'email,projects.name')
  expect(rows.projects?.[0].name).toBe('Boat of Marguerite Oyelaran')
  expect(rows.users?.find(({ id }) => id === uuid(1)).email).toBe('Marguerite@Oyelaran.example')
  expect(rows.credentials?.[0].name).not.toContain('Oyelaran')
  expect(text).not.toContain('lake')
  for (const field of ['credential_json', 'credentials.credential_json', 'api_key'])
    expect(await refusalOf(recordCommand(), [archive(session), join(folder, 'kept'), '--keep', field])).toContain(
      'never kept'
    )
})

test('names of fields stay, but those that may be texts: as many are there afterwards', async () => {
  const names = Array.from({ length: 50 }, (_, n) => `Jo ${n}`)
  const persons = Object.fromEntries([...names, 'Marguerite Oyelaran', 'm@oyelaran.example'].map((it) => [it, 'text']))
  const config = { base_url: 'text', '/paths/{id}': 'text', ...persons }
  const connector = { ...credential(1), connector_specific_config: config, credential_ids: [], input_type: 'poll' }
  const { rows, text } = await setOf([{ path: '/api/manage/connector/1', reply: connector }])
  const written = Object.keys(rows.connectors?.[0].connector_specific_config)
  expect(written).toHaveLength(54)
  expect(written.slice(0, 2)).toEqual(['base_url', '/paths/{id}'])
  expect(text).not.toMatch(/Jo \d|Marguerite|oyelaran/)
})

test('a kept text with the token of a call in it is replaced', async () => {
  const { text } = await setOf(
    [{ path: '/api/user/projects/', reply: [project(1, { name: 'Token: tok-one' })] }],
    '--keep',
    'name'
  )
  expect(text).not.toContain('tok-one')
})

test('what was deleted is not there, what is only referred to is minimal, and contradictions name their exchange', async () => {
  const chat = {
    id: uuid(20),
    name: 'Plan',
    time_created: time,
    time_updated: time,
    shared_status: 'private',
    persona_id: 12
  }
  const {
    rows,
    said,
    file: set
  } = await setOf([
    { path: '/api/user/projects/', reply: [project(3), project(4, { chat_sessions: [chat] })] },
    {
      path: '/api/user/projects/3/details',
      reply: { project: project(3), files: [file(7), file(8)], persona_id_to_is_default: {} }
    },
    {
      method: 'DELETE',
      path: `/api/user/projects/file/${uuid(7)}`,
      reply: { has_associations: false, project_names: [], assistant_names: [] }
    },
    { path: `/api/user/projects/file/${uuid(8)}`, status: 404, reply: { detail: 'gone' } },
    { method: 'DELETE', path: `/api/chat/delete-chat-session/${uuid(20)}` },
    {
      path: '/api/chat/get-user-chat-sessions',
      reply: {
        sessions: [
          { ...chat, id: uuid(21) },
          { ...chat, id: 'not an id' }
        ]
      }
    },
    {
      path: '/api/chat/search',
      reply: {
        groups: [{ title: 'Today', chats: [{ ...chat, time_updated: undefined }] }],
        has_more: false,
        next_page: null
      }
    }
  ])
  expect(rows.userFiles).toEqual([])
  expect(rows.projectFiles).toEqual([])
  expect(rows.personas?.map(({ id }) => id).sort()).toEqual([0, 12])
  expect(rows.chatSessions?.map(({ id }) => id).sort()).toEqual([uuid(20), uuid(21)])
  expect(said).toContain(
    'exchange 6, GET /api/chat/get-user-chat-sessions: chatSessions refer to personas that no reply shows, so these are made: personas 12'
  )
  expect(said).toContain(`exchange 7, GET /api/chat/search: shows chatSessions ${uuid(20)}, which was deleted`)
  expect(said).toMatch(/exchange 6, .*: chatSessions not an id is left out: Input should be a valid UUID/)
  const copy = await startTestMock({ fixtures: set })
  expect((await copy.call('GET', '/api/persona/12', { as: 'basic' })).status).toBe(200)
})

test('the host with most operations is recorded, or the wanted address; without one nothing is', async () => {
  const there = session.map((it) => ({ ...it, path: `https://x.example/base${it.path}` }))
  const here = { path: '/api/user/projects/', reply: [project(44)] }
  expect((await setOf([...there, here])).rows.projects?.map(({ id }) => id)).toEqual([44])
  const wanted = await setOf([...there, here], '--origin', 'https://x.example/base/')
  expect(wanted.rows.projects?.map(({ id }) => id)).toEqual([3, 4])
  const refused = (...options: string[]) =>
    refusalOf(recordCommand(), [archive(there), join(folder, 'none'), ...options])
  expect(await refused()).toContain('no host of the archive has an operation of the contract (https://x.example)')
  expect(await refused('--origin', 'https://x.example/bas')).toContain('https://x.example/bas')
  expect(existsSync(join(folder, 'none'))).toBe(false)
})

test('answers without a body that can be read are counted', async () => {
  const page = { mimeType: 'text/html', text: '<html></html>' }
  const { said } = await setOf([...session, { path: '/api/persona/7' }, { path: '/api/persona/8', content: page }])
  expect(said).toContain('2 of 7 answers have no body that can be read.')
  expect((await setOf(session)).said).not.toContain('no body')
  const deleted = await setOf([...session, { method: 'DELETE', path: '/api/persona/9', reply: null }])
  expect(deleted.said).not.toContain('no body')
})

test('an archive without any body writes nothing, and says how to export it', async () => {
  const file = archive(session.map((it) => ({ ...it, reply: undefined })))
  const said = await refusalOf(recordCommand(), [file, join(folder, 'without')])
  expect(said).toContain('no answer has a body that can be read: nothing is written. Export the archive')
  expect(existsSync(join(folder, 'without'))).toBe(false)
})

test('in objects that no schema describes, names of people and addresses of hosts are replaced, and days stay', async () => {
  const free = {
    since: '2026-02-28',
    at: '2026-02-28T09:00:00+01:00',
    '2026-02-28': 1,
    host: '10.20.30.40',
    '10.20.30.40': { up: true },
    peer: '2001:db8::8a2e:370:7334',
    visits: { marguerite: 3, kurt_miller: 4, tomTokens: 5, max_tokens: 6, name_field: 7, base_url: 'x' }
  }
  const connector = { id: 4, name: 'Wiki', source: 'web', input_type: 'load_state', credential_ids: [] }
  const of = async (...others: Exchange[]) => {
    const { rows, text } = await setOf([
      ...others,
      { path: '/api/manage/connector/4', reply: { ...connector, connector_specific_config: free } }
    ])
    expect(text).not.toMatch(/marguerite|kurt|miller|tomTokens|10\.20\.30\.40|8a2e/i)
    const [{ connector_specific_config: kept }] = rows.connectors as [{ connector_specific_config: typeof free }]
    return kept
  }
  const kept = await of()
  expect(kept).toMatchObject({ since: free.since, at: free.at, '2026-02-28': 1 })
  expect([isIP(kept.host), isIP(kept.peer)]).toEqual([4, 6])
  expect(Object.keys(kept)).toContain(kept.host)
  expect(Object.keys(kept.visits)).toEqual(expect.arrayContaining(['max_tokens', 'name_field', 'base_url']))
  expect(Object.values(kept.visits)).toHaveLength(6)
  expect(await of({ path: '/api/user/projects/', reply: [project(9)] })).toEqual(kept)
})

test('numbers of people and places are replaced where no schema describes them, and times stay', async () => {
  const free = { phone: 36301234567, spot: { lat: 47.4979, room: 12 }, since: 1711929600000 }
  const connector = { id: 4, name: 'Wiki', source: 'web', input_type: 'load_state', credential_ids: [] }
  const { rows } = await setOf([
    { path: '/api/manage/connector/4', reply: { ...connector, connector_specific_config: free } }
  ])
  const [{ connector_specific_config: kept }] = rows.connectors as [{ connector_specific_config: typeof free }]
  expect(`${kept.phone}`).toMatch(/^[1-9]\d{10}$/)
  expect(kept.phone).not.toBe(free.phone)
  expect(`${kept.spot.lat}`).toMatch(/^[1-9]\d?\.\d{1,4}$/)
  expect(kept.spot.lat).not.toBe(free.spot.lat)
  expect([kept.spot.room, kept.since]).toEqual([12, 1711929600000])
})

test('--keep names fields that rows have', async () => {
  for (const field of ['nosuch', 'projects.', 'projects.nosuch'])
    expect(await refusalOf(recordCommand(), [archive(session), join(folder, 'typo'), '--keep', field])).toContain(
      `keep (--keep) names ${field}: no row has such a field.`
    )
})

test('a wrong --learned or --record is refused before the proxy starts', async () => {
  const file = join(folder, 'wrong.json')
  writeFileSync(file, 'none')
  const refused = (...options: string[]) => refusalOf(proxyCommand(), ['http://127.0.0.1:1', '--port', '0', ...options])
  expect(await refused('--shadow', '--learned', file)).toContain('is not a file of an earlier run')
  expect(await refused('--record', join(file, 'folder'))).toContain('wrong.json')
})

test('ids of several words, and names that may be texts, are replaced', async () => {
  const words = { file_id: 'grace-hopper-layoffs.pdf', temp_id: 'grace-hopper-layoffs' }
  const keys = { 'grace-hopper-salary-2024': 'x', AKIAIOSFODNN7EXAMPLE: 'y', Bob_Smith: 'z' }
  const details = { path: '/api/user/projects/3/details', reply: { project: project(3), files: [file(7, words)] } }
  const { text } = await setOf([
    { path: '/api/manage/admin/credential', reply: [credential(5, { credential_json: keys })] },
    details
  ])
  expect(text).not.toMatch(/grace|hopper|salary|AKIA|Smith/i)
})

test('a set that exists stays as it is without --force, and is replaced as a whole', async () => {
  const to = join(folder, 'twice')
  await record(archive(session), to)
  const before = readFileSync(join(to, 'fixtures.json'), 'utf8')
  const later = archive([{ path: '/api/user/projects/', reply: [project(9)] }])
  expect(await refusalOf(recordCommand(), [later, to])).toContain('--force')
  expect(readFileSync(join(to, 'fixtures.json'), 'utf8')).toBe(before)
  const reader = openSync(join(to, 'fixtures.json'), 'r')
  await record(later, to, '--force')
  // Somebody who reads it meanwhile gets all of the former one.
  expect(readFileSync(reader, 'utf8')).toBe(before)
  closeSync(reader)
  expect(readFileSync(join(to, 'fixtures.json'), 'utf8')).not.toBe(before)
  expect(readdirSync(to)).toEqual(['fixtures.json'])
})

const projects = JSON.stringify([project(3)])
const bytes = (it: Buffer | string) => Buffer.from(it).toString('base64')
const path = '/api/user/projects/'
const deep = (n: number) => `[{"id":3,"name":${'{"a":'.repeat(n)}1${'}'.repeat(n)}}]`

test.each<[string, Partial<Exchange>, number[]]>([
  ['in base64', { content: { text: bytes(projects), encoding: 'base64' } }, [3]],
  [
    'in base64 and compressed',
    { content: { text: bytes(gzipSync(projects)), encoding: 'base64' }, headers: { 'Content-Encoding': 'gzip' } },
    [3]
  ],
  [
    'in base64 and said to be compressed',
    { content: { text: bytes(projects), encoding: 'base64' }, headers: { 'content-encoding': 'gzip' } },
    [3]
  ],
  ['of another type', { content: { text: projects, mimeType: 'image/png' } }, [3]],
  ['cut off', { content: { text: projects.slice(0, 40) } }, []],
  ['a page', { content: { text: '<html>', mimeType: 'text/html' } }, []],
  ['left out', { content: {} }, []],
  ['nested without end', { content: { text: deep(100_000) } }, []],
  ['with names that objects have', { content: { text: '[{"id":3,"__proto__":{"id":4},"constructor":"x"}]' } }, [3]],
  ['with half a character', { content: { text: '[{"id":3,"name":"\\ud800 and control \\u0000"}]' } }, [3]],
  [
    'with values of wrong types',
    { reply: [{ id: {} }, { id: [] }, null, 5, { id: 3, user_id: 'nobody', name: 7, chat_sessions: 'none' }] },
    [3]
  ],
  ['dated in another age', { reply: [project(3)], headers: { Date: '+275760-09-13' } }, [3]]
])('a body %s does no harm', async (_, exchange, ids) => {
  const { rows, file: set } = await setOf([
    { path, ...exchange },
    { path: '/api/get-user-role', reply: { role: 'basic' } }
  ])
  expect(rows.projects?.map(({ id }) => id)).toEqual(ids)
  expect((await (await startTestMock({ fixtures: set, now: undefined })).call('GET', '/api/persona/0')).status).toBe(
    200
  )
})

test.each([
  ['without a byte', '', 'Expecting value'],
  ['that is null', 'null', 'not an HTTP Archive'],
  ['without entries', '{"log":{}}', 'not an HTTP Archive'],
  [
    'of entries that are none',
    '{"log":{"entries":[null,1,{},{"request":null},{"request":{"url":5}},{"request":{"url":"https://a.example/x"}}]}}',
    'https://a.example'
  ],
  ['cut off', '{"log":{"entries":[{"request":{"url":"https://a.example/', 'Unterminated string'],
  ['nested without end', `{"log":{"entries":${'['.repeat(100_000)}`, 'nests deeper']
])('an archive %s is refused', async (_, text, named) => {
  expect(await refusalOf(recordCommand(), [archive(text), join(folder, 'refused')])).toContain(named)
})

test('the command line records an archive and a proxy, and the mock starts on both', async () => {
  const service = await startTestMock({ fixtures: 'demo' })
  const to = (name: string) => join(folder, name, 'fixtures.json')
  const refused = await invoke(recordCommand(), [archive([{ path: 'https://other.example/x' }]), join(folder, 'cli')])
  expect([refused.code, refused.stdout]).toEqual([2, ''])
  expect(refused.stderr).toContain('no host of the archive')
  const done = await invoke(recordCommand(), [archive(session), join(folder, 'cli')])
  expect([done.code, done.stderr]).toEqual([0, ''])
  expect(done.stdout).toContain(`--fixtures ${to('cli')}`)
  const proxy = start(['proxy', service.url, '--port', '0', '--record', join(folder, 'live'), '--keep', 'email'])
  const stopped = ended(proxy)
  const url = await ready(proxy)
  const before = await call(url, 'GET', '/api/persona/1', { as: 'admin' })
  proxy.kill('SIGTERM')
  const { code, stderr } = await stopped
  expect([code, stderr]).toEqual([0, expect.stringContaining(`${to('live')}: `)])
  const again = await invoke(proxyCommand(), [service.url, '--port', '0', '--record', join(folder, 'live')])
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('--force')])
  const copy = start(['--fixtures', to('live'), '--port', '0'])
  const { body } = await call(await ready(copy), 'GET', '/api/persona/1', { as: 'admin' })
  expect(Object.keys(body).sort()).toEqual(Object.keys(before.body).sort())
  expect([body.id, body.owner?.email]).toEqual([before.body.id, before.body.owner?.email])
  expect(body.name).not.toBe(before.body.name)
  copy.kill()
  await ended(copy)
})
