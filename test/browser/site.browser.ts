import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { writeSite } from '../../src/doors/site/write.js'
import { packageRoot } from '../../src/engine/contract/load.js'
// @ts-expect-error it is JavaScript, for all environments
import { expected } from '../examples/story.mjs'
import { emptyPage, inExplorer, openPage } from './browser.js'
import { type Host, hostFiles } from './files.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-site-'))
const base = '/demo/'
let host: Host

beforeAll(async () => {
  const own = join(folder, 'own')
  const app = join(folder, 'app')
  mkdirSync(own)
  mkdirSync(app)
  writeFileSync(
    join(own, 'openapi.yaml'),
    `openapi: 3.1.0
info: { title: Notes, version: '1' }
paths:
  /notes:
    get:
      operationId: listNotes
      responses: { 200: { description: All, content: { application/json: { schema: { type: array, items: { type: string } } } } } }
  /people:
    get:
      operationId: listPeople
      responses: { 200: { description: All, content: { application/json: { schema: { type: object, required: [name], properties: { name: { type: string } } } } } } }
`
  )
  writeFileSync(
    join(own, 'rules.js'),
    "export const listNotes = (input, { faker }) => [faker.lorem.word() && 'a note']\n"
  )
  writeFileSync(join(app, 'app.js'), "document.querySelector('p').textContent = 'runs at ' + location.pathname\n")
  writeFileSync(
    join(app, 'index.html'),
    '<!doctype html><html lang="en"><head><title>App</title><link rel="icon" href="data:,"><script src="/demo/app.js" type="module"></script></head><body><p></p></body></html>'
  )
  cpSync(join(packageRoot(), 'test/examples/story.mjs'), join(app, 'story.mjs'))
  await writeSite(join(folder, 'site'), { app, base, mock: { fixtures: 'demo', scenario: 'first-day', with: [own] } })
  host = await hostFiles(join(folder, 'site'), base)
})
afterAll(() => host.close())

/** Opens a page of a site in a fresh profile, and waits until its worker answers. */
async function open(path: string, { origin } = host): Promise<Page> {
  const page = await openPage(origin + base + path)
  await page.waitForFunction(() => navigator.serviceWorker.controller && document.title !== 'Starting')
  return page
}

const ask = (page: Page, path: string, headers: Record<string, string> = { Authorization: 'Bearer admin' }) =>
  page.evaluate(
    async ([address, given]) => {
      const response = await fetch(address, { headers: given })
      return { status: response.status, body: await response.json() }
    },
    [path, headers] as const
  )

test('an application on a static host has the whole mock in its browser: the ten steps, also at the root', async () => {
  const page = await open('')
  await page.getByText('runs at /demo/').waitFor()
  const tell = (origin: string) =>
    page.evaluate(async (at) => {
      const { story } = await import('/demo/story.mjs' as string)
      return story(fetch, at)
    }, origin)
  expect(await tell(`${host.origin}/demo`)).toEqual(expected)
  expect(await tell(host.origin)).toEqual(expected)
  expect(host.asked.filter((path) => /\/api\//.test(path))).toEqual([])
})

test('a page of the host that the worker of another tab takes over shows the application too', async () => {
  const page = await emptyPage()
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/mock/start.js', (route) => held.then(() => route.continue()))
  await page.goto(host.origin + base, { waitUntil: 'commit' })
  const other = await page.context().newPage()
  await other.goto(host.origin + base)
  await other.getByText('runs at /demo/').waitFor()
  await page.waitForFunction(() => navigator.serviceWorker.controller)
  release()
  await page.getByText('runs at /demo/').waitFor()
})

test('an address without a page says so on a site without an application', async () => {
  await writeSite(join(folder, 'bare'), { base, mock: {} })
  const bare = await hostFiles(join(folder, 'bare'), base)
  const page = await openPage(`${bare.origin}${base}nowhere`)
  await page.getByText('There is no page at this address.').waitFor()
  await bare.close()
})

test('changes survive the end of the worker', async () => {
  const page = await open('')
  await page.evaluate(() =>
    fetch('/demo/__mock/state/labels', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"kept"}'
    })
  )
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('ServiceWorker.enable')
  await devtools.send('ServiceWorker.stopAllWorkers')
  const { body } = await ask(page, '/demo/__mock/state/labels?q=kept')
  expect(body.rows).toEqual([expect.objectContaining({ name: 'kept' })])
})

test('a site has endpoints of the user, their rules and generated values', async () => {
  const page = await open('')
  expect(await ask(page, '/demo/notes')).toEqual({ status: 200, body: ['a note'] })
  expect(await ask(page, '/demo/people')).toEqual({ status: 200, body: { name: expect.stringMatching(/\w/) } })
})

test('the dashboard shows each request at once, by its stream of events', async () => {
  const page = await open('__mock/')
  await page.getByText('0 exchanges').waitFor()
  await ask(page, '/demo/api/get-user-role')
  await page.getByText('1 exchange', { exact: true }).waitFor()
  const rows = page.getByRole('table', { name: 'Exchanges' }).getByRole('row')
  expect(await rows.nth(1).textContent()).toContain('/api/get-user-role')
})

test('the explorer sends requests', async () => {
  const page = await open('docs')
  await inExplorer(page, 'listNotes')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('region', { name: 'Answer to admin' }).getByText('"a note"').waitFor()
  await page.getByRole('link', { name: 'Requests' }).click()
  await page.waitForURL(`${host.origin}${base}__mock/#/default/requests`)
  await page.getByText('1 exchange', { exact: true }).waitFor()
})

test('the explorer of a site offers only code that works there', async () => {
  const page = await open('docs')
  await inExplorer(page, 'getUserRole')
  const sample = page.getByRole('region', { name: 'Sample' })
  await sample.getByText('This mock runs in your browser only').waitFor()
  expect(await sample.getByRole('button').allInnerTexts()).toEqual(['fetch', 'Copy'])
  const code = (await sample.locator('pre').innerText())
    .replace('console.log(', 'globalThis.seen = [')
    .replace(/\)\s*$/, ']')
  expect(await page.evaluate(`(async () => { ${code}; return globalThis.seen })()`)).toEqual([200, '{"role":"admin"}'])
})

test('the explorer of a site without the control API sends requests too', async () => {
  await writeSite(join(folder, 'closed'), { base, mock: { fixtures: 'demo', control: 'off' } })
  const closed = await hostFiles(join(folder, 'closed'), base)
  const page = await open('docs', closed)
  await inExplorer(page, 'getUserRole')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('region', { name: 'Answer to admin' }).getByText('"admin"').waitFor()
  await closed.close()
})

test('a second visit needs no network', async () => {
  const page = await open('')
  await page.context().setOffline(true)
  await page.goto(`${host.origin}${base}some/deep/place`)
  await page.getByText('runs at /demo/some/deep/place').waitFor()
  expect((await ask(page, '/demo/api/get-user-role')).body).toEqual({ role: 'admin' })
  await page.goto(`${host.origin}${base}__mock/`)
  await page.getByRole('table', { name: 'Exchanges' }).getByText('/api/get-user-role').waitFor()
})

test('a fault breaks the connection of a page', async () => {
  const page = await open('')
  const message = await page.evaluate(() =>
    fetch('/demo/api/get-user-role', { headers: { Prefer: 'fault=CONNECTION_RESET_BY_PEER' } }).catch(String)
  )
  expect(message).toContain('TypeError')
})

test('a foreign folder, an application without a page, and names of the mock are refused', async () => {
  const other = join(folder, 'other')
  mkdirSync(join(other, 'docs'), { recursive: true })
  writeFileSync(join(other, 'docs/x.html'), '')
  await expect(writeSite(other, { base, mock: {} })).rejects.toThrow('is not empty')
  await expect(writeSite(join(folder, 'new'), { base, app: other, mock: {} })).rejects.toThrow('no index.html')
  writeFileSync(join(other, 'index.html'), '')
  await expect(writeSite(join(folder, 'new'), { base, app: other, mock: {} })).rejects.toThrow('docs/x.html')
})
