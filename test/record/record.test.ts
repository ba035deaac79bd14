import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recorderFor, summaryOf } from '../../src/doors/cli/record.js'
import { contractsFolder } from '../../src/engine/contract/load.js'
import { recordLive } from '../../src/tools/record/live.js'
import { textsIn } from '../../src/tools/record/traffic.js'
import { isSample } from '../extent.js'
import { type Answer, call, startTestMock, type TestMock } from '../mock.js'
import { startForeign } from '../verify/foreign/service.js'
import { type Get, play, record, secrets, structureOf, typed } from './session.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-record-'))

const keys = ['admin', 'basic', 'curator'] as const
const fixturesIn = (name: string) => join(folder, name, 'fixtures.json') as `${string}.json`

/** Plays a session on a service, through a proxy that records it into a folder. */
async function recorded(name: string, url: string, users: readonly [string, string, string], seed: number) {
  const answers: Answer[] = []
  const entries: object[] = []
  let said = ''
  const recording = recordLive(await recorderFor(join(folder, name), { seed }), (it) => (said += it), summaryOf)
  const upstream = { url, mocked: new Set<string>(), strict: false, timeout: 60_000, recording }
  const proxy = await startTestMock({ strict: false, auth: 'any', upstream, now: undefined })
  const ask = async (method: string, path: string, options: { as: string; body?: unknown }) => {
    const answer = await call(proxy.url, method, path, options)
    answers.push(answer)
    entries.push(entryOf(url, method, path, options, answer))
    return answer
  }
  // A right agent of the foreign service is hidden from others without an owner, whom the mock shows it to.
  const without = users[0] === 'admin' ? undefined : /(PATCH|DELETE) .*persona/
  const gets = await play(ask, { users, seed, calls: 200, without })
  await proxy.close()
  const har = join(folder, `${name}.har`)
  writeFileSync(har, JSON.stringify({ log: { entries } }))
  return { gets, answers, said, har }
}

/** An exchange as browsers export it. */
function entryOf(
  url: string,
  method: string,
  path: string,
  { as, body }: { as: string; body?: unknown },
  { status, headers, text }: Answer
) {
  const listed = (pairs: Iterable<[string, string]>) => [...pairs].map(([name, value]) => ({ name, value }))
  return {
    startedDateTime: new Date().toISOString(),
    request: {
      method,
      url: url + path,
      headers: [{ name: 'Authorization', value: `Bearer ${as}` }],
      ...(body !== undefined && { postData: { mimeType: 'application/json', text: JSON.stringify(body) } })
    },
    response: { status, headers: listed(headers), content: { mimeType: 'application/json', text } }
  }
}

/** The rows of a set, without the times that are those of calls. */
function rowsIn(name: string): unknown {
  const { collections } = JSON.parse(readFileSync(fixturesIn(name), 'utf8'))
  return JSON.parse(JSON.stringify(collections), (field, it) =>
    /^(linked_at|invited_at|starts_at|settles_at|time_created)$/.test(field) ? typeof it : it
  )
}

/** A body without what services are free in: how they group what a search finds. */
const found = (body: { groups?: { chats: unknown[] }[] } | undefined) =>
  body?.groups ? body.groups.flatMap((it) => it.chats) : body

/** The GETs on the service, and on the mock that starts with what was recorded. */
async function compare(
  gets: Get[],
  url: string,
  users: readonly string[],
  copy: TestMock,
  shown: (body: Answer['body']) => unknown = (it) => it
): Promise<void> {
  for (const { as, path } of gets) {
    const before = await call(url, 'GET', path, { as })
    const after = await copy.call('GET', path, { as: keys[users.indexOf(as)] as string })
    const of = ({ status, body }: Answer) => [as, path, status, structureOf(shown(body))]
    expect(of(after)).toEqual(of(before))
  }
}

const contracts = readdirSync(contractsFolder)
  .filter((it) => it.endsWith('.json'))
  .map((it) => readFileSync(join(contractsFolder, it), 'utf8'))
const words = new Set(contracts.flatMap((text) => text.match(/(?<=")\w+(?=")/g) ?? []))
/** Words of the contracts, ids and times are not private. */
const isOpen = (text: string, field: string) =>
  /^(id|.*_ids?|users)$/.test(field) ||
  /^\d{4}-\d\d-\d\dT[\d:.]+/.test(text) ||
  /^federated_/.test(text) ||
  words.has(text)

/** The texts of answers that are in a file. Names of fields may be words of texts. */
function leaks(answers: Answer[], name: string): string[] {
  const written = readFileSync(fixturesIn(name), 'utf8')
  const values = [...textsIn(JSON.parse(written))].filter(([text, field]) => !isOpen(text, field)).map(([text]) => text)
  const texts = answers.flatMap(({ body }) => [...textsIn(body)])
  const own = texts.filter(([text, field]) => text.length > 4 && !isOpen(text, field)).map(([text]) => text)
  expect(own.length).toBeGreaterThan(50)
  const all = values.join('\n')
  const isThere = (text: string) =>
    /^[!-?A-~]+$/.test(text) ? all.includes(text) : written.includes(JSON.stringify(text).slice(1, -1))
  return [...new Set([...own, ...typed, ...secrets])].filter(isThere)
}

const seeds = isSample ? [1] : [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

test.each(seeds)(
  'what a client saw of the mock starts a mock that answers the same GETs in the same form (seed %i)',
  async (seed) => {
    const service = await startTestMock({ seed })
    const { gets, answers, said, har } = await recorded(`mock-${seed}`, service.url, keys, seed)
    expect(gets.length).toBeGreaterThan(40)
    expect(answers.length).toBeGreaterThan(240)
    expect(said).toContain('rows of')
    const copy = await startTestMock({ fixtures: fixturesIn(`mock-${seed}`), now: undefined })
    await compare(gets, service.url, keys, copy)
    expect(leaks(answers, `mock-${seed}`)).toEqual([])
    // It is alive.
    const made = await copy.call('POST', '/api/chat/create-chat-session', { as: 'basic', body: { description: 'New' } })
    const { sessions } = (await copy.call('GET', '/api/chat/get-user-chat-sessions', { as: 'basic' })).body
    expect(sessions.map(({ id }: { id: string }) => id)).toContain(made.body.chat_session_id)
    // The archive of the same traffic gives the same rows.
    await record(har, join(folder, `har-${seed}`), '--seed', `${seed}`)
    expect(rowsIn(`har-${seed}`)).toEqual(rowsIn(`mock-${seed}`))
  }
)

test.each(seeds)('what a client saw of another service does, too (seed %i)', async (seed) => {
  const users = ['tok-ada', 'tok-bob', 'tok-cyd'] as const
  const service = await startForeign()
  try {
    const { gets, answers } = await recorded(`foreign-${seed}`, service.url, users, seed)
    const assume = { 'credential.visibility': 'admins-see-all' }
    const copy = await startTestMock({ fixtures: fixturesIn(`foreign-${seed}`), now: undefined, assume })
    await compare(gets, service.url, users, copy, found)
    expect(leaks(answers, `foreign-${seed}`)).toEqual([])
  } finally {
    await service.close()
  }
})
