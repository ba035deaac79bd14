import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
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

test('every option of the README is one of serve, and every option of serve is in the README', async () => {
  const help = await shell(`node ${join(packageRoot(), 'dist/main.js')} serve --help`)
  const options = (text: string) => new Set(text.match(/--[a-z][a-z-]+/g))
  const [, table] = /## Options of `serve`([\s\S]*?)Other commands/.exec(readme) as unknown as [string, string]
  const served = options(help)
  for (const general of ['--help', '--version']) served.delete(general)
  expect([...options(table)].sort()).toEqual([...served].sort())
})

test('the commands of the README that verify a server run, and hold', async () => {
  const [, block] = /<!-- verify -->\n\n```sh\n([\s\S]*?)```/.exec(readme) as unknown as [string, string]
  const folder = mkdtempSync(join(tmpdir(), 'kcm-readme-'))
  const main = `node ${join(packageRoot(), 'dist/main.js')}`
  const commands = block.trim().split('\n')
  expect(commands).toHaveLength(4)
  for (const command of commands) {
    expect(await shell(`cd ${folder} && ${command.replace('npx knowledge-chat-mock', main)}`)).toContain('0 findings')
  }
  const assume = JSON.parse(readFileSync(join(folder, 'service.json'), 'utf8'))
  expect(assume['chat.search-match']).toBe('substring')
  rmSync(folder, { recursive: true })
})

test('every option of verify is in the README', async () => {
  const help = await shell(`node ${join(packageRoot(), 'dist/main.js')} verify --help`)
  const [, section] = /## Check the real service([\s\S]*?)In CI:/.exec(readme) as unknown as [string, string]
  for (const option of new Set(help.match(/^ {2}--[a-z][a-z-]+/gm))) expect(section).toContain(option.trim())
})
