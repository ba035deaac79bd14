import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import { verifyCommand } from '../../src/doors/cli/verify.js'
import { documentOf, gives, integer, listOf, objectOf } from '../apis/document/shop.js'
import { operationIds } from '../contract/document.js'
import { isSample } from '../extent.js'
import { invoke, refusalOf } from '../invoke.js'
import { startTestMock } from '../mock.js'
import { startBroken } from './mutants/server.js'

const verifying = (args: string[], env = {}) => invoke(verifyCommand(), args, { env })
const mock = await startTestMock({ profile: 'observed', now: undefined })
const folder = mkdtempSync(join(tmpdir(), 'kcm-verify-'))

test('a server that keeps the contract ends with 0, its answers and how to start a mock like it', async () => {
  const file = join(folder, 'assume.json')
  const { code, stdout, stderr } = await verifying([
    mock.url,
    '--mutating',
    '--cases',
    isSample ? '1' : '10',
    '--write-assumptions',
    file
  ])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('files.deletion=refused')
  expect(stdout).toContain('--assume files.deletion=refused')
  expect(stdout).toMatch(new RegExp(`${operationIds.length} operations, \\d+ checks made \\d+ times, 0 findings`))
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    'files.deletion': 'refused',
    'requests.required': 'observed'
  })

  // With these choices another mock answers alike. round-trip.test.ts tries it with few operations.
  if (isSample) return
  const assume = JSON.parse(readFileSync(file, 'utf8'))
  const like = await startTestMock({ assume, now: undefined })
  expect((await verify({ url: like.url, mutating: true })).assume).toEqual(assume)
})

test('an address with the base path of the document is taken as it is', async () => {
  const items = { get: gives(listOf(objectOf({ id: integer }, ['id']))) }
  const api = documentOf({ '/items': items }, {}, { servers: [{ url: 'https://api.example.com/shop/v2' }] })
  const file = join(folder, 'shop.json')
  writeFileSync(file, JSON.stringify(api))
  const service = await startTestMock({ api })
  const { code, stdout, stderr } = await verifying([`${service.url}/shop/v2/`, '--api', file])
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${service.url}: 1 operation,`)])
  expect(stderr).toBe(
    `${service.url}/shop/v2/ has the base path of the document already, so the base address is ${service.url}.\n`
  )
  expect((await verifying([service.url, '--api', file])).stderr).toBe('')
})

test('a broken contract ends with 1, and says what, where and how to repeat it', async () => {
  const server = await startBroken(() => async (asked) => {
    const reply = await asked.pass()
    if (asked.operation === 'getUserRole' && reply.status === 200) reply.body = { roles: [] }
    return reply
  })
  const file = join(folder, 'report.xml')
  const summary = join(folder, 'summary.md')
  const description = join(folder, 'openapi.yaml')
  writeFileSync(description, 'paths:\n  /api/get-user-role:\n    get: {}\n')
  const args = [server.url, '--operations', 'get*Role', '--report', `junit=${file},github`]
  args.push('--description', description)
  const { code, stdout } = await verifying(args, { GITHUB_STEP_SUMMARY: summary, GITHUB_WORKSPACE: folder, CI: 'true' })
  await server.close()
  expect(code).toBe(1)
  expect(stdout).toContain('✗ getUserRole  response_schema_conformance')
  expect(stdout).toContain(`curl -sS -i ${server.url}/api/get-user-role -H "Authorization: Bearer $TOKEN"`)
  expect(stdout).toMatch(/^::error file=openapi\.yaml,line=3,/m)
  expect(readFileSync(file, 'utf8')).toContain('<failure')
  expect(readFileSync(summary, 'utf8')).toContain('response_schema_conformance')
})

test.each([
  ['a target that is down', ['http://127.0.0.1:9'], 'Nothing listens on http://127.0.0.1:9'],
  ['no operation', [mock.url, '--operations', 'nothing'], '"nothing" matches no operation'],
  ['no check', [mock.url, '--operations', 'unlinkCredential'], 'Give --mutating']
])('%s ends with 2', async (_, args, said) => {
  const { code, stdout, stderr } = await verifying([...args])
  expect(code).toBe(2)
  expect(stderr).toMatch(/^error: /)
  expect(stderr).toContain(said)
  expect(stdout).not.toContain(said)
})

test.each([
  ['no target', [], "missing required argument 'base-url'"],
  ['a wrong option', ['http://127.0.0.1:9', '--mutatin'], 'Did you mean --mutating?'],
  ['a wrong report', ['http://127.0.0.1:9', '--report', 'pdf=x'], 'give junit=<file>'],
  ['a wrong row', ['http://127.0.0.1:9', '--disposable', 'agent=1'], 'with one of persona, connector'],
  ['a missing description', ['http://127.0.0.1:9', '--description', 'none.yaml'], 'description is "none.yaml", which'],
  ['a row of a wrong form', ['http://127.0.0.1:9', '--disposable', 'persona=abc'], 'the id of a persona is an integer'],
  ['a known row of a wrong form', ['http://127.0.0.1:9', '--known', 'file=12'], 'the id of a file is a UUID'],
  [
    'a user who is not an address',
    ['http://127.0.0.1:9', '--disposable', 'user=7'],
    'the id of a user is an e-mail address'
  ],
  ['one token twice', ['http://127.0.0.1:9', '--token', 'x', '--user-token', 'x'], 'userToken is the same as token'],
  ['a wrong header', ['http://127.0.0.1:9', '--header', 'X Tenant=acme'], 'give <name>=<value>'],
  ['a header without a value', ['http://127.0.0.1:9', '--header', 'X-Tenant'], 'give <name>=<value>']
])('%s is refused', async (_, args, said) => {
  expect(await refusalOf(verifyCommand(), args)).toContain(said)
})

test('options come from the environment, too', async () => {
  const { code, stdout } = await verifying([mock.url], { KCM_OPERATIONS: 'getUserRole', KCM_USER_TOKEN: 'basic' })
  expect(code).toBe(0)
  expect(stdout).toContain('1 operation,')
})

test('a row in a program that is no list of ids is refused', async () => {
  const known = { file: 'a87ff679-a2f3-471d-9181-a67b7542122c' } as never
  await expect(verify({ url: 'http://127.0.0.1:9', known })).rejects.toThrow(
    /^known\.file is "a87f.*": give a list of ids/
  )
})
