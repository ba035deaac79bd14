import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import { scenarioCommand } from '../../../src/doors/cli/scenario.js'
import { invoke } from '../../invoke.js'
import { startTestMock } from '../../mock.js'

const scenario = (args: string[]) => invoke(scenarioCommand(), args)

const folder = mkdtempSync(join(tmpdir(), 'kcm-run-'))
const file = (name: string, content: object): string => {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}
const rename = { call: { operation: 'updatePersona', path: { persona_id: 1 }, body: { name: 'Played' } } }
const good = file('good.json', { start: { fixtures: 'demo' }, steps: [rename] })
const failing = file('failing.json', {
  steps: [{ call: { operation: 'getUserRole', expect: { body: { role: 'nobody & "none"' } } } }]
})
const broken = file('broken.json', { steps: [{ call: { operation: 'getNothing' } }] })
const refused = file('refused.json', { steps: [{ create: { collection: 'labels', part: { name: 7 } } }] })

test('plays files and names in a new mock, and ends with 0 if all expectations are met', async () => {
  const { code, stdout, stderr } = await scenario(['run', good, 'first-day'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toBe(`held    ${good}, 1 steps\nheld    first-day, 7 steps\n`)
})

test('ends with 1 if an expectation fails, shows the difference, and plays the others; JUnit has all of them', async () => {
  const report = join(folder, 'junit.xml')
  const { code, stdout } = await scenario(['run', failing, good, '--junit', report])
  expect(code).toBe(1)
  expect(stdout).toContain('Step 1 (call getUserRole): body.role is "admin", not "nobody & \\"none\\""')
  expect(stdout).toContain(`held    ${good}`)
  const names: string[] = []
  const parser = new SaxesParser()
  parser.on('opentag', ({ name, attributes }) => names.push(`${name} ${attributes.failures ?? attributes.name ?? ''}`))
  parser.write(readFileSync(report, 'utf8')).close()
  expect(names).toEqual(['testsuites ', 'testsuite 1', 'testcase failing', 'failure ', 'testcase good'])
})

test.each([
  ['a file that is not a scenario', [broken], 'steps.0.call.operation'],
  ['a file that there is not', [join(folder, 'none.json')], 'no such file'],
  ['a name that there is not', ['nothing'], 'one of first-day'],
  ['a step that is refused', [refused], 'Step 1 (create labels)'],
  ['a target that answers everything with a page', [good, '--target', 'page'], 'no mock answers there'],
  ['a target that does not answer', [good, '--target', 'http://127.0.0.1:9'], 'no mock answers there'],
  ['no file', [], 'missing required argument']
])('ends with 2 for %s', async (_, args, text) => {
  const server = createServer((_, response) => void response.end('<form>Sign in</form>')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, stdout, stderr } = await scenario(['run', ...args.map((it) => (it === 'page' ? page : it))])
  server.close()
  expect(code).toBe(2)
  expect(stdout + stderr).toContain(text)
})

test('plays in a running mock, in the named sandbox, with its control token', async () => {
  const mock = await startTestMock({ controlToken: 'secret' })
  const args = ['run', good, '--target', mock.url, '--sandbox', 'played']
  expect((await scenario(args)).code).toBe(2)
  expect((await scenario([...args, '--control-token', 'secret'])).code).toBe(0)
  expect(mock.handle('played').rows('personas')).toContainEqual(expect.objectContaining({ id: 1, name: 'Played' }))
  expect(mock.handle('default').rows('personas')).not.toContainEqual(expect.objectContaining({ name: 'Played' }))
})

test('calls its target only: no redirect and no address in a step leads elsewhere', async () => {
  const paths: string[] = []
  const other = createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`)
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const elsewhere = `127.0.0.1:${(other.address() as AddressInfo).port}`
  const target = createServer((request, response) => {
    if (request.url === '/mock/__mock/health') return response.end('{"status": "ok"}')
    response.writeHead(307, { Location: `http://${elsewhere}/redirected` }).end()
  }).listen(0, '127.0.0.1')
  await once(target, 'listening')
  const base = `http://127.0.0.1:${(target.address() as AddressInfo).port}/mock`
  const call = (url: string) => file('away.json', { steps: [{ call: { url, expect: { status: 307 } } }] })
  const play = (url: string) => scenario(['run', call(url), '--target', base])
  try {
    expect((await play('/api/persona/1')).code).toBe(0)
    for (const url of ['/../away', '/a/%2e%2e/../away', `//${elsewhere}/away`, `/\\${elsewhere}/away`]) {
      const { code, stdout } = await play(url)
      expect([url, code, stdout]).toEqual([
        url,
        2,
        expect.stringMatching(/leads (away from the target|to another server)/)
      ])
    }
    expect(paths).toEqual([])
  } finally {
    other.close()
    target.close()
  }
})
