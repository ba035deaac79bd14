import { startTestMock } from '../mock.js'
import { notes } from '../own/notes.js'
import { inExplorer, openPage } from './browser.js'

const mock = await startTestMock({ with: [notes()] })

beforeEach(() => mock.reset())

test('an own operation is tried with its path and body, and changes rows', async () => {
  const adding = await inExplorer(await openPage(`${mock.url}/docs`), 'addNote')
  await adding.locator('textarea').first().fill('{"title": "From the explorer"}')
  await adding.getByRole('button', { name: 'Execute' }).click()
  await adding.locator('.live-responses-table').getByText('"From the explorer"').waitFor()
  const reading = await inExplorer(await openPage(`${mock.url}/docs`), 'getNote')
  await reading.getByPlaceholder('note_id').fill('21')
  await reading.getByRole('button', { name: 'Execute' }).click()
  await reading.locator('.live-responses-table').getByText('"From the explorer"').waitFor()
  const { requests } = (await mock.call('GET', '/__mock/requests')).body
  expect(requests).toMatchObject([
    { operation: 'getNote', status: 200 },
    { operation: 'addNote', status: 201 }
  ])
})

test('an own operation gets an override, by its name and with its path', async () => {
  const page = await openPage(`${mock.url}/__mock/#/default/overrides/new`)
  await page.getByLabel('Operation').selectOption('getNote')
  await page.getByLabel('Path: note_id').fill('1')
  await page.getByLabel('Status').fill('503')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('Override o1 was added.').waitFor()
  expect((await mock.call('GET', '/__mock/overrides')).body.overrides).toMatchObject([
    { operation: 'getNote', status: 503, match: { path: { note_id: '1' } } }
  ])
  expect((await mock.call('GET', '/api/notes/1')).status).toBe(503)
  expect((await mock.call('GET', '/api/notes/2')).status).toBe(200)
})

test('the coverage tells own operations after those of the platform', async () => {
  await mock.call('GET', '/api/notes/1')
  const page = await openPage(`${mock.url}/__mock/#/default/coverage`)
  await page.getByText('getNote').first().waitFor()
  const rows = await page.getByRole('row').allInnerTexts()
  const at = (name: string) => rows.findIndex((text) => text.includes(name))
  expect(at('getNote')).toBeGreaterThan(at('E30'))
  expect(at('E1 ')).toBeGreaterThan(0)
})
