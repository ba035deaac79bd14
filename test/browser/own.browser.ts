import { startTestMock } from '../mock.js'
import { notes } from '../own/notes.js'
import { inExplorer, openPage } from './browser.js'

const mock = await startTestMock({ with: [notes()] })

beforeEach(() => mock.reset())

test('a user operation is described and sent with its path and body, and changes rows', async () => {
  const page = await openPage(`${mock.url}/docs`)
  const description = await inExplorer(page, 'addNote')
  const title = description.getByRole('table', { name: 'Fields of the body' }).getByRole('row').nth(1)
  expect((await title.innerText()).replace(/\s+/g, ' ')).toBe('title string required at least 1 character')
  // Its document has no example.
  await page.getByText('The request matches the contract.').waitFor()
  expect(JSON.parse(await page.getByLabel('Body (JSON)').inputValue())).toEqual({ title: 'text' })
  await page.getByLabel('Body (JSON)').fill('{"title": "From the explorer"}')
  await page.keyboard.press('Control+Enter')
  const answer = page.getByRole('region', { name: 'Answer to admin' })
  await answer.getByText('"From the explorer"').first().waitFor()
  await inExplorer(page, 'getNote')
  await page.getByLabel(/^note_id/).fill('21')
  await page.keyboard.press('Control+Enter')
  await answer.getByText('"From the explorer"').first().waitFor()
  const { requests } = (await mock.call('GET', '/__mock/requests')).body
  expect(requests).toMatchObject([
    { operation: 'getNote', status: 200 },
    { operation: 'addNote', status: 201 }
  ])
})

test('requests are described without read-only fields, answers without write-only ones, and each with an example', async () => {
  const Thing = {
    type: 'object',
    required: ['id', 'name', 'secret'],
    properties: {
      id: { allOf: [{ type: 'integer', readOnly: true }] },
      name: { type: 'string' },
      secret: { type: 'string', writeOnly: true },
      made: { type: 'string', format: 'date' }
    }
  }
  const content = { 'application/json': { schema: Thing } }
  const made = { description: 'made', content }
  const post = {
    operationId: 'addThing',
    requestBody: { required: true, content },
    responses: { 201: made, 400: made }
  }
  const own = await startTestMock({
    with: [{ openapi: '3.0.3', info: { title: 'Things', version: '1' }, paths: { '/things': { post } } }]
  })
  const page = await openPage(`${own.url}/docs#addThing`)
  await page.getByText('The request matches the contract.').waitFor()
  expect(JSON.parse(await page.getByLabel('Body (JSON)').inputValue())).toEqual({ name: 'text', secret: 'text' })
  const fields = (table: string) => page.getByRole('table', { name: table }).getByRole('rowheader').allInnerTexts()
  expect(await fields('Fields of the body')).toEqual(['name', 'secret', 'made'])
  for (const status of ['201', '400']) {
    const answer = page.getByRole('region', { name: `Documented ${status}` })
    if (status === '400') await answer.getByText('Example and fields').press('Enter')
    const example = answer.getByRole('region', { name: `Example of ${status}` })
    expect(JSON.parse(await example.innerText())).toEqual({ id: 1, name: 'text', made: '2026-03-02' })
    expect(await fields(`Fields of ${status}`)).toEqual(['id', 'name', 'made'])
  }
})

test('a user operation gets an override, by its name and with its path', async () => {
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

test('the coverage lists user operations after those of the platform', async () => {
  await mock.call('GET', '/api/notes/1')
  const page = await openPage(`${mock.url}/__mock/#/default/coverage`)
  await page.getByText('getNote').first().waitFor()
  const rows = await page.getByRole('row').allInnerTexts()
  const at = (name: string) => rows.findIndex((text) => text.includes(name))
  expect(at('getNote')).toBeGreaterThan(at('E30'))
  expect(at('E1 ')).toBeGreaterThan(0)
})

test('invented and unknown paths are listed by their number of requests, with links to them', async () => {
  for (let times = 0; times < 3; times++) await mock.call('POST', '/api/notes/1/archive')
  for (let times = 0; times < 2; times++) await mock.call('GET', '/api/nowhere')
  await mock.call('GET', '/api/notes/1')
  const page = await openPage(`${mock.url}/__mock/#/default/coverage`)
  const table = page.getByRole('table', { name: 'Invented and unknown answers' })
  await table.waitFor()
  const rows = (await table.getByRole('row').allInnerTexts()).slice(1).map((it) => it.split(/\s*\t\s*|\n/))
  expect(rows.map(([call, seen]) => [call, seen])).toEqual([
    ['POST /api/notes/1/archive', '3'],
    ['GET /api/nowhere', '2']
  ])
  expect(rows[0]?.join(' ')).toContain('give archiveNote a rule in rules.js')
  expect(rows[1]?.join(' ')).toContain('add it to the document of --with')
  await table.getByRole('link', { name: 'POST /api/notes/1/archive' }).click()
  await page.getByText('3 exchanges', { exact: true }).waitFor()
  expect(new URL(page.url()).hash).toContain('source%3Ainvented')
  expect(await page.locator('td.source').allInnerTexts()).toEqual(['invented', 'invented', 'invented'])
})

test('the values of a stream are shown with their times', async () => {
  const chunks = ['one', 'two', 'three']
  await mock.call('POST', '/__mock/overrides', { body: { method: 'GET', path: '/api/spoken', chunks, every: 30 } })
  await mock.call('GET', '/api/spoken')
  const page = await openPage(`${mock.url}/__mock/#/default/requests/r1`)
  const values = page.getByRole('list', { name: 'Values' }).getByRole('listitem')
  await page.getByText('3 values, whole').waitFor()
  expect((await values.allInnerTexts()).map((it) => it.split(' ').at(-1))).toEqual(chunks)
})
