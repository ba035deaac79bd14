import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import { serveCommand } from '../../src/doors/cli/serve.js'
import { verifyCommand } from '../../src/doors/cli/verify.js'
import { ready, start } from '../cli.js'
import { invoke, refusalOf } from '../invoke.js'
import { call, startTestMock } from '../mock.js'
import { startForeign } from './foreign/service.js'

const verifying = (args: string[], env = {}) => invoke(verifyCommand(), args, { env })
const folder = mkdtempSync(join(tmpdir(), 'kcm-round-'))

const operations = 'createChatSession,createCredential,linkCredential'

test('the file of --write-assumptions makes the mock need and refuse the fields that the server does', async () => {
  const choices = ['needed E1 description', 'needed E8 name', 'nulls-taken']
  const service = await startForeign({ choices })
  const file = join(folder, 'service.json')
  const tokens = ['--token', service.adminToken, '--user-token', service.userToken]
  const args = [service.url, '--mutating', '--operations', operations, '--cases', '1', ...tokens]
  expect(await verifying([...args, '--write-assumptions', file])).toMatchObject({ code: 0, stderr: '' })
  const written = JSON.parse(readFileSync(file, 'utf8'))
  expect(written['requests.required']).toBe('fields:createChatSession.description,createCredential.name')
  const nullable: string[] = written['requests.null'].slice('fields:'.length).split(',')
  expect(nullable).toContain('createChatSession.project_id')
  expect(nullable).not.toContain('createChatSession.description')

  const mock = await startTestMock({ assume: written, now: undefined })
  const { assume, findings } = await verify({ url: mock.url, mutating: true, operations, cases: 1 })
  expect(findings).toEqual([])
  for (const id of ['requests.required', 'requests.null', 'requests.unknown-fields', 'errors.unreadable-body']) {
    expect([id, assume[id]]).toEqual([id, written[id]])
  }
  const path = '/api/chat/create-chat-session'
  for (const body of [{}, { description: null }, { description: 'x', project_id: null }, { description: 7 }]) {
    const [theirs, ours] = await Promise.all([
      call(service.url, 'POST', path, { as: service.adminToken, body }),
      mock.call('POST', path, { body })
    ])
    const locs = (answer: typeof ours) => answer.body.detail?.map(({ loc }: { loc: unknown }) => loc)
    expect([body, ours.status, locs(ours)]).toEqual([body, theirs.status, locs(theirs)])
  }
  await service.close()

  const served = start(['--port', '0', '--assume', `@${file}`])
  const url = await ready(served)
  const { status, body } = await call(url, 'POST', path, { body: {} })
  expect([status, body.detail[0].loc]).toEqual([422, ['body', 'description']])
  served.kill('SIGTERM')
})

test.each([
  [
    'a field that no body has',
    'requests.required=fields:createChatSession.nme',
    'names createChatSession.nme, which is not a field'
  ],
  [
    'a field that is never null',
    'requests.null=fields:createCredential.credential_json',
    'not a field that can be null'
  ],
  ['a file that is not there', '@none.json', 'none.json'],
  ['a file of another form', '@package.json', 'There is no assumption "name"']
])('%s is refused', async (_, assume, said) => {
  expect(await refusalOf(serveCommand(), ['--port', '0', '--assume', assume])).toContain(said)
})

test('the control API refuses fields that no body has, and continues to answer', async () => {
  const mock = await startTestMock()
  const change = (choice: string) =>
    mock.call('PATCH', '/__mock/assumptions', { body: { 'requests.required': choice } })
  const { status, text } = await change('fields:createChatSession.nme')
  expect([status, text]).toEqual([400, expect.stringContaining('createChatSession.nme')])
  expect((await mock.call('POST', '/api/chat/create-chat-session', { body: {} })).status).toBe(200)
  expect((await change('fields:createChatSession.description')).status).toBe(200)
  expect((await mock.call('POST', '/api/chat/create-chat-session', { body: {} })).status).toBe(422)
})
