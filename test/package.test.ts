import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../src/contract/load.js'

// The package as npm packs it, unpacked into a project of its own, with the dependencies that it declares and no others.
const project = mkdtempSync(join(tmpdir(), 'kcm-package-'))
const installed = join(project, 'node_modules/knowledge-chat-mock')
afterAll(() => rmSync(project, { recursive: true }))

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
    mkdirSync(join(project, path, '..'), { recursive: true })
    symlinkSync(join(packageRoot(), path), join(project, path))
  }
})

const program = `
  const mock = await startMock({ port: 0, fixtures: 'empty', log: 'silent' })
  const response = await fetch(mock.url + '/api/get-user-role', { headers: { Authorization: 'Bearer curator' } })
  console.log(JSON.stringify([await response.json(), typeof createMock().app, typeof openapi]))
  await mock.close()`

function node(file: string, source: string, ...flags: string[]): string {
  writeFileSync(join(project, file), source)
  const env = { ...process.env, NODE_OPTIONS: '' }
  return execFileSync(process.execPath, [...flags, file], { cwd: project, encoding: 'utf8', env }).trim()
}

const expected = JSON.stringify([{ role: 'curator' }, 'function', 'function'])

test('works by import', () => {
  expect(node('esm.mjs', `import { createMock, openapi, startMock } from 'knowledge-chat-mock'${program}`)).toBe(
    expected
  )
})

test('works by require, without help from Node for ES modules', () => {
  const source = `const { createMock, openapi, startMock } = require('knowledge-chat-mock'); (async () => {${program}})()`
  expect(node('cjs.cjs', source, '--no-experimental-require-module')).toBe(expected)
})

test('has a command line that serves and prints', () => {
  const env = { ...process.env, NODE_OPTIONS: '' }
  const bin = join(installed, 'dist/main.js')
  expect(
    execFileSync(process.execPath, [bin, 'assumptions', 'events'], { cwd: project, encoding: 'utf8', env })
  ).toContain('Which events')
})

test('has types, for both ways of loading it', () => {
  writeFileSync(
    join(project, 'use.mts'),
    `import { createMock, startMock, type Operations, type Persona } from 'knowledge-chat-mock'
const mock = await startMock({ port: 0, fixtures: 'demo' })
const url: string = mock.url
const app = createMock().app
const persona: Persona['name'] = 'x'
const reply: Operations['getUserRole']['reply'] = { role: 'admin' }
// @ts-expect-error there is no such fixture set
await startMock({ fixtures: 'dmeo' })
export { app, persona, reply, url }
`
  )
  writeFileSync(
    join(project, 'use.cts'),
    `import mock = require('knowledge-chat-mock')\nexport const started = mock.startMock({ port: 0 })\n`
  )
  const tsc = join(packageRoot(), 'node_modules/typescript/bin/tsc')
  const flags = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--skipLibCheck',
    '--ignoreConfig'
  ]
  const types = ['--types', 'node', '--typeRoots', join(packageRoot(), 'node_modules/@types')]
  const output = (() => {
    try {
      return execFileSync(process.execPath, [tsc, ...flags, ...types, 'use.mts', 'use.cts'], {
        cwd: project,
        encoding: 'utf8'
      })
    } catch (error) {
      return (error as { stdout: string }).stdout
    }
  })()
  expect(output).toBe('')
})

test('holds what it needs and nothing else', () => {
  const files = execFileSync('find', ['.', '-type', 'f'], { cwd: installed, encoding: 'utf8' }).trim().split('\n')
  expect(
    files.filter((file) => !/^\.\/(dist|contracts)\/|^\.\/(package\.json|README\.md|LICENSE)$/.test(file))
  ).toEqual([])
  expect(files.filter((file) => /print\.js|\.test\./.test(file))).toEqual([])
})
