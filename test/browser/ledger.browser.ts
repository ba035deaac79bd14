import { readFileSync } from 'node:fs'
import { operationIds } from '../contract/document.js'
import { startTestMock } from '../mock.js'
import { openPage } from './browser.js'

const mock = await startTestMock()
const dashboard = `${mock.url}/__mock/#/default`

beforeEach(() => mock.reset())

const choiceOf = async (id: string) => {
  const { assumptions } = (await mock.call('GET', '/__mock/assumptions')).body
  return assumptions.find((entry: { id: string }) => entry.id === id).choice
}

test('an assumption shows its question, its choice and its users, and is switched', async () => {
  await mock.call('GET', '/api/persona/999')
  const page = await openPage(`${dashboard}/assumptions?q=errors.missing`)
  const entry = page.getByRole('listitem').filter({ hasText: 'errors.missing' }).first()
  await entry.getByText('What is the answer for an id that does not exist, or belongs to another user?').waitFor()
  await entry.getByText('Used 1 time by').waitFor()
  expect(await entry.getByRole('link', { name: 'getPersona' }).count()).toBe(1)
  expect((await mock.call('GET', '/api/persona/999')).status).toBe(404)
  await entry.getByLabel('Choice for errors.missing').selectOption('per-operation')
  await page.getByText('errors.missing is per-operation.').waitFor()
  expect(await choiceOf('errors.missing')).toBe('per-operation')
  expect((await mock.call('GET', '/api/persona/999')).status).toBe(400)
})

test('a choice with a number is typed, and refused if it is invalid', async () => {
  const page = await openPage(`${dashboard}/assumptions?q=files.lifecycle`)
  await page.getByLabel('Or after-<n>-reads').fill('after-some-reads')
  await page.getByRole('button', { name: 'Set files.lifecycle' }).click()
  await page.getByText('"after-some-reads" is not a choice.').waitFor()
  expect(await choiceOf('files.lifecycle')).toBe('clock')
  await page.getByLabel('Or after-<n>-reads').fill('after-3-reads')
  await page.getByRole('button', { name: 'Set files.lifecycle' }).click()
  await page.getByText('files.lifecycle is after-3-reads.').waitFor()
  expect(await choiceOf('files.lifecycle')).toBe('after-3-reads')
})

test('all choices are switched to what was observed, and back', async () => {
  const page = await openPage(`${dashboard}/assumptions`)
  await page.getByRole('button', { name: 'All as observed' }).click()
  await page.getByText('All choices are those of observed.').waitFor()
  expect(await choiceOf('files.deletion')).toBe('refused')
  await page.getByRole('button', { name: 'All as documented' }).click()
  await page.getByText('All choices are those of documented.').waitFor()
  expect(await choiceOf('files.deletion')).toBe('unlinked')
})

test('only the used assumptions are shown on request', async () => {
  await mock.call('GET', '/api/get-user-role')
  const page = await openPage(`${dashboard}/assumptions`)
  await page.getByLabel('Used').check()
  await page.getByText('1 assumption', { exact: true }).waitFor()
  await page.getByText('roles.values').first().waitFor()
})

test('only the assumptions whose choice is not the default are shown on request', async () => {
  await mock.call('PATCH', '/__mock/assumptions', { body: { 'delete.body': 'empty-object' } })
  const page = await openPage(`${dashboard}/assumptions`)
  await page.getByLabel('Not the default').check()
  await page.getByText('1 assumption', { exact: true }).waitFor()
  await page.getByText('delete.body').first().waitFor()
  await page.reload()
  expect(await page.getByLabel('Not the default').isChecked()).toBe(true)
})

test('a choice that the mock refuses is not shown as the choice', async () => {
  const page = await openPage(`${dashboard}/assumptions?q=delete.body`)
  const choice = page.getByLabel('Choice for delete.body')
  await choice.waitFor()
  const inForce = await choice.inputValue()
  await page.route('**/__mock/assumptions', (it) =>
    it.request().method() === 'PATCH'
      ? it.fulfill({ status: 503, json: { type: 'about:blank', detail: 'Refused here.' } })
      : it.continue()
  )
  await choice.selectOption(inForce === 'empty-object' ? 'null' : 'empty-object')
  await page.getByText('Refused here.').waitFor()
  expect(await choice.inputValue()).toBe(inForce)
})

test('assumptions are grouped by area, one of which can be chosen, and its address shows it again', async () => {
  const { assumptions } = (await mock.call('GET', '/__mock/assumptions')).body
  const page = await openPage(`${dashboard}/assumptions`)
  const headings = () => page.getByRole('heading', { level: 2 }).allTextContents()
  await page.getByRole('heading', { name: 'Agents', level: 2 }).waitFor()
  // Each is in an area with its own name here.
  expect(await headings()).toHaveLength(10)
  expect(await page.getByRole('combobox', { name: /^Choice for/ }).count()).toBe(assumptions.length)
  const ofAgents = assumptions.filter(({ id }: { id: string }) => /^(persona|document-set)\./.test(id))
  await page.getByRole('link', { name: `Agents ${ofAgents.length}` }).press('Enter')
  await page.getByText(`${ofAgents.length} assumptions`, { exact: true }).waitFor()
  expect(await headings()).toEqual(['Agents'])
  await page.reload()
  await page.getByText(`${ofAgents.length} assumptions`, { exact: true }).waitFor()
  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing has this')
  await page.getByText('No assumption matches.').waitFor()
})

test('coverage is a grid of operations and statuses, violations first, with links to the requests', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/chat/search?query=plan&bogus=1')
  await mock.call('GET', '/api/nonsense')
  const page = await openPage(`${dashboard}/coverage`)
  const grid = page.getByRole('table', { name: 'Operations by status' })
  await grid.waitFor()
  expect(await grid.getByRole('row').nth(1).textContent()).toMatch(
    /^E3 searchChatsGET \/api\/chat\/search1 \(1 violation\)/
  )
  await page.getByText(`2 of ${operationIds.length} operations used`).waitFor()
  await page.getByRole('link', { name: 'GET /api/nonsense' }).waitFor()
  await grid.getByRole('link', { name: '1 (1 violation)' }).click()
  await page.getByText('1 exchange', { exact: true }).waitFor()
  expect(new URL(page.url()).hash).toBe('#/default/requests?q=op%3AsearchChats+status%3A200')
})

test('the grid of coverage fits in 1024 pixels with many statuses, and on a phone an operation is a card', async () => {
  for (const status of [500, 502, 503, 504, 429, 418, 409]) {
    await mock.call('POST', '/__mock/overrides', { body: { operation: 'getPersona', status, times: 1 } })
    await mock.call('GET', '/api/persona/1')
  }
  const page = await openPage(`${dashboard}/coverage`)
  const grid = page.getByRole('region', { name: 'Coverage grid' })
  await grid.getByRole('link', { name: '1 (not in the contract)' }).first().waitFor()
  const overflow = () => grid.evaluate((it) => it.scrollWidth - it.clientWidth)
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 800 })
    expect([width, await overflow()]).toEqual([width, 0])
  }
  const row = grid.getByRole('row').filter({ hasText: 'getPersona' })
  const shown = await row.locator('td').evaluateAll((cells) => cells.map((it) => getComputedStyle(it).display))
  expect(shown.filter((display) => display === 'flex').length).toBeGreaterThanOrEqual(8)
})

test('coverage is saved in the form of the API', async () => {
  await mock.call('GET', '/api/persona/1')
  const page = await openPage(`${dashboard}/coverage`)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as JSON' }).click()
  ])
  const saved = JSON.parse(readFileSync(await download.path(), 'utf8'))
  expect(saved).toEqual((await mock.call('GET', '/__mock/coverage')).body)
})
