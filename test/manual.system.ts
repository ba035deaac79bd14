import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { packageRoot } from '../src/engine/contract/load.js'
import { ended, ready, startIn } from './cli.js'
import { documents } from './documents.js'
import { startTestMock } from './mock.js'

// The commands of the manual, in a project that has the files of their page. test/guide.test.ts runs the other examples.
const folder = mkdtempSync(join(tmpdir(), 'kcm-manual-'))
const main = join(packageRoot(), 'dist/main.js')
const service = await startTestMock()

const shell = async (cwd: string, command: string) =>
  (await promisify(execFile)('bash', ['-c', command], { cwd, env: { ...process.env, NODE_OPTIONS: '' } })).stdout

/** A project with the package, and with the files that a page shows. */
function projectOf(page: string): string {
  const project = join(folder, page)
  mkdirSync(join(project, 'node_modules'), { recursive: true })
  symlinkSync(packageRoot(), join(project, 'node_modules/knowledge-chat-mock'))
  for (const [, file = '', code = ''] of textOf(page).matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```/gm)) {
    mkdirSync(dirname(join(project, file)), { recursive: true })
    writeFileSync(join(project, file), code)
  }
  return project
}

const textOf = (page: string) => documents.get(`docs/${page}.md`) as string

const commandsOf = (page: string) =>
  [...textOf(page).matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, code = '']) =>
    code
      .replaceAll('\\\n', '')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
  )

const isServing = (command: string) => /^npx knowledge-chat-mock(?! \w)|^npx knowledge-chat-mock proxy /.test(command)

/** What needs another program, or has no end. */
const isElsewhere = (command: string) =>
  /^(npm|pytest|docker)|npx (msw|cypress)|redis:|cypress|-- pytest|curl -N/.test(command)

/** Runs the commands of a page in turn. Each request goes to the mock that was started last. */
async function follow(page: string, arrange: (project: string) => Promise<unknown>): Promise<void> {
  const project = projectOf(page)
  await arrange(project)
  let { url } = service
  let stop = async () => {}
  for (const command of commandsOf(page).filter((it) => !isElsewhere(it))) {
    const here = command
      .replace('https://staging.example.com', service.url)
      .replace(/https:\/\/shop\.example\.com|http:\/\/127\.0\.0\.1:40\d\d\b/, url)
      .replace(/"\$(ADMIN_)?TOKEN"/, 'admin')
      .replace('"$USER_TOKEN"', 'basic')
      // The whole interface is verified by other tests.
      .replace(/ verify .*(?<!--api .*)$/, '$& --operations getUserRole')
    if (isServing(here)) {
      await stop()
      const [, , ...args] = here.replace(/ --port \d+/, '').split(/ +/)
      const child = startIn(project, [main, ...args, '--port', '0'], {})
      const done = ended(child)
      url = (await ready(child)).replace('0.0.0.0', '127.0.0.1')
      stop = async () => {
        child.kill()
        expect([command, (await done).code]).toEqual([command, 0])
      }
    } else {
      await shell(project, here.replace('npx knowledge-chat-mock', `node ${main}`))
    }
  }
  await stop()
}

const write = (project: string, files: Record<string, string>) => {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, file)), { recursive: true })
    writeFileSync(join(project, file), text)
  }
}

/** What a reader has before the commands of a page. */
const before: Record<string, (project: string) => Promise<unknown>> = {
  'any-api': async () => {},
  assumptions: async () => {},
  ci: async (project) => write(project, { 'package.json': '{ "scripts": { "test": "node --version" } }' }),
  demo: async (project) => write(project, { 'dist/index.html': '<!doctype html>' }),
  fail: async () => {},
  journal: async () => {},
  openapi: async () => {},
  'own-endpoints': async (project) => {
    const paths = Object.fromEntries(
      ['post /auth/login', 'post /auth/logout', 'get /api/me'].map((it) => {
        const [method = '', path = ''] = it.split(' ')
        return [path, { [method]: { responses: { 200: { description: 'ok' } } } }]
      })
    )
    write(project, { 'api.json': JSON.stringify({ openapi: '3.1.0', info: { title: 'Own', version: '1' }, paths }) })
    await shell(project, 'cp mock/openapi.yaml api.yaml')
  },
  rows: (project) => shell(project, `curl -s ${service.url}/__mock/har > session.har`),
  scenarios: async () => {},
  'service-worker': async (project) => write(project, { 'public/index.html': '', 'mock/fixtures.json': '{}' }),
  'sign-in': async () => {},
  start: async () => {},
  state: async () => {},
  verify: (project) =>
    shell(project, `for name in old new service; do curl -s ${service.url}/openapi.json > $name.json; done`)
}

test.each(Object.entries(before))('the commands of docs/%s.md work in a project with its files', follow)

test('each page with commands of the mock is followed here or by a separate test', () => {
  const others = ['agents', 'cypress', 'docker', 'front-end', 'languages', 'msw', 'shadow', 'storybook']
  const pages = [...documents.keys()].flatMap((path) => /^docs\/([\w-]+)\.md$/.exec(path)?.[1] ?? [])
  expect(pages.filter((it) => commandsOf(it).length > 0).sort()).toEqual([...Object.keys(before), ...others].sort())
})
