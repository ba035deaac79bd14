import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packageRoot } from '../src/contract/load.js'
import { startTestMock } from './mock.js'

const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8')
const mock = await startTestMock({ now: undefined })

const shell = async (command: string) =>
  (await promisify(execFile)('bash', ['-c', command.replaceAll('http://127.0.0.1:4010', mock.url)])).stdout

test('the first request of the README has the answer that it shows', async () => {
  const [, command, answer] = /```console\n\$ (.*)\n([\s\S]*?)```/.exec(readme) as unknown as [string, string, string]
  const told = (await shell(command)).replace(/\r/g, '').replace(/^(Date|Connection|Keep-Alive): .*\n/gm, '')
  expect(told.replace(/^X-Mock-Request-Id: r\d+$/m, 'X-Mock-Request-Id: r1').trim()).toBe(answer.trim())
})

test('the tour of the README shows what it says', async () => {
  const [, tour] = /<!-- tour -->\n\n```sh\n([\s\S]*?)```/.exec(readme) as unknown as [string, string]
  const commands = tour
    .split(/\n(?=curl|printf)/)
    .flatMap((step) => /(?:curl|printf)[\s\S]*?(?=\n\n|\n#|$)/.exec(step)?.[0] ?? [])
  const answers: string[] = []
  for (const command of commands) answers.push(await shell(command))
  const [made, found, mistake, deleted, gone, there, invited, , uploaded, document] = answers.map((text) =>
    text ? JSON.parse(text) : undefined
  )
  expect(found.groups[0].chats.map(({ id }: { id: string }) => id)).toContain(made.chat_session_id)
  expect(mistake.detail.map(({ loc }: { loc: unknown[] }) => loc.join('.'))).toEqual([
    'body.num_chunks',
    'body.starter_messages.0.message'
  ])
  expect([deleted, gone.detail !== undefined, there.id]).toEqual([null, true, 1])
  expect(invited.detail).toContain('not an address')
  expect(uploaded.file_names).toEqual(['handbook.md'])
  expect(document.openapi).toBe('3.1.0')
})

test('the tour of the control API does what it says', async () => {
  const [, tour] = /<!-- control -->\n\n```sh\n([\s\S]*?)```/.exec(readme) as unknown as [string, string]
  const [functions, ...steps] = tour.split(/\n\n(?=#)/) as [string, ...string[]]
  const answers: unknown[][] = []
  for (const step of steps) {
    const commands = step.split('\n').filter((line) => /^(control|api) /.test(line))
    const told: unknown[] = []
    for (const command of commands) {
      const text = await shell(`${functions}\n${command}`)
      told.push(text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text.trim())
    }
    answers.push(told)
  }
  expect(answers).toEqual([
    [expect.objectContaining({ fixtures: 'demo', seed: 7, now: '2026-03-02T10:00:00.000Z' })],
    [{ now: '2026-03-02T12:00:00.000Z', speed: 0 }],
    [expect.objectContaining({ name: 'Tour' }), { rows: [expect.objectContaining({ name: 'Tour' })], total: 1 }],
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
      { requests: [expect.objectContaining({ url: '/api/persnoa/1', near_misses: expect.any(Array) })], total: 1 },
      expect.objectContaining({ id: 'r1', operation: 'deletePersona' })
    ],
    [expect.objectContaining({ summary: expect.objectContaining({ operations: 30, covered: 3 }) })],
    [expect.objectContaining({ name: 'fork' }), { removed: 1 }]
  ])
})

test('every option of the README is one of serve, and every option of serve is in the README', async () => {
  const help = await shell(`node ${join(packageRoot(), 'dist/main.js')} serve --help`)
  const options = (text: string) => new Set(text.match(/--[a-z][a-z-]+/g))
  const [, table] = /## Options of `serve`([\s\S]*?)Other commands/.exec(readme) as unknown as [string, string]
  const served = options(help)
  for (const general of ['--help', '--version']) served.delete(general)
  expect([...options(table)].sort()).toEqual([...served].sort())
})
