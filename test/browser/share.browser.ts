import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { packageRoot } from '../../src/engine/contract/load.js'
import { startTestMock } from '../mock.js'
import { notes } from '../own/notes.js'
import { copied, emptyPage, openPage, until } from './browser.js'

const run = promisify(execFile)
const mock = await startTestMock({ fixtures: 'demo' })
const dashboard = `${mock.url}/__mock/`
const project = mkdtempSync(join(tmpdir(), 'kcm-shared-'))
mkdirSync(join(project, 'node_modules'))
symlinkSync(packageRoot(), join(project, 'node_modules/knowledge-chat-mock'))
beforeEach(() => mock.reset())

/** Opens "Share…" of an address, by keys, and waits until the test was run. */
async function share(address: string): Promise<Page> {
  const page = await openPage(dashboard + address)
  const isOne = /\/r\d+$/.test(address)
  await page.getByRole('button', { name: isOne ? 'Share this…' : 'Share…' }).press('Enter')
  await page.getByRole('dialog').waitFor()
  return page
}

const held = 'every expectation was met'

/** The offered text for a runner. */
async function offered(page: Page, runner: string, modules: string): Promise<string> {
  const offer = page.getByRole('region', { name: 'As a test' })
  await offer.getByText(held).waitFor()
  await offer.getByLabel('Runner').selectOption(runner)
  await offer.getByLabel('Modules').selectOption(modules)
  // The message about an earlier copy may still be there.
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await offer.getByRole('button', { name: 'Copy as test' }).press('Enter')
  return until(
    () => copied(page),
    (text) => text !== ''
  )
}

/** The results of Jest for the files of the project. */
async function jest(): Promise<string> {
  const bin = join(packageRoot(), 'node_modules/jest/bin/jest.js')
  const match = ['--testMatch', '**/*.test.{mjs,cjs}']
  const settings = ['--rootDir', project, ...match, '--transform', '{}', '--config', '{}', '--testTimeout', '120000']
  const env = { ...process.env, NODE_OPTIONS: '--experimental-vm-modules' }
  return run(process.execPath, [bin, ...settings], { cwd: project, env }).then(
    ({ stderr }) => stderr,
    ({ stderr }) => stderr
  )
}

/** Requests, each of which depends on the earlier ones. */
async function happened(): Promise<void> {
  await mock.call('PUT', '/__mock/clock', { body: { advance: '2h' } })
  await mock.call('PATCH', '/api/persona/1', { body: { name: 'Renamed' } })
  await mock.call('POST', '/api/chat/create-chat-session', { as: 'basic', body: { description: 'Plan the offsite' } })
  await mock.call('GET', '/api/persona/1', { as: 'curator' })
  await mock.call('PATCH', '/api/persona/1', { body: { num_chunks: 'many' } })
  const form = new FormData()
  form.append('files', new Blob(['# Handbook'], { type: 'text/markdown' }), 'handbook.md')
  await mock.call('POST', '/api/manage/admin/connector/file/upload', { form })
  await mock.call('GET', '/api/get-user-role', { as: 'no-such-token' })
}

test('the offered tests run in Jest, as ES modules and with require, from the state of each request', async () => {
  await happened()
  for (const id of ['r1', 'r2', 'r3', 'r4', 'r5', 'r6']) {
    const page = await share(`#/default/requests/${id}`)
    writeFileSync(join(project, `${id}.test.mjs`), await offered(page, 'Jest', 'ESM'))
    writeFileSync(join(project, `${id}.test.cjs`), await offered(page, 'Jest', 'CommonJS'))
  }
  expect(readFileSync(join(project, 'r3.test.mjs'), 'utf8')).toContain('name: "Renamed"')
  const all = await share('#/default/requests')
  writeFileSync(join(project, 'all.test.mjs'), await offered(all, 'Jest', 'ESM'))
  writeFileSync(join(project, 'all.test.cjs'), await offered(all, 'Jest', 'CommonJS'))
  expect(await jest()).toContain('Tests:       14 passed, 14 total')
})

test('a test that fails is not offered, and the page shows why', async () => {
  await mock.call('PATCH', '/api/persona/1', { body: { name: 'Renamed' } })
  // No request and no control call did this.
  const { personas } = mock.sandbox.rows
  personas.replace([...personas.all()].map((row) => (row.id === 1 ? { ...row, name: 'Otherwise' } : row)))
  await mock.call('GET', '/api/persona/1')
  const page = await share('#/default/requests/r2')
  await page.getByText('It is not offered, because it failed: body.name is "Renamed", not "Otherwise"').waitFor()
  expect(await page.getByRole('button', { name: 'Copy as test' }).count()).toBe(0)
  expect(mock.sandboxes.list().map(({ name }) => name)).toEqual(['default'])
})

test('the offered tests for Vitest and Playwright are those of the examples, and Vitest can read all of them', async () => {
  await mock.call('PATCH', '/api/persona/1', { body: { name: 'Renamed' } })
  await mock.call('GET', '/api/get-user-role', { as: 'basic' })
  await mock.call('GET', '/api/persona/1', { as: 'basic' })
  const page = await share('#/default/requests/r3')
  // A request that changed nothing needs no step.
  await page.getByText('after 1 step.').waitFor()
  const example = (path: string) => readFileSync(join(packageRoot(), 'test/examples', path), 'utf8')
  expect(await offered(page, 'Vitest', 'ESM')).toBe(example('vitest-parallel/shared.test.js'))
  // Vitest cannot be required.
  expect(await page.getByLabel('Modules').getByRole('option').allTextContents()).toEqual(['ESM'])
  const other = await share('#/default/requests/r2')
  expect(await offered(other, 'Playwright', 'ESM')).toBe(example('playwright/shared.spec.mjs'))
  expect(await offered(other, 'Playwright', 'CommonJS')).toBe(example('playwright/shared.spec.cjs'))
})

test('a saved archive answers a browser that replays it', async () => {
  const { body } = await mock.call('GET', '/api/persona/1')
  const page = await share('#/default/requests?q=op:getPersona')
  await page.getByText('The exchanges that the filter shows').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save default.har' }).press('Enter')
  const file = await download
  expect(file.suggestedFilename()).toBe('default.har')
  const archive = join(project, 'default.har')
  await file.saveAs(archive)
  const other = await emptyPage()
  await other.routeFromHAR(archive, { notFound: 'abort' })
  await other.goto(`${mock.url}/api/persona/1`)
  const replayed = JSON.parse(await other.evaluate(() => document.body.innerText))
  expect(replayed.name).toBe(body.name)
  expect(mock.sandbox.journal.position).toBe(1)
})

test('the offered test starts a mock with user documents together with them', async () => {
  const document = join(project, 'notes.json')
  writeFileSync(document, JSON.stringify(notes()))
  const own = await startTestMock({ with: [document] })
  await own.call('GET', '/api/notes')
  const page = await openPage(`${own.url}/__mock/#/default/requests/r1`)
  await page.getByRole('button', { name: 'Share this…' }).press('Enter')
  const text = await offered(page, 'Jest', 'ESM')
  expect(text).toMatch(/startMock\(\{ port: 0, with: \[".*notes\.json"\] \}\)/)
})
