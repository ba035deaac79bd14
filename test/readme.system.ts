import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SandboxHandle } from '../src/doors/program/handle/sandbox-handle.js'
import { packageRoot } from '../src/engine/contract/load.js'
import { ended, ready, start } from './cli.js'
import { operationIds } from './contract/document.js'
import { documents, documentWith } from './documents.js'
import { isSample } from './extent.js'
import { call, startTestMock } from './mock.js'

const readme = documents.get('README.md') as string
const mock = await startTestMock({ now: undefined })

const shell = async (command: string) =>
  (await promisify(execFile)('bash', ['-c', command.replaceAll('http://127.0.0.1:4010', mock.url)])).stdout

test('the first request of the README has the answer that it shows', async () => {
  const [, command, answer] = /```console\n\$ (.*)\n([\s\S]*?)```/.exec(readme) as unknown as [string, string, string]
  const output = (await shell(command)).replace(/\r/g, '').replace(/^(Date|Connection|Keep-Alive): .*\n/gm, '')
  expect(output.replace(/^X-Mock-Request-Id: r\d+$/m, 'X-Mock-Request-Id: r1').trim()).toBe(answer.trim())
})

test('the tour of the control API works as described', async () => {
  const [, tour] = /<!-- control -->\n\n```sh\n([\s\S]*?)```/.exec(documentWith('<!-- control -->')) as unknown as [
    string,
    string
  ]
  const [functions, ...steps] = tour.split(/\n\n(?=#)/) as [string, ...string[]]
  const answers: unknown[][] = []
  for (const step of steps) {
    const commands = step.split('\n').filter((line) => /^(control|api) /.test(line))
    const outputs: unknown[] = []
    for (const command of commands) {
      const text = await shell(`${functions}\n${command}`)
      outputs.push(text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text.trim())
    }
    answers.push(outputs)
  }
  expect(answers).toEqual([
    [expect.objectContaining({ fixtures: 'demo', seed: 7, now: '2026-03-02T10:00:00.000Z' })],
    [{ now: '2026-03-02T12:00:00.000Z', speed: 0 }],
    [
      expect.objectContaining({ name: 'Tour' }),
      expect.objectContaining({ file_type: 'application/pdf', status: 'PROCESSING' }),
      { rows: Array(3).fill(expect.objectContaining({ in_repeated_error_state: true })) },
      expect.objectContaining({ id: 101, status: 'PAUSED' }),
      { rows: [expect.objectContaining({ name: 'Tour' })], total: 1 }
    ],
    [
      expect.objectContaining({ name: 'before' }),
      'null',
      expect.objectContaining({ seed: 7 }),
      expect.objectContaining({ id: 1 })
    ],
    [{ detail: expect.any(String) }, { role: 'admin' }, 'no answer'],
    [expect.objectContaining({ remaining: 2 }), { detail: 'Busy' }],
    [{ assumptions: expect.arrayContaining([expect.objectContaining({ id: 'delete.body', choice: '204' })]) }],
    [
      { detail: 'Not Found' },
      expect.objectContaining({
        requests: [expect.objectContaining({ url: '/api/persnoa/1', near_misses: expect.any(Array) })],
        total: 1
      }),
      expect.objectContaining({ id: 'r1', operation: 'deletePersona' })
    ],
    [expect.objectContaining({ summary: expect.objectContaining({ operations: operationIds.length, covered: 3 }) })],
    [expect.objectContaining({ name: 'fork' }), { removed: 1 }]
  ])
})

test('every option of the table is one of serve, and every option of serve is in the table', async () => {
  const help = await shell(`node ${join(packageRoot(), 'dist/main.js')} serve --help`)
  const options = (text: string) => new Set(text.match(/--[a-z][a-z-]+/g))
  const [, table] = /<!-- options -->([\s\S]*?)<!-- .options -->/.exec(documentWith('<!-- options -->')) as unknown as [
    string,
    string
  ]
  const served = options(help)
  for (const general of ['--help', '--version', '--config']) served.delete(general)
  expect([...options(table)].sort()).toEqual([...served].sort())
})

test.each(['program', 'arrange', 'before-and-after'])('the example "%s" runs unchanged', async (name) => {
  const [, program] = new RegExp(`<!-- ${name} -->\\n\\n\`\`\`js\\n([\\s\\S]*?)\`\`\``).exec(
    documentWith(`<!-- ${name} -->`)
  ) as unknown as [string, string]
  const args = ['--input-type=module', '-e', program]
  const env = { ...process.env, NODE_OPTIONS: '' }
  // A package finds itself by its name in its own folder.
  await promisify(execFile)(process.execPath, args, { cwd: packageRoot(), env })
})

test('what the README says of each task works: in a sandbox, or as a command', async () => {
  const [, table] = /<!-- tasks -->([\s\S]*?)<!-- .tasks -->/.exec(readme) as unknown as [string, string]
  const codes = [...table.matchAll(/\| `([^`]+)` \|/g)].map(([, code]) => code as string)
  const calls = codes.filter((code) => code.startsWith('box.'))
  expect([codes.length, calls.length]).toEqual([10, 6])
  const boxes = calls.map((_, at) => mock.handle(`task-${at}`))
  for (const [at, code] of calls.entries())
    for (const call of code.split('; ')) await new Function('box', `return ${call}`)(boxes[at])
  const boxOf = (word: string) => boxes[calls.findIndex((code) => code.includes(word))] as SandboxHandle
  const statusOf = async (word: string) => (await mock.call('GET', '/api/persona/1', boxOf(word))).status
  expect([await statusOf('times'), await statusOf('times')]).toEqual([503, 200])
  expect([await statusOf('sequence'), await statusOf('sequence'), await statusOf('sequence')]).toEqual([200, 503, 200])
  expect((await mock.call('GET', '/__mock/weather', boxOf('flaky'))).body.profile).toBe('flaky')
  expect([boxOf('freeze').clock.speed, boxOf('freeze').clock.now > boxOf('times').clock.now]).toEqual([0, true])
  expect(boxOf('create').rows('chatSessions').length - boxOf('times').rows('chatSessions').length).toBe(50)
  expect(
    boxOf('play')
      .rows('userFiles')
      .some(({ status }) => status === 'FAILED')
  ).toBe(true)
})

test('code of examples in the documents is in its file', () => {
  const section = documents.get('test/examples/README.md') as string
  const shown = [...section.matchAll(/\]\(([^)]+\.js)\):[\s\S]*?```js\n([\s\S]*?)```/g)]
  expect(shown).toHaveLength(section.split('```js').length - 1)
  for (const [, file, code] of shown as unknown as [string, string, string][]) {
    const lines = new Set(
      readFileSync(join(packageRoot(), 'test/examples', file), 'utf8')
        .split('\n')
        .map((line) => line.trim())
    )
    for (const line of code.trim().split('\n'))
      expect([file, line.trim(), lines.has(line.trim())]).toEqual([file, line.trim(), true])
  }
})

test('the line for CI runs a command on a mock', async () => {
  const [, line] = /```sh\n([\s\S]*?)```/.exec(documents.get('docs/ci.md') as string) as unknown as [string, string]
  const script = line
    .replace('npx knowledge-chat-mock', `node ${join(packageRoot(), 'dist/main.js')}`)
    .replace('npm test', `bash -c 'curl -s -H "Authorization: Bearer basic" $MOCK_URL/api/get-user-role'`)
  expect(await shell(script)).toContain('{"role":"basic"}')
})

test('the contracts that the documents say to copy can be watched', async () => {
  const [, commands] = /# Hot reload\n\n```sh\n([\s\S]*?)```/.exec(documentWith('# Hot reload')) as unknown as [
    string,
    string
  ]
  expect(commands).toContain('cp -r node_modules/knowledge-chat-mock/contracts contracts')
  const folder = mkdtempSync(join(tmpdir(), 'kcm-watch-'))
  cpSync(join(packageRoot(), 'contracts'), join(folder, 'contracts'), { recursive: true })
  const [, options] = /^npx knowledge-chat-mock (.*?) +#/m.exec(commands) as unknown as [string, string]
  const child = start([...options.replace(' contracts ', ` ${join(folder, 'contracts')} `).split(' '), '--port', '0'])
  const done = ended(child)
  expect((await call(await ready(child), 'GET', '/api/get-user-role')).status).toBe(200)
  child.kill()
  expect((await done).code).toBe(0)
})

test('the commands that verify a server run and succeed', async () => {
  const [, block] = /<!-- verify -->\n\n```sh\n([\s\S]*?)```/.exec(documentWith('<!-- verify -->')) as unknown as [
    string,
    string
  ]
  const folder = mkdtempSync(join(tmpdir(), 'kcm-readme-'))
  const main = `node ${join(packageRoot(), 'dist/main.js')}`
  const commands = block.trim().split('\n')
  expect(commands).toHaveLength(4)
  // The whole interface is verified by other tests.
  const some = isSample ? ' --operations get*,listTools,searchChats' : ''
  for (const command of commands) {
    const [text = ''] = command.split(' #')
    const only = text.includes('--operations') ? text : text + some
    expect(await shell(`cd ${folder} && ${only.replace('npx knowledge-chat-mock', main)}`)).toContain('0 findings')
  }
  const assume = JSON.parse(readFileSync(join(folder, 'service.json'), 'utf8'))
  expect(assume['chat.search-match']).toBe('substring')
})

test('every option of verify is in its document', async () => {
  const help = await shell(`node ${join(packageRoot(), 'dist/main.js')} verify --help`)
  const section = documentWith('<!-- verify -->')
  const [own] = help.split('Global Options:') as [string]
  for (const option of new Set(own.match(/^ {2}--[a-z][a-z-]+/gm))) expect(section).toContain(option.trim())
})
