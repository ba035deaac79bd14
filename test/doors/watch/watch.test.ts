import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openapiCommand } from '../../../src/doors/cli/openapi.js'
import { serveCommand } from '../../../src/doors/cli/serve.js'
import { contractsFolder, type JsonObject } from '../../../src/engine/contract/load.js'
import { invoke } from '../../invoke.js'
import { startTestMock, type TestMock } from '../../mock.js'

let contracts: string
let mock: TestMock
let lines: string[]
let wake: () => void

async function startWatching(): Promise<void> {
  contracts = join(mkdtempSync(join(tmpdir(), 'kcm-watch-')), 'contracts')
  cpSync(contractsFolder, contracts, { recursive: true })
  lines = []
  wake = () => {}
  mock = await startTestMock({
    contracts,
    watch: true,
    strict: false,
    onReload(line) {
      lines.push(line)
      wake()
    }
  })
}

async function stopWatching(): Promise<void> {
  await mock.close()
  rmSync(join(contracts, '..'), { recursive: true })
}

/** Changes a file, as an editor does, and waits for the line about the result. */
async function edit(name: string, change: (text: string) => string): Promise<string> {
  const file = join(contracts, name)
  const before = readFileSync(file, 'utf8')
  expect(change(before)).not.toBe(before)
  const count = lines.length
  const saidSo = new Promise<void>((resolve) => (wake = resolve))
  writeFileSync(`${file}~`, change(before))
  renameSync(`${file}~`, file)
  await saidSo
  expect(lines).toHaveLength(count + 1)
  return lines.at(-1) as string
}

// biome-ignore lint/suspicious/noExplicitAny: contracts are of any shape
const editJson = (name: string, change: (document: any) => void) =>
  edit(name, (text) => {
    const document = JSON.parse(text)
    change(document)
    return JSON.stringify(document, null, 2)
  })

const path = (name: string) => join(contracts, name)

describe('a change', () => {
  beforeEach(startWatching)
  afterEach(stopWatching)

  test('of a contract is loaded, and state, clocks, journals and sandboxes remain', async () => {
    const box = mock.handle('mine')
    await mock.call('POST', '/api/chat/create-chat-session', { as: box.token('basic'), body: { description: 'Plan' } })
    box.clock.advance('2h')
    box.snapshot('before')
    const { state } = box
    const { sha256 } = (await mock.call('GET', '/__mock/health')).body.contract
    const line = await editJson('chat.json', ({ operations }) => {
      operations.createChatSession.summary = 'Begin a chat'
    })
    expect(line).toBe(`reloaded ${path('chat.json')}`)
    const { paths } = (await mock.call('GET', '/openapi.json')).body
    expect(paths['/api/chat/create-chat-session'].post.summary).toBe('Begin a chat')
    expect((await mock.call('GET', '/__mock/health')).body.contract.sha256).not.toBe(sha256)
    expect(box.state).toEqual(state)
    expect(box.requests()).toHaveLength(1)
    expect(box.restore('before').now).toBe('2026-03-02T12:00:00.000Z')
  })

  test('that adds a field accepts the field at once, and names the file', async () => {
    const send = () => mock.call('POST', '/api/chat/create-chat-session', { body: { mood: 'calm' } })
    expect((await send()).headers.get('X-Mock-Violations')).toBe('1')
    const line = await editJson('chat.json', (document) => {
      document.$defs.Mood = { description: 'How it feels.', type: 'string' }
      document.operations.createChatSession.input.body.properties.mood = { $ref: '#/$defs/Mood' }
    })
    expect(line).toBe(`reloaded ${path('chat.json')}`)
    expect((await send()).headers.get('X-Mock-Violations')).toBeNull()
    const wrong = await mock.call('POST', '/api/chat/create-chat-session', { body: { mood: 7 } })
    expect([wrong.status, wrong.body.detail[0].loc]).toEqual([422, ['body', 'mood']])
  })

  test('of a default applies to every sandbox that has not chosen for itself', async () => {
    const [chooser, other] = [mock.handle('chooser'), mock.handle('other')]
    chooser.assume({ 'delete.body': 'empty-object' })
    other.assume({ 'chat.groups': 'one' })
    const line = await editJson('assumptions.json', ({ assumptions }) => {
      assumptions.find(({ id }: { id: string }) => id === 'delete.body').default = '204'
    })
    expect(line).toBe(`reloaded ${path('assumptions.json')}`)
    const answers = [chooser, other, mock.handle('new')].map((box) =>
      mock.call('DELETE', '/api/persona/1', { as: box.token('admin') })
    )
    expect((await Promise.all(answers)).map(({ status, text }) => [status, text])).toEqual([
      [200, '{}'],
      [204, ''],
      [204, '']
    ])
    expect(other.assume({}).find(({ id }) => id === 'chat.groups')?.choice).toBe('one')
  })

  test('that adds an assumption offers it to sandboxes that already exist', async () => {
    const box = mock.handle('older')
    box.snapshot('one')
    await editJson('assumptions.json', ({ assumptions }) => {
      const [entry] = assumptions
      assumptions.push({
        ...entry,
        id: 'role.shape',
        choices: { text: 'A text', number: 'A number' },
        default: 'text',
        observed: 'text'
      })
    })
    await editJson('users.json', ({ operations }) => {
      const schema = operations.getUserRole.responses['200'].schema
      operations.getUserRole.responses['200'].schema = {
        'x-assumption': { 'role.shape': { text: schema, number: { type: 'integer' } } }
      }
    })
    const ask = () => mock.call('GET', '/api/get-user-role', { as: box.token('basic') })
    expect((await ask()).headers.get('X-Mock-Violations')).toBeNull()
    box.assume({ 'role.shape': 'number' } as never)
    expect((await ask()).headers.get('X-Mock-Violations')).toBe('1')
  })

  test('to a file that is no longer JSON keeps the old contracts, and the message has line and column', async () => {
    const line = await edit('chat.json', (text) => text.replace('"title": ', '"title" '))
    expect(line).toBe(
      `kept the old contracts, assumptions and fixtures: ${path('chat.json')}:3:11: Expecting ':' delimiter`
    )
    expect((await mock.call('GET', '/api/get-user-role')).body).toEqual({ role: 'admin' })
    expect(await edit('chat.json', (text) => text.replace('"title" ', '"title": '))).toBe(
      'nothing changed since the last reload'
    )
  })

  test('in one file waits until another broken file is repaired', async () => {
    const { summary } = JSON.parse(readFileSync(path('users.json'), 'utf8')).operations.getUserRole
    await edit('chat.json', (text) => `${text}]`)
    expect(await editJson('users.json', ({ operations }) => (operations.getUserRole.summary = 'Who am I'))).toContain(
      'chat.json'
    )
    const summaryNow = async () =>
      (await mock.call('GET', '/openapi.json')).body.paths['/api/get-user-role'].get.summary
    expect(await summaryNow()).toBe(summary)
    expect(await edit('chat.json', (text) => text.replace(/\]$/, ''))).toBe(`reloaded ${path('users.json')}`)
    expect(await summaryNow()).toBe('Who am I')
  })
})

describe('a file that is not a contract', () => {
  beforeAll(startWatching)
  afterAll(stopWatching)

  // biome-ignore lint/suspicious/noExplicitAny: contracts are of any shape
  test.each<[string, string, (document: any) => void, RegExp]>([
    [
      'a method that there is not',
      'chat.json',
      ({ operations }) => (operations.searchChats.method = 'LOOK'),
      /chat\.json:\d+:\d+ \/operations\/searchChats\/method: .*GET, POST/
    ],
    [
      'a key that there is not',
      'chat.json',
      ({ operations }) => (operations.searchChats.sumary = 'x'),
      /\/operations\/searchChats: must NOT have additional properties: sumary/
    ],
    [
      'a type that there is not',
      'chat.json',
      ({ $defs }) => ((Object.values($defs as JsonObject[])[0] as JsonObject).type = 'strng'),
      /chat\.json:\d+:\d+ \/\$defs\/\w+\/type: /
    ],
    [
      'a reference to nothing',
      'chat.json',
      ({ operations }) => (operations.searchChats.responses['200'].schema = { $ref: '#/$defs/Nothing' }),
      /\/responses\/200\/schema\/\$ref: chat\.json#\/\$defs\/Nothing cannot be resolved/
    ],
    [
      'an assumption that the ledger does not have',
      'chat.json',
      ({ operations }) => (operations.searchChats['x-assumption'] = { 'chat.nothing': { yes: { summary: 'x' } } }),
      /\/operations\/searchChats\/x-assumption\/chat\.nothing: there is no assumption "chat\.nothing"/
    ],
    [
      'a choice that its assumption does not have',
      'chat.json',
      ({ operations }) => (operations.searchChats['x-assumption'] = { 'chat.groups': { two: { summary: 'x' } } }),
      /chat\.groups has no choice "two"/
    ],
    [
      'an operation that no rule answers',
      'chat.json',
      ({ operations }) => (operations.renameChat = { ...operations.searchChats, path: '/api/chat/name' }),
      /chat\.json:\d+:\d+ \/operations\/renameChat: renameChat has no rule: add one to src\/apis\/knowledge-chat\/rules\/chat\//
    ],
    [
      'a path with a parameter that nothing declares',
      'chat.json',
      ({ operations }) => (operations.searchChats.path = '/api/chat/search/{scope}'),
      /\/operations\/searchChats\/path: the path names scope, input\.path declares nothing/
    ],
    [
      'a default that is not one of the choices',
      'assumptions.json',
      ({ assumptions }) => (assumptions[0].default = '404'),
      /assumptions\.json:\d+:\d+ \/assumptions\/0\/default: 404 is not a choice of auth\.unauthenticated\. Choices: 401, 403/
    ],
    [
      'an assumption that rules read, gone',
      'assumptions.json',
      (document) => {
        document.assumptions = document.assumptions.filter(({ id }: { id: string }) => id !== 'files.lifecycle')
      },
      /assumptions\.json:\d+:\d+ \/assumptions: files\.lifecycle is missing, but a rule uses it/
    ]
  ])('%s keeps the old contracts, and the message has the place', async (_, file, change, expected) => {
    const good = readFileSync(path(file), 'utf8')
    const line = await editJson(file, change)
    const served = [
      (await mock.call('GET', '/api/chat/search?query=x')).status,
      (await mock.call('GET', '/api/get-user-role', { as: null })).status
    ]
    // Repaired before anything can fail: the other tests use this mock, too.
    expect(await edit(file, () => good)).toBe('nothing changed since the last reload')
    expect(line).toMatch(/^kept the old contracts, assumptions and fixtures: /)
    expect(line).toMatch(expected)
    expect(served).toEqual([200, 401])
  })
})

describe('serve --contracts', () => {
  beforeAll(startWatching)
  afterAll(stopWatching)

  test('serves the contracts of the folder, and prints their document', async () => {
    await editJson('users.json', ({ operations }) => (operations.getUserRole.summary = 'Who am I'))
    const { stdout } = await invoke(openapiCommand(), ['--contracts', contracts])
    expect(JSON.parse(stdout).paths['/api/get-user-role'].get.summary).toBe('Who am I')
  })

  test('ends with 2 and the place of the error when a file is broken', async () => {
    await edit('chat.json', (text) => `${text}]`)
    const { code, stderr } = await invoke(serveCommand(), ['--port', '0', '--contracts', contracts])
    expect(code).toBe(2)
    expect(stderr).toMatch(/chat\.json:\d+:\d+: Extra data/)
  })

  test('ends with 2 and says how to begin when the folder has no contracts', async () => {
    const { code, stderr } = await invoke(serveCommand(), ['--port', '0', '--contracts', tmpdir()])
    expect([code, stderr]).toEqual([2, expect.stringContaining(`start from a copy of ${contractsFolder}`)])
  })
})
