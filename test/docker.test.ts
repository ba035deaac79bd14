import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { packageRoot } from '../src/engine/contract/load.js'
import { ended, ready, startIn } from './cli.js'
import { documentWith } from './documents.js'
import { call } from './mock.js'

// No engine builds the image here: the last stage is assembled and run in a folder, as in the Dockerfile.
interface Instruction {
  name: string
  text: string
}

const root = packageRoot()
const document = documentWith('```yaml\nservices:')
const stages = readFileSync(join(root, 'Dockerfile'), 'utf8')
  .split(/^(?=FROM )/m)
  .map((stage) =>
    stage
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Instruction => {
        const [name = '', text = ''] = line.split(/ (.*)/s)
        return { name, text }
      })
  )
const last = stages.at(-1) as Instruction[]
const textsOf = (name: string) => last.filter((it) => it.name === name).map(({ text }) => text)
const only = (name: string) => {
  const [text, ...more] = textsOf(name)
  expect([name, more]).toEqual([name, []])
  return text as string
}

const folder = mkdtempSync(join(tmpdir(), 'kcm-docker-'))

beforeAll(() => {
  for (const text of textsOf('COPY')) {
    const [from = '', to = ''] = text.replace(/^--from=\w+ /, '').split(' ')
    const source = join(root, from.replace(/^\/build\//, ''))
    expect([from, existsSync(source)]).toEqual([from, true])
    if (to === 'node_modules') symlinkSync(source, join(folder, to))
    else cpSync(source, to === './' ? join(folder, from) : join(folder, to), { recursive: true })
  }
})

const env = () =>
  Object.fromEntries(
    only('ENV')
      .split(' ')
      .map((pair) => pair.split('=') as [string, string])
  )

test('the image starts, is healthy as long as it answers, and ends with 0 on its stop signal', async () => {
  const [command, ...args] = JSON.parse(only('ENTRYPOINT')) as [string, ...string[]]
  expect([command, env().KCM_HOST, env().KCM_PORT]).toEqual(['node', '0.0.0.0', only('EXPOSE')])
  const child = startIn(folder, args, { ...env(), KCM_PORT: '0' })
  const done = ended(child)
  const { port } = new URL(await ready(child))
  const [checker, ...check] = JSON.parse(only('HEALTHCHECK').replace(/^.* CMD /, '')) as [string, ...string[]]
  const healthy = () =>
    new Promise<number>((resolve) => {
      const probe = execFile(checker, check, { env: { PATH: process.env.PATH, KCM_PORT: port } })
      probe.once('exit', (code) => resolve(code as number))
    })
  expect(await healthy()).toBe(0)
  expect((await call(`http://127.0.0.1:${port}`, 'GET', '/api/persona/1')).status).toBe(200)
  const enter = '/__mock/enter?sandbox=mine&scenario=first-day'
  expect((await call(`http://127.0.0.1:${port}`, 'GET', enter, { as: null })).status).toBe(303)
  child.kill(only('STOPSIGNAL') as NodeJS.Signals)
  expect((await done).code).toBe(0)
  expect(await healthy()).toBe(1)
})

test('the image runs as a user without rights, has no tools, and needs no install script', () => {
  expect(only('USER')).toBe('node')
  expect(textsOf('RUN')).toEqual([])
  const installs = stages.flat().filter(({ text }) => text.startsWith('npm ci'))
  expect(installs).toHaveLength(2)
  for (const { text } of installs) expect(text).toContain('--ignore-scripts')
})

test('the files that the build reads are not ignored', () => {
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
  for (const needed of ['contracts', 'fixtures', 'src', 'package.json', 'package-lock.json', 'tsconfig.json']) {
    expect([needed, ignored.includes(needed)]).toEqual([needed, false])
  }
})

test('the compose example uses existing options of serve', async () => {
  const [, text] = /```yaml\n(services:[\s\S]*?)```/.exec(document) as unknown as [string, string]
  const { services } = parse(text)
  expect(Object.keys(services)).toEqual(['mock'])
  const names = Object.keys(services.mock.environment)
  expect(names.length).toBeGreaterThan(2)
  for (const name of names) expect([name, name.startsWith('KCM_')]).toEqual([name, true])
  const given = Object.fromEntries(
    Object.entries(services.mock.environment).map(([name, value]) => [
      name,
      String(value).replace(/\$\{(\w+)[^}]*\}/, '$1')
    ])
  )
  const child = startIn(folder, ['dist/main.js'], { ...given, KCM_PORT: '0', KCM_DATA: join(folder, 'data') })
  const done = ended(child)
  const { headers } = await call(await ready(child), 'GET', '/api/persona/1')
  expect([headers.has('set-cookie'), headers.has('x-mock-resets-at')]).toEqual([true, true])
  child.kill()
  expect((await done).code).toBe(0)
})
