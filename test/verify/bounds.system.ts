import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyCommand } from '../../src/doors/cli/verify.js'
import { verify } from '../../src/doors/program/handle/verify.js'
import type { MadeRow } from '../../src/tools/verify/made.js'
import { shop } from '../apis/document/shop.js'
import { ended, start } from '../cli.js'
import { isSample } from '../extent.js'
import { invoke } from '../invoke.js'
import { startTestMock } from '../mock.js'
import { type Asked, type Reply, startBroken } from './mutants/server.js'

const verifying = (args: string[], env = {}) => invoke(verifyCommand(), args, { env })
const folder = mkdtempSync(join(tmpdir(), 'kcm-bounds-'))
const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

let files = 0
const newFile = (name: string) => join(folder, `${files++}-${name}`)
const rowsIn = (file: string): MadeRow[] => JSON.parse(readFileSync(file, 'utf8'))
const there = (rows: readonly MadeRow[], kind: string) => rows.filter((it) => it.kind === kind && it.there)

const tokens = { token: 'the-token-of-ada', userToken: 'the-token-of-bob' }
const users: Record<string, string> = { [tokens.token]: 'admin', [tokens.userToken]: 'basic' }

interface Seen {
  method: string
  url: string
  operation: string | undefined
  authorization: string | undefined
  status: number
}

/** A service that is not a mock, with long tokens, and the requests that it gets. */
async function startService(answer: (asked: Asked) => Reply | Promise<Reply> | undefined = () => undefined) {
  const seen: Seen[] = []
  const server = await startBroken(() => async (asked) => {
    const { method, url, operation, headers } = asked
    const { authorization } = headers
    const user = users[/^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? '']
    const own = user ? { headers: { authorization: `Bearer ${user}` } } : {}
    const reply = (await answer(asked)) ?? (await asked.pass(own))
    seen.push({ method, url, operation, authorization, status: reply.status })
    for (const name of Object.keys(reply.headers)) if (name.startsWith('x-mock')) delete reply.headers[name]
    return reply
  })
  closing.push(() => server.close())
  return { url: server.url, seen }
}

const looks = ['getIndexingStatus', 'openUrls', 'validateTool']
const writesIn = (seen: readonly Seen[]) =>
  seen.filter(({ method, operation = '' }) => !/GET|HEAD/.test(method) && !looks.includes(operation))

test('no more calls than that may change something, refused ones too, and the rest is reported', async () => {
  const { url, seen } = await startService()
  const operations = 'E1,E2,E4,E8,E10,E27'
  const { exitCode, notChecked, made } = await verify({ url, ...tokens, mutating: true, maxWrites: 9, operations })
  expect(exitCode).toBe(0)
  const sessions = made.filter(({ kind }) => kind === 'session').length
  expect(writesIn(seen).filter(({ method }) => method !== 'DELETE')).toHaveLength(9)
  expect(writesIn(seen).filter(({ method }) => method === 'DELETE').length).toBeLessThanOrEqual(sessions)
  expect(writesIn(seen).some(({ status }) => status >= 400)).toBe(true)
  expect(notChecked).toContainEqual(
    expect.objectContaining({ operation: 'inviteUsers', why: 'it changes something: see --max-writes' })
  )
})

test('0 is a dry run: it reads, calls what only looks, and prints what would be written', async () => {
  const { url, seen } = await startService()
  const file = newFile('made.json')
  const args = ['--mutating', '--max-writes', '0', '--made', file, '--cases', isSample ? '2' : '10']
  const env = { KCM_TOKEN: tokens.token, KCM_USER_TOKEN: tokens.userToken }
  const { code, stdout } = await verifying([url, ...args], env)
  expect([code, writesIn(seen)]).toEqual([0, []])
  expect(new Set(seen.map(({ operation }) => operation))).toEqual(expect.objectContaining(new Set(looks)))
  expect(stdout).toContain('would be written')
  expect(stdout).toMatch(/createCredential {2}\d+ calls\n {4}POST \/api\/manage\/credential \{/)
  expect(stdout).not.toContain('left behind')
  expect(rowsIn(file)).toEqual([])
})

test('--max-writes with --api, too', async () => {
  const written: string[] = []
  const mock = await startTestMock({
    api: shop,
    onExchange: ({ method, url }) => void (/GET|HEAD/.test(method) || written.push(`${method} ${url}`))
  })
  const dry = await verify({ api: shop, url: mock.url, mutating: true, maxWrites: 0 })
  expect([dry.exitCode, written]).toEqual([0, []])
  expect(dry.withheld.postProducts?.[0]).toMatch(/^POST \/products \{/)
  const { made } = await verify({ api: shop, url: mock.url, mutating: true, maxWrites: 4 })
  expect(made.length).toBeGreaterThan(0)
  expect(written.length).toBeLessThanOrEqual(4 + made.length)
  expect(made.filter((row) => row.there)).toEqual([])
})

test('--made has each row of a run, and says truly whether it is still there', async () => {
  const mock = await startTestMock()
  const before = new Set(
    mock
      .handle('default')
      .rows('credentials')
      .map(({ id }) => id)
  )
  const file = newFile('made.json')
  const { code, stdout } = await verifying([mock.url, '--mutating', '--operations', 'E1,E4,E8,E9', '--made', file])
  expect(code).toBe(0)
  const rows = rowsIn(file)
  const added = mock
    .handle('default')
    .rows('credentials')
    .flatMap(({ id }) => (before.has(id) ? [] : [id]))
  expect(added.length).toBeGreaterThan(0)
  expect(new Set(there(rows, 'credential').map(({ id }) => id))).toEqual(new Set(added))
  expect(stdout).toMatch(
    `left behind: ${added.length} credential${added.length === 1 ? '' : 's'}. --made <file> lists them`
  )
  const left = new Set(
    mock
      .handle('default')
      .rows('chatSessions')
      .map(({ id }) => id)
  )
  const sessions = rows.filter(({ kind }) => kind === 'session')
  expect(sessions.length).toBeGreaterThan(5)
  expect(sessions.filter(({ id }) => left.has(id as string))).toEqual([])
  expect(sessions[0]).toEqual({
    ...{ kind: 'session', id: sessions[0]?.id, operation: 'createChatSession' },
    ...{ there: false, removedBy: 'deleteChatSession' }
  })
})

test('invites, uploads and associations are in it', async () => {
  const { url } = await startService()
  const given = { mutating: true, operations: 'E13,E17,E27', disposable: { connector: [1] } }
  const { made } = await verify({ url, ...tokens, ...given, cases: 1 })
  expect(there(made, 'invite').every(({ id }) => String(id).includes('@'))).toBe(true)
  expect(there(made, 'upload').length).toBeGreaterThan(0)
  const pairs = made.filter(({ kind }) => kind === 'pair')
  expect(pairs.length).toBeGreaterThan(0)
  expect(pairs.filter((it) => it.there || it.removedBy !== 'unlinkCredential')).toEqual([])
})

test('the file of --made is whole after SIGINT, and the rows that can be removed are gone', async () => {
  let child: ReturnType<typeof start> | undefined
  let made = 0
  const mock = await startTestMock({
    onExchange: ({ operation, status }) => {
      if (operation === 'createChatSession' && status < 300 && ++made === 3) child?.kill('SIGINT')
    }
  })
  const file = newFile('made.json')
  const before = mock.handle('default').rows('chatSessions').length
  child = start(['verify', mock.url, '--mutating', '--operations', 'E1,E2,E4', '--made', file])
  const { code, stderr } = await ended(child)
  expect([code, stderr]).toEqual([2, 'error: the run was interrupted.\n'])
  const rows = rowsIn(file)
  expect(rows.filter(({ kind }) => kind === 'session').length).toBeGreaterThanOrEqual(3)
  expect(there(rows, 'session')).toEqual([])
  expect(mock.handle('default').rows('chatSessions')).toHaveLength(before)
})

test('the file of --made is there with exit code 2, too', async () => {
  const file = newFile('made.json')
  writeFileSync(file, '[{"kind": "session", "id": "of an earlier run"}]')
  expect(await verifying(['http://127.0.0.1:9', '--made', file])).toMatchObject({ code: 2 })
  expect(rowsIn(file)).toEqual([])
})

test('--max-time ends a run, which removes its rows and reports what it did not check', async () => {
  const { url, seen } = await startService(({ operation, method }) =>
    // The first agents are there, and then none is answered.
    operation === 'getPersona' && method === 'GET' && seen.length > 120 ? new Promise(() => undefined) : undefined
  )
  const given = { mutating: true, operations: 'E1,E4,E5', timeout: 600_000 }
  const { exitCode, findings, notChecked, made } = await verify({ url, ...tokens, ...given, maxTime: 4 })
  expect([exitCode, findings]).toEqual([0, []])
  expect(notChecked.map(({ why }) => why)).toContain('the time of the run is over: see --max-time')
  expect(made.some(({ kind }) => kind === 'session')).toBe(true)
  expect(there(made, 'session')).toEqual([])
})

test('--fail-fast makes no check after the first finding, and removes its rows', async () => {
  const { url, seen } = await startService(async (asked) => {
    if (asked.operation !== 'listChatSessions' || asked.method !== 'GET') return undefined as never
    return { status: 500, headers: { 'content-type': 'application/json' }, body: { detail: 'broken' } }
  })
  const given = { mutating: true, operations: 'E1,E2,E4,E8' }
  const whole = await verify({ url, ...tokens, ...given })
  expect(whole.findings.length).toBeGreaterThan(1)
  const requests = seen.length
  const results: string[] = []
  const first = await verify({ url, ...tokens, ...given, failFast: true, onCheck: (it) => results.push(it.outcome) })
  expect([first.exitCode, first.findings]).toEqual([1, [{ ...whole.findings[0], more: 0 }]])
  expect(results.indexOf('broken')).toBe(results.length - 1)
  expect(seen.length - requests).toBeLessThan(requests)
  expect(first.made.filter((row) => row.there && row.kind === 'session')).toEqual([])
  expect(first.notChecked.map(({ why }) => why)).toContain('there is a finding: see --fail-fast')
})

test('with one case, a run makes far fewer requests than with ten, and makes the same checks', async () => {
  const { url, seen } = await startService()
  const given = { ...tokens, url, mutating: true, operations: 'E1,E5,E6,E8,E16,E23' }
  const whole = await verify(given)
  const requests = seen.length
  const one = await verify({ ...given, cases: 1 })
  expect((seen.length - requests) / requests).toBeLessThan(0.65)
  expect([one.exitCode, whole.exitCode]).toEqual([0, 0])
  const checksOf = ({ checks }: typeof one) => new Set(checks.map(({ operation, check }) => `${operation} ${check}`))
  expect(checksOf(one)).toEqual(checksOf(whole))
})

test.each([[false], [true]])('no address has a token, with mutating %s', async (mutating) => {
  const { url, seen } = await startService()
  const { exitCode } = await verify({ url, ...tokens, mutating, operations: 'E1,E2,E9,E29' })
  expect(exitCode).toBe(0)
  const addresses = seen.map((it) => decodeURIComponent(it.url.replace(/%(?![0-9a-f]{2})|%E0%A4%A/gi, '')))
  expect(addresses.filter((it) => Object.keys(users).some((token) => it.includes(token)))).toEqual([])
  expect(addresses.filter((it) => it.includes('token=kcm-verify-no-such-token')).length).toBeGreaterThan(0)
})

describe('tokens of commands', () => {
  /** A service with tokens that end after some requests. The command gives the present one, and writes that it was asked. */
  async function expiring(after: number) {
    const [token, log] = [newFile('token'), newFile('log')]
    const current = { number: 0, used: 0 }
    const issue = () => writeFileSync(token, `  admin-token-${++current.number}\n`)
    issue()
    const service = await startService(async (asked) => {
      const [, number] = /^Bearer admin-token-(\d+)$/.exec(asked.headers.authorization ?? '') ?? []
      if (number === undefined) return undefined as never
      if (Number(number) !== current.number) {
        return { status: 401, headers: { 'content-type': 'application/json' }, body: { detail: 'Expired' } }
      }
      if (++current.used % after === 0) issue()
      return asked.pass({ headers: { authorization: 'Bearer admin' } })
    })
    const asked = () => readFileSync(log, 'utf8').trim().split('\n').length
    return { ...service, tokenCommand: `echo asked >> ${log}; cat ${token}`, asked, issued: () => current.number }
  }

  test('a token is asked for at the start and after a 401, once by requests at the same time', async () => {
    const { url, tokenCommand, asked, issued } = await expiring(150)
    const given = { mutating: true, operations: 'E1,E2,E4,E8,E29', cases: 3 }
    const { exitCode, findings } = await verify({ url, tokenCommand, userToken: tokens.userToken, ...given })
    expect([exitCode, findings]).toEqual([0, []])
    expect(issued()).toBeGreaterThan(2)
    // The last one may be issued with the last request.
    expect([issued(), issued() - 1]).toContain(asked())
  })

  test('a wrong token asks for none', async () => {
    const { url, tokenCommand, asked } = await expiring(1e9)
    expect(await verify({ url, tokenCommand, operations: 'E2,E29' })).toMatchObject({ exitCode: 0, findings: [] })
    expect(asked()).toBe(1)
  })

  test('the other user has a command, too', async () => {
    const { url, tokenCommand } = await expiring(1e9)
    const userTokenCommand = `printf ${tokens.userToken}`
    const { checks } = await verify({ url, tokenCommand, userTokenCommand, operations: 'E2,E10' })
    expect(checks.map(({ check }) => check)).toContain('admin_only')
  })

  test.each([
    [
      'fails',
      'echo secret-in-stdout; echo no login >&2; exit 3',
      'the command of --token-command failed (3): no login.'
    ],
    ['prints nothing', 'true', 'the command of --token-command prints no token.']
  ])('a command that %s ends with 2', async (_, command, said) => {
    const { url } = await startService()
    const { code, stderr, stdout } = await verifying([url, '--token-command', command])
    expect([code, stderr]).toEqual([2, `error: ${said}\n`])
    expect(stdout).not.toContain('secret-in-stdout')
  })

  test('a command that fails later ends with 2, and the rows of the run are listed', async () => {
    const gone = newFile('gone')
    let sent = 0
    const { url } = await startService(async ({ headers }) => {
      if (headers.authorization === `Bearer ${tokens.token}` && ++sent > 200)
        return { status: 401, headers: { 'content-type': 'application/json' }, body: { detail: 'Expired' } }
      return undefined as never
    })
    const tokenCommand = `test ! -e ${gone} && touch ${gone} && printf ${tokens.token}`
    const { exitCode, problem, made } = await verify({ url, tokenCommand, mutating: true, operations: 'E1,E4,E8' })
    expect([exitCode, problem]).toEqual([2, 'the command of --token-command failed (1).'])
    expect(there(made, 'session').length).toBeGreaterThan(0)
  })
})

/** A module that makes rows through the control API of a mock. */
function moduleOf(url: string): string {
  const file = newFile('rows.mjs')
  const collections = { persona: 'personas', tool: 'tools', credential: 'credentials' }
  writeFileSync(
    file,
    `const collections = ${JSON.stringify(collections)}
    const call = async (method, path, body) => {
      const reply = await fetch('${url}/__mock/state/' + path, { method, body, headers: { 'content-type': 'application/json' } })
      return { ok: reply.ok, row: method === 'POST' && await reply.json() }
    }
    export async function make(kind) {
      return collections[kind] && (await call('POST', collections[kind], '{}')).row.id
    }
    export async function remove(kind, id) {
      return kind in collections && (await call('DELETE', collections[kind] + '/' + id)).ok
    }`
  )
  return file
}

test('--rows makes the rows that the interface cannot make, for the chosen operations, and removes what is left', async () => {
  const mock = await startTestMock({ fixtures: 'empty' })
  const [file, rows] = [newFile('made.json'), moduleOf(mock.url)]
  const args = ['--user-token', '', '--mutating', '--operations', 'E5,E7,E8,E20', '--made', file, '--rows', rows]
  const { code, stderr, stdout } = await verifying([mock.url, ...args])
  expect([code, stderr, /✗.*/.exec(stdout)?.[0]]).toEqual([0, '', undefined])
  const made = rowsIn(file)
  expect(made.filter(({ operation }) => operation === 'make').map(({ kind }) => kind)).toEqual([
    ...['persona', 'tool', 'tool']
  ])
  expect(made.find(({ kind }) => kind === 'persona')).toMatchObject({ there: false, removedBy: 'deletePersona' })
  expect(made.filter((row) => row.there)).toEqual([])
  expect(made.filter(({ kind, removedBy }) => kind === 'credential' && removedBy !== 'remove')).toEqual([])
  expect(stdout).not.toContain('left behind')
  expect(mock.handle('default').rows('credentials')).toEqual([])
})

test('--rows makes none without writes', async () => {
  const make = jest.fn<undefined, []>()
  const { url } = await startService()
  await verify({ url, ...tokens, rows: { make }, operations: 'E5' })
  await verify({ url, ...tokens, rows: { make }, operations: 'E5', mutating: true, maxWrites: 0 })
  expect(make).not.toHaveBeenCalled()
})

test.each([
  ['a module without make', 'export const remove = () => {}', 'has no function make: export make(kind).'],
  ['a make that throws', "export const make = () => { throw new Error('no database') }", 'failed: no database.'],
  ['an id of another form', "export const make = () => 'seven'", 'returned "seven", not an integer, such as persona=7.']
])('--rows: %s ends with 2', async (_, text, said) => {
  const { url } = await startService()
  const file = newFile('rows.mjs')
  writeFileSync(file, text)
  const args = [url, '--mutating', '--operations', 'E5', '--rows', file]
  const { code, stderr } = await verifying(args, { KCM_TOKEN: tokens.token })
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
})

test('a make that never ends is given up when the time of the run is over', async () => {
  const { url } = await startService()
  const rows = { make: () => new Promise<never>(() => {}) }
  const { notChecked } = await verify({ url, ...tokens, rows, operations: 'E5', mutating: true, maxTime: 1 })
  expect(notChecked.map(({ why }) => why).join()).toContain('the time of the run is over: see --max-time')
})

test('--rows with --api it makes the rows of collections without a POST', async () => {
  const api = newFile('api.json')
  const { paths, ...document } = {
    openapi: '3.1.0',
    info: { title: 'Lamps', version: '1' },
    paths: {
      '/lamps': { get: { operationId: 'listLamps', responses: lamps('array') } },
      '/lamps/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { operationId: 'getLamp', responses: lamps('object') },
        delete: { operationId: 'deleteLamp', responses: { 204: { description: 'Gone' } } }
      }
    }
  }
  writeFileSync(api, JSON.stringify({ ...document, paths }))
  const mock = await startTestMock({ api })
  const rows = {
    make: async (kind: string) => (await mock.call('POST', `/__mock/state/${kind}`, { body: {} })).body.id
  }
  const { findings, checks, made } = await verify({ api, url: mock.url, mutating: true, rows })
  expect(findings).toEqual([])
  expect(checks).toContainEqual(expect.objectContaining({ operation: 'getLamp', check: 'use_after_free' }))
  // The order of a list shows only in three of them.
  expect(made.map(({ kind, operation }) => `${kind} ${operation}`)).toEqual(Array(3).fill('lamps make'))
  expect(made.filter((row) => row.there)).toEqual([])
})

const lamps = (type: string) => {
  const lamp = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, colour: { type: 'string' } }
  }
  const schema = type === 'array' ? { type, items: lamp } : lamp
  return { 200: { description: 'Lamps', content: { 'application/json': { schema } } } }
}
