import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { startTestMock } from '../mock.js'
import { copied, openPage, pressEnter, ribbonDrawn, tabTo } from './browser.js'

const mock = await startTestMock({ fixtures: 'demo' })
const dashboard = `${mock.url}/__mock/`
const renamed = () => mock.sandbox.rows.personas.get(1)?.name
const before = renamed()

beforeEach(() => mock.reset())

/** Presses keys, one after the other. */
async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Opens the only exchange that a query finds. */
async function openExchange(page: Page, query: string): Promise<void> {
  // Keys work once the list is there.
  await page
    .getByText(/^\d+ exchanges?$/)
    .first()
    .waitFor()
  await press(page, '/')
  await page.keyboard.type(query)
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await press(page, 'Enter', 'j', 'Enter')
  await page.getByRole('region', { name: 'Exchange' }).waitFor()
}

// After the page has loaded, these touch keys only.
test('a refused request is found, corrected and sent again', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('PATCH', '/api/persona/1', { body: { num_chunks: 'many', name: 'Renamed' } })
  const page = await openPage(dashboard)
  await page.getByText('2 exchanges').waitFor()
  await openExchange(page, 'status:422')
  await pressEnter(page, /^Resend with num_chunks/)
  await page.getByText('Sent corrected: 200.').waitFor()
  expect(renamed()).toBe('Renamed')
})

test('a request is tried as another user, and nothing changes', async () => {
  await mock.call('PATCH', '/api/persona/1', { body: { name: 'Renamed' } })
  const page = await openPage(dashboard)
  await openExchange(page, 'op:updatePersona')
  await tabTo(page, /^As user/)
  await page.keyboard.type('nobody')
  await pressEnter(page, /^Compare$/)
  await page.getByRole('region', { name: 'What if' }).getByText('401', { exact: true }).waitFor()
  expect((await mock.call('GET', '/__mock/requests')).body.total).toBe(1)
})

test('two exchanges are compared, and a changed row is reached', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('PATCH', '/api/persona/1', { body: { name: 'Renamed' } })
  await mock.call('GET', '/api/persona/1')
  const page = await openPage(dashboard)
  await page.getByText('3 exchanges').waitFor()
  await press(page, 'j', 'Enter')
  await pressEnter(page, /^Compare…$/)
  await page.getByRole('dialog').waitFor()
  await pressEnter(page, /^r1 /)
  await page.getByRole('region', { name: 'Comparison' }).getByText('1 difference in the answer').waitFor()
  await press(page, 'Escape', 'j', 'Enter')
  await page.getByRole('heading', { name: 'PATCH /api/persona/1' }).waitFor()
  await pressEnter(page, /^Agent 1$/)
  await page.getByRole('heading', { name: 'Renamed' }).waitFor()
})

test('an exchange is copied as a curl command that makes the same request', async () => {
  await mock.call('PATCH', '/api/persona/1', { body: { name: 'Renamed' } })
  const page = await openPage(dashboard)
  await openExchange(page, 'op:updatePersona')
  await mock.call('PATCH', '/api/persona/1', { body: { name: before } })
  await pressEnter(page, /^Copy as curl$/)
  await page.getByText('Copied curl.').waitFor()
  await promisify(execFile)('bash', ['-c', `${await copied(page)} --silent`])
  expect(renamed()).toBe('Renamed')
})

test('an exchange is edited and sent again', async () => {
  await mock.call('PATCH', '/api/persona/1', { body: { name: 'Renamed' } })
  const page = await openPage(dashboard)
  await openExchange(page, 'op:updatePersona')
  await pressEnter(page, /^Edit and resend$/)
  // The exchange has a body too, and the same verdict.
  await page.getByRole('heading', { name: 'Send a request' }).waitFor()
  await page.getByRole('region', { name: 'What the contract says' }).waitFor()
  await tabTo(page, /^Body \(JSON\)/)
  await press(page, 'Control+a')
  await page.keyboard.type('{"name": "Renamed again"}')
  await press(page, 'Control+Enter')
  await page
    .getByRole('region', { name: /^Answer/ })
    .getByText('200')
    .first()
    .waitFor()
  expect(renamed()).toBe('Renamed again')
})

test('an exchange becomes an override, which answers the next request', async () => {
  await mock.call('GET', '/api/persona/999')
  const page = await openPage(dashboard)
  await openExchange(page, 'op:getPersona')
  await pressEnter(page, /^Make an override of this$/)
  await tabTo(page, /^Status/)
  await page.keyboard.type('418')
  await press(page, 'Enter')
  await page.getByRole('rowheader', { name: 'o1' }).waitFor()
  expect((await mock.call('GET', '/api/persona/999')).status).toBe(418)
})

test('the explorer is reached from the menu', async () => {
  const page = await openPage(dashboard)
  await page.getByText('0 exchanges').waitFor()
  await pressEnter(page, /^API explorer$/)
  await page.waitForURL(/#\/default\/send$/)
  await page.getByLabel('Find an operation').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('role')
  await page.keyboard.press('Enter')
  await page.getByText('The request matches the contract.').waitFor()
})

test('a stretch is chosen on the ribbon, an earlier moment is restored, and a new sandbox continues from one', async () => {
  for (const name of ['First', 'Second', 'Third']) await mock.call('PATCH', '/api/persona/1', { body: { name } })
  const page = await openPage(dashboard)
  await page.getByText('3 exchanges').waitFor()
  await ribbonDrawn(page)
  await tabTo(page, /^Moment/)
  await press(page, 'Shift+ArrowLeft')
  await page.waitForURL(/stretch=r3/)
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await press(page, 'Escape')
  await page.getByText('3 exchanges').waitFor()
  await press(page, 'ArrowLeft')
  await page.waitForURL(/at=r3/)
  await press(page, 'ArrowLeft')
  await page.waitForURL(/at=r2/)
  await pressEnter(page, /^Fork/)
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type('then')
  await press(page, 'Enter')
  await page.getByText('Sandbox then was forked from r2.').waitFor()
  const then = await mock.call('GET', '/__mock/state/personas/1', { as: 'admin~then' })
  expect([then.body.name, renamed()]).toEqual(['Second', 'Third'])
  await mock.call('DELETE', '/__mock/sandboxes')
})
