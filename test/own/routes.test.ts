import { mkdtempSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import supertest from 'supertest'
import { serveCommand } from '../../src/doors/cli/serve.js'
import { createMock } from '../../src/doors/program/mock.js'
import { writeSite } from '../../src/doors/site/write.js'
import { packageRoot } from '../../src/engine/contract/load.js'
import { startIn } from '../cli.js'
import { invoke } from '../invoke.js'
import { startTestMock } from '../mock.js'

const require = createRequire(import.meta.url)
const library = JSON.stringify(require.resolve('express'))
const routes = (word: string) => `
import express from ${library}
const router = express.Router()
router.get('/own/word', (request, response) => response.send(${JSON.stringify(word)}))
router.post('/own/echo', express.json(), (request, response) => response.json({ got: request.body }))
router.get('/api/get-user-role', (request, response) => response.send('never'))
export default router
`

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'kcm-routes-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

test.each(['direct', 'express'] as const)(
  'the router in routes.mjs answers what the mock does not know, by the door %s',
  async (door) => {
    const mock = await startTestMock({ with: [folderWith({ 'routes.mjs': routes('first') })], door })
    expect((await mock.call('GET', '/own/word')).text).toBe('first')
    expect((await mock.call('POST', '/own/echo', { body: { a: 1 } })).body).toEqual({ got: { a: 1 } })
    expect((await mock.call('GET', '/api/get-user-role')).body).toEqual({ role: 'admin' })
    expect((await mock.call('GET', '/own/none')).body).toEqual({ detail: 'Not Found' })
    expect(
      mock
        .handle()
        .requests({})
        .map(({ url }) => url)
    ).toEqual(['/own/none', '/api/get-user-role'])
  }
)

test('a mock that is created without waiting has the router of a CommonJS module', async () => {
  const text = `module.exports = require(${library}).Router().get('/own', (_, response) => response.send('own'))`
  const mock = createMock({ with: [folderWith({ 'routes.cjs': text })] })
  await supertest(mock.app).get('/own').expect(200, 'own')
})

test.each([
  ['export default 7', 'routes.mjs: export an Express router as the default'],
  ['export const router = () => {}', 'routes.mjs: export an Express router as the default'],
  ['export default () => 7', 'routes.mjs: export an Express router as the default'],
  ['import "no-such-package"', 'routes.mjs cannot be loaded'],
  ['export default (', 'routes.mjs:1 cannot be loaded']
])('a module without a router stops the start: %s', async (text, reason) => {
  const { code, stderr } = await invoke(serveCommand(), ['--with', folderWith({ 'routes.mjs': text })])
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)])
})

test('--watch loads a changed router, keeps the old one while the new one is wrong, and keeps what a program added', async () => {
  const folder = folderWith({ 'routes.mjs': routes('first') })
  const program = `
    import { startMock } from ${JSON.stringify(join(packageRoot(), 'dist/index.js'))}
    const mock = await startMock({ port: 0, with: [${JSON.stringify(folder)}], watch: true, onReload: (line) => console.log(line) })
    mock.app.get('/program', (request, response) => response.send(String(mock.app.router.stack.filter(({ route }) => route).length)))
    console.log(mock.url)
  `
  const child = startIn(folder, ['--input-type=module', '--eval', program], {})
  const lines = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]()
  const line = async () => (await lines.next()).value as string
  const url = await line()
  const lineAfter = (text: string) => {
    writeFileSync(join(folder, 'routes.mjs'), text)
    return line()
  }
  const answers = () => Promise.all(['/own/word', '/program'].map(async (path) => (await fetch(url + path)).text()))
  expect(await answers()).toEqual(['first', '31'])
  expect(await lineAfter(routes('second'))).toContain('reloaded')
  expect(await answers()).toEqual(['second', '31'])
  expect(await lineAfter('export default 7')).toContain('export an Express router')
  expect(await answers()).toEqual(['second', '31'])
  child.kill()
})

test('a site leaves routes out, and reports it', async () => {
  const said: string[] = []
  const { error } = console
  console.error = (text) => said.push(text)
  const folder = folderWith({ 'routes.mjs': 'throw new Error("not run")' })
  await writeSite(join(mkdtempSync(join(tmpdir(), 'kcm-site-')), 'site'), { base: '/', mock: { with: [folder] } })
  console.error = error
  expect(said).toEqual([
    expect.stringContaining('routes.mjs is left out of the site: Express does not run in browsers.')
  ])
})
