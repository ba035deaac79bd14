import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packageRoot } from '../src/engine/contract/load.js'

// The package as npm packs it, unpacked into a new project, with the dependencies that it declares and no others.
const project = mkdtempSync(join(tmpdir(), 'kcm-package-'))
const installed = join(project, 'node_modules/knowledge-chat-mock')

beforeAll(() => {
  const packed = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], {
      cwd: packageRoot(),
      encoding: 'utf8'
    })
  )
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', join(project, [packed].flat()[0].filename), '-C', installed, '--strip-components', '1'])
  const { packages } = JSON.parse(readFileSync(join(packageRoot(), 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>
  }
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    if (!path || dev || devOptional || path.lastIndexOf('node_modules/') > 0) continue
    link(path)
  }
  // What a project with Jest has.
  for (const path of ['node_modules/@jest/globals', 'node_modules/expect']) link(path)
})

function link(path: string): void {
  mkdirSync(join(project, path, '..'), { recursive: true })
  symlinkSync(join(packageRoot(), path), join(project, path))
}

const program = `
  const mock = await startMock({ port: 0, fixtures: 'empty', log: 'silent' })
  const response = await fetch(mock.url + '/api/get-user-role', { headers: { Authorization: 'Bearer curator' } })
  mock.sandbox('box').clock.advance('1h')
  await mock.sandbox('box').play('first-day')
  const verdicts = [await matchers.toHonourContract(response, 'getUserRole'), matchers.toHaveNoViolations(mock)]
  // Parts that are loaded on first use: the checks of verify, and all of faker.
  const unreachable = await verify({ url: 'nowhere' }).catch((error) => error instanceof Unreachable)
  const content = { 'application/json': { schema: { type: 'string', minLength: 1 } } }
  const paths = { '/word': { get: { responses: { 200: { description: 'A word', content } } } } }
  const own = { openapi: '3.1.0', info: { title: 'Own', version: '1' }, paths }
  const word = await createMock({ with: [own] }).fetch('http://mock/word')
  const { role } = await response.json()
  console.log(JSON.stringify([role, typeof createMock().app, typeof openapi, verdicts.map(({ pass }) => pass), unreachable, typeof (await word.json())]))
  await mock.close()`

function node(file: string, source: string, ...flags: string[]): string {
  writeFileSync(join(project, file), source)
  const env = { ...process.env, NODE_OPTIONS: '' }
  // A process that does not end is killed.
  return execFileSync(process.execPath, [...flags, file], {
    cwd: project,
    encoding: 'utf8',
    env,
    timeout: 300_000
  }).trim()
}

const expected = JSON.stringify(['curator', 'function', 'function', [true, true], true, 'string'])

test('works by import', () => {
  const source = `import { createMock, openapi, startMock, Unreachable, verify } from 'knowledge-chat-mock'
import { matchers } from 'knowledge-chat-mock/matchers'
import { Maker, userFile } from 'knowledge-chat-mock/fixtures'
import { serve } from 'knowledge-chat-mock/playwright'
userFile(new Maker(1, 0), { user_id: 'x' })${program}`
  expect(node('esm.mjs', source)).toBe(expected)
})

test('has databases of the class that the project gets from lowdb', () => {
  const source = `import { createMock } from 'knowledge-chat-mock'
import { Low } from 'lowdb'
const mock = createMock()
console.log(mock.db instanceof Low, mock.sandbox('box').db instanceof Low)`
  expect(node('low.mjs', source)).toBe('true true')
})

test('works by require, without the support of Node for ES modules', () => {
  const source = `const { createMock, openapi, startMock, Unreachable, verify } = require('knowledge-chat-mock')
const { matchers } = require('knowledge-chat-mock/matchers')
const { Maker, invite } = require('knowledge-chat-mock/fixtures')
const { serve } = require('knowledge-chat-mock/playwright')
invite(new Maker(1, 0), { invited_by: null })
;(async () => {${program}})()`
  expect(node('cjs.cjs', source, '--no-experimental-require-module')).toBe(expected)
})

test('has a bundle for browsers that works in Node too, and does not keep it running', () => {
  const source = `import { createMock } from 'knowledge-chat-mock/browser'
const headers = { authorization: 'Bearer admin' }
const answer = await createMock().fetch(new Request('http://localhost/api/get-user-role', { headers }))
console.log(answer.status, await answer.text())`
  expect(node('browser.mjs', source)).toBe('200 {"role":"admin"}')
})

test('has a command line that serves and prints', () => {
  const env = { ...process.env, NODE_OPTIONS: '' }
  const bin = join(installed, 'dist/main.js')
  expect(
    execFileSync(process.execPath, [bin, 'assumptions', 'events'], { cwd: project, encoding: 'utf8', env })
  ).toContain('Which events')
})

const uses = `import { createServer } from 'node:http'
import { createMock, openapi, startMock, verify, type Operations, type Persona } from 'knowledge-chat-mock'
import { matchers } from 'knowledge-chat-mock/matchers'
import { hour, userFile, type Fixtures } from 'knowledge-chat-mock/fixtures'

export const own: Fixtures = {
  extends: 'empty',
  collections: (make) => ({ userFiles: [userFile(make, { user_id: 'basic', age: hour })], labels: [{ id: 1, name: 'x' }] })
}

export async function use() {
  const mock = await startMock({ port: 0, fixtures: 'demo' })
  const box = mock.sandbox('checkout-7')
  const token: string = box.token('basic') + mock.url + box.clock.now
  const statuses: number[] = box.requests({ violations: true, status: 422 }).map((entry) => entry.status)
  box.override({ operation: 'getFile', status: 503, times: 1 }).remove()
  const [failed] = box.create('userFiles', 'failed', { name: 'report.pdf' }, 3)
  box.move('userFiles', failed!.id, 'COMPLETED')
  const pair: number = box.create('connectorCredentials', 'failing').connector_id
  box.remove('labels', box.update('labels', box.create('labels').id, { name: 'y' }).id)
  // @ts-expect-error there is no such trait
  box.create('userFiles', 'fialed')
  // @ts-expect-error there is no such field
  box.create('userFiles', { colour: 'red' })
  // @ts-expect-error labels have no lifecycle
  box.move('labels', pair, 'FAILED')
  // @ts-expect-error there is no such operation
  box.override({ operation: 'getFiles' })
  // @ts-expect-error the inside of a mock is its own
  mock.sandboxes
  // @ts-expect-error there is no such option
  createMock({ fixture: 'demo' })
  createServer(mock.app).close()
  mock.app.get('/own/:id', (request, response) => response.status(201).json({ id: request.params.id, got: request.body }))
  mock.app.use((request, _, next) => next(request.path === '/no' ? new Error('no') : undefined))
  mock.app.set('trust proxy', 1)
  // @ts-expect-error a response has no such method
  mock.app.get('/own', (_, response) => response.jsn({}))
  const { paths } = openapi({ profile: 'observed' })
  const result = await verify({ url: mock.url, operations: ['get*'] })
  await mock.close()
  box.assume({ 'delete.body': '204' })
  // @ts-expect-error there is no such choice
  box.assume({ 'delete.body': '205' })
  // @ts-expect-error there is no such fixture set
  await startMock({ fixtures: 'dmeo' })
  const persona: Persona['name'] = 'x'
  const reply: Operations['getUserRole']['reply'] = { role: 'admin' }
  const verdict: { pass: boolean } = matchers.toHaveNoViolations(box)
  const response = await fetch(mock.url)
  await expect(response).toHonourContract('getPersona')
  expect(mock).toHaveNoViolations()
  // @ts-expect-error a matcher that there is not
  expect(mock).toHaveViolations()
  const inside = createMock({ maxSandboxes: 10, corsOrigin: ['http://localhost:3000'], onExchange: ({ status }) => statuses.push(status) })
  await inside.close()
  return { paths, result, token, statuses, persona, reply, verdict }
}
`

// Strict, libraries too, with the types of Node and of Jest and no others: none of Express.
test.each([
  ['ES and CommonJS modules', ['use.mts', 'use.cts'], 'node16', ['node', 'jest'], ''],
  ['a bundler', ['use.ts'], 'preserve', ['node', 'jest'], ''],
  [
    'a module that imports expect from Jest',
    ['globals.mts'],
    'node16',
    ['node'],
    "import { expect } from '@jest/globals'\n"
  ]
])('has types for %s', (_, names, module, types, imports) => {
  for (const name of names) writeFileSync(join(project, name), imports + uses)
  const tsc = join(packageRoot(), 'node_modules/typescript/bin/tsc')
  const flags = `--noEmit --strict --module ${module} --target es2023 --skipLibCheck false --ignoreConfig`.split(' ')
  const found = ['--types', types.join(), '--typeRoots', join(packageRoot(), 'node_modules/@types')]
  const { stdout } = spawnSync(process.execPath, [tsc, ...flags, ...found, ...names], {
    cwd: project,
    encoding: 'utf8'
  })
  expect(stdout).toBe('')
})

test('declares each option with its help', () => {
  const declared = readFileSync(join(installed, 'dist/index.d.ts'), 'utf8')
  for (const name of ['MockOptions', 'ServerOptions extends MockOptions', 'OpenapiOptions']) {
    expect(declared).toContain(`interface ${name} {\n  /** `)
  }
  expect(declared).not.toContain('interface Kind')
})

test('names the missing package for agents', () => {
  const bin = join(installed, 'dist/main.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'mcp'], { cwd: project, encoding: 'utf8' })
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toContain('npm install --save-dev @modelcontextprotocol/sdk')
})

test('serves the dashboard, the explorer and the manual, with all that their pages name', () => {
  const source = `import { startMock } from 'knowledge-chat-mock'
    const mock = await startMock({ port: 0, fixtures: 'empty' })
    const answers = []
    for (const page of ['/__mock/', '/docs', '/guide/']) {
      const html = await (await fetch(mock.url + page)).text()
      for (const [, file] of html.matchAll(/(?:src|href)="([^"#]+[.](?:js|css|svg))"/g)) {
        const response = await fetch(new URL(file, mock.url + page))
        answers.push([file, response.status, (await response.text()).length > 100])
      }
    }
    console.log(JSON.stringify(answers))
    await mock.close()`
  const answers = JSON.parse(node('pages.mjs', source)) as [string, number, boolean][]
  expect(answers.map(([file]) => file)).toEqual(
    expect.arrayContaining([
      './assets/dashboard.js',
      './assets/dashboard.css',
      './docs/dashboard.js',
      './docs/dashboard.css',
      './guide.js'
    ])
  )
  expect(answers.filter(([, status, isFull]) => status !== 200 || !isFull)).toEqual([])
})

const files = () => execFileSync('find', ['.', '-type', 'f'], { cwd: installed, encoding: 'utf8' }).trim().split('\n')

test('each link of its documents leads to a file of it', () => {
  const texts = files().filter((file) => /\.md$|llms\.txt$/.test(file))
  const links = texts.flatMap((file) => {
    const prose = readFileSync(join(installed, file), 'utf8').replace(/^ *```[\s\S]*?^ *```/gm, '')
    return [...prose.matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, link]) => [file, link as string] as const)
  })
  expect(links.length).toBeGreaterThan(100)
  // A link to the root of the repository leads nowhere in a package.
  const isThere = (file: string, link: string) =>
    !link.startsWith('/') && existsSync(join(installed, dirname(file), link))
  expect(links.filter(([file, link]) => !isThere(file, link))).toEqual([])
})

test('has what it needs and nothing else', () => {
  expect(files()).toContain('./dist/THIRD-PARTY-NOTICES.txt')
  const documents = [
    'package.json',
    'AGENTS.md',
    'README.md',
    'CHANGELOG.md',
    'LICENSE',
    'SECURITY.md',
    'llms.txt'
  ].map((name) => `./${name}`)
  expect(
    files()
      .filter((file) => !/^\.\/(dist|contracts|docs|fixtures\/scenarios)\//.test(file))
      .sort()
  ).toEqual(documents.sort())
  expect(files().filter((file) => /print\.js|declarations\.js|\.test\./.test(file))).toEqual([])
  expect(
    files()
      .filter((file) => /\.d\.c?ts$/.test(file))
      .sort()
  ).toEqual(
    ['browser', 'fixtures', 'index', 'matchers', 'msw', 'playwright', 'service-worker'].flatMap((entry) => [
      `./dist/${entry}.d.cts`,
      `./dist/${entry}.d.ts`
    ])
  )
  // 75 of them are the manual.
  expect(files().length).toBeLessThan(280)
})
