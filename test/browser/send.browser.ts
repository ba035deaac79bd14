import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startTestMock } from '../mock.js'
import { notes } from '../own/notes.js'
import { command, openPage, pressEnter, tabTo, until } from './browser.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-send-'))
writeFileSync(join(folder, 'notes.json'), JSON.stringify(notes()))
const mock = await startTestMock({ fixtures: 'demo', with: [join(folder, 'notes.json')] })
const dashboard = `${mock.url}/__mock/`
beforeEach(() => mock.reset())

const entries = () => [...mock.sandbox.journal.entries(0)]

const answered = (page: Page, user: string) => page.getByRole('region', { name: `Answer to ${user}` })

test('a request of an operation is made, with an id chosen by name, and sent as three users at once, with keys only', async () => {
  const page = await openPage(dashboard)
  await page.getByText('0 exchanges').waitFor()
  await command(page, 'send updatePersona', 'Send updatePersona')
  await page.getByText('The request matches the contract.').waitFor()
  await tabTo(page, /^persona_id/)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('onboarding')
  await page.getByRole('option', { name: 'Onboarding buddy' }).waitFor()
  await page.keyboard.press('ArrowDown')
  const chosen = await page.locator('[role=option][aria-selected=true]').textContent()
  await page.keyboard.press('Enter')
  const id = await page.getByLabel(/^persona_id/).inputValue()
  expect(chosen).toContain(id)
  const name = mock.sandbox.rows.personas.get(Number(id))?.name as string
  expect(name.toLowerCase()).toContain('onboarding')
  for (const user of ['curator', 'basic']) {
    await tabTo(page, new RegExp(`^${user}$`))
    await page.keyboard.press('Space')
  }
  await page.keyboard.press('Control+Enter')
  await answered(page, 'basic').getByText('403', { exact: true }).waitFor()
  await answered(page, 'admin').getByText('200', { exact: true }).waitFor()
  await answered(page, 'curator').getByRole('link', { name: /^r\d$/ }).waitFor()
  expect(entries().map(({ user, url }) => [user, url])).toEqual(
    ['basic', 'curator', 'admin'].map((user) => [user, `/api/persona/${id}`])
  )
  expect(mock.sandbox.rows.personas.get(Number(id))?.description).toBe('Writes what changed, and why.')
  await pressEnter(page, /^r1$/)
  await page.getByRole('heading', { name: `PATCH /api/persona/${id}` }).waitFor()
})

test('ArrowDown and Enter select an option for the text, even if they come before its list', async () => {
  const page = await openPage(`${dashboard}#/default/send/getPersona`)
  const id = page.getByLabel(/^persona_id/)
  await id.focus()
  await until(
    () => page.getByRole('option').count(),
    (count) => count > 1
  )
  await page.keyboard.press('Control+a')
  await page.keyboard.type('onboarding')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await until(
    () => id.inputValue(),
    (value) => /^-?\d+$/.test(value)
  )
  const name = mock.sandbox.rows.personas.get(Number(await id.inputValue()))?.name
  expect(name).toMatch(/onboarding/i)
  expect(entries()).toEqual([])
})

test('several users send in turn, and each answer shows what the one before has left', async () => {
  const page = await openPage(`${dashboard}#/default/send/deletePersona?persona_id=1&as=admin,olga`)
  await page.getByRole('button', { name: /^Send 2 times/ }).waitFor()
  await page.keyboard.press('Control+Enter')
  await answered(page, 'admin').getByText('200', { exact: true }).waitFor()
  await answered(page, 'admin').getByText('removed').waitFor()
  await answered(page, 'olga').getByText('404', { exact: true }).waitFor()
  expect(entries().map(({ status }) => status)).toEqual([404, 200])
})

test('the errors of the contract appear during typing, and one step corrects them', async () => {
  const page = await openPage(`${dashboard}#/default/send/updatePersona`)
  const body = page.getByLabel('Body (JSON)')
  await body.press('Control+a')
  await page.keyboard.type('{"num_chunks": "many", "bogus": 1}')
  const verdict = page.getByRole('region', { name: 'What the contract says' })
  await verdict.getByText('1 problem:').waitFor()
  await verdict.getByText('How many pieces of documents').waitFor()
  await verdict.getByText('body.bogus is not in the contract').waitFor()
  await verdict.getByRole('button', { name: /^Correct it/ }).press('Enter')
  await verdict.getByText('The request matches the contract.').waitFor()
  expect(JSON.parse(await body.inputValue())).toEqual({ num_chunks: expect.any(Number) })
  await body.press('Control+a')
  await page.keyboard.type('{"num_chunks": }')
  await verdict.getByText(/body is not JSON: .* at character 15/).waitFor()
  expect(entries()).toEqual([])
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.getByLabel(/^persona_id/).press('Control+a')
  await page.keyboard.type('one')
  await page
    .getByText(/^Enter a whole number\. \(Input should be a valid integer.*\)$/)
    .first()
    .waitFor()
})

test('an exchange is edited and sent again, by its user, with its headers', async () => {
  await mock.call('PATCH', '/api/persona/1?odd=1', {
    body: { name: 'Renamed' },
    as: 'basic',
    headers: { 'X-Note': 'kept' }
  })
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  await page.getByRole('link', { name: 'Edit and resend' }).press('Enter')
  const body = page.getByLabel('Body (JSON)')
  await body.waitFor()
  expect(JSON.parse(await body.inputValue())).toEqual({ name: 'Renamed' })
  expect(await page.getByLabel('basic', { exact: true }).isChecked()).toBe(true)
  expect(await page.getByLabel('More of the query').inputValue()).toBe('odd=1')
  await body.press('Control+a')
  await page.keyboard.type('{"name": "Otherwise"}')
  await page.getByLabel('admin', { exact: true }).press('Space')
  await page.keyboard.press('Control+Enter')
  await answered(page, 'basic').getByText('403', { exact: true }).waitFor()
  await answered(page, 'admin').getByText('200', { exact: true }).waitFor()
  expect(mock.sandbox.rows.personas.get(1)?.name).toBe('Otherwise')
  const { request } = (await mock.call('GET', '/__mock/requests/r2')).body
  expect(request.headers['x-note']).toBe('kept')
  // A reload keeps the draft, and the address has everything but the body.
  await until(
    () => page.url(),
    (url) => url.includes('as=admin')
  )
  await page.reload()
  await body.waitFor()
  expect(JSON.parse(await body.inputValue())).toEqual({ name: 'Otherwise' })
  expect(decodeURIComponent(page.url())).toContain('path.persona_id=1&more=odd=1&as=admin,basic&from=r1')
})

test('the last key counts too when the page is left at once', async () => {
  const page = await openPage(`${dashboard}#/default/send/createChatSession`)
  const body = page.getByLabel('Body (JSON)')
  await body.waitFor()
  // No time passes between the text and the next page.
  await body.evaluate(async (it: HTMLTextAreaElement) => {
    it.value = '{"description": "The last key"}'
    it.dispatchEvent(new InputEvent('input', { bubbles: true }))
    await Promise.resolve()
    location.hash = '#/default/clock'
  })
  await page.getByRole('heading', { name: 'Clock' }).waitFor()
  await page.goBack()
  await body.waitFor()
  expect(await body.inputValue()).toBe('{"description": "The last key"}')
})

test('a request remains unchanged if the document cannot be loaded again', async () => {
  const page = await openPage(`${dashboard}#/default/send/createChatSession`)
  const body = page.getByLabel('Body (JSON)')
  await body.fill('{"description": "Still here"}')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.route('**/__mock/openapi.json', (route) =>
    route.fulfill({ status: 500, json: { detail: 'There is no document.' } })
  )
  await mock.call('PUT', '/__mock/clock', { body: { speed: 0 } })
  await page.getByText('There is no document.').waitFor()
  expect(await body.inputValue()).toBe('{"description": "Still here"}')
})

test('a file is uploaded, and an earlier request is reused', async () => {
  const page = await openPage(`${dashboard}#/default/send/uploadConnectorFiles`)
  const verdict = page.getByRole('region', { name: 'What the contract says' })
  await verdict.getByText('Field required').waitFor()
  await page
    .getByLabel(/^files/)
    .setInputFiles({ name: 'handbook.md', mimeType: 'text/markdown', buffer: Buffer.from('# Hi') })
  await verdict.getByText('The request matches the contract.').waitFor()
  await page.keyboard.press('Control+Enter')
  await answered(page, 'admin').getByText('handbook.md').waitFor()
  expect(entries()[0]).toMatchObject({ operation: 'uploadConnectorFiles', status: 200 })
  await page.goto(`${dashboard}#/default/send/getPersona`)
  await page.getByLabel(/^persona_id/).waitFor()
  await page.getByText('The request matches the contract.').waitFor()
  await page.getByRole('region', { name: 'Last requests' }).getByRole('link').first().press('Enter')
  await page.getByLabel(/^files/).waitFor()
})

test('a DELETE is sent with its body, and so is any path', async () => {
  const page = await openPage(`${dashboard}#/default/send/deleteUser`)
  await page.getByText('The request matches the contract.').waitFor()
  await page.keyboard.press('Control+Enter')
  await answered(page, 'admin').waitFor()
  expect((await mock.call('GET', '/__mock/requests/r1')).body).toMatchObject({
    method: 'DELETE',
    request: { body: expect.anything() }
  })
  await page.goto(`${dashboard}#/default/send/any?url=/api/persnoa/1`)
  await page.getByText('No operation has this method and path.').waitFor()
  await page.getByText('/api/persona/{persona_id}').first().waitFor()
  await page.keyboard.press('Control+Enter')
  await answered(page, 'admin').getByText('404').waitFor()
})

test('a user endpoint is sent with ids of its own rows', async () => {
  const { id } = (await mock.call('POST', '/__mock/state/notes', { body: { title: 'Water the frost alerts' } })).body
  const page = await openPage(`${dashboard}#/default/send/getNote`)
  await page.getByLabel(/^note_id/).press('Control+a')
  await page.keyboard.type('frost')
  await page.getByRole('option', { name: /Water the frost alerts/ }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.locator('[role=option][aria-selected=true]').waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+Enter')
  await answered(page, 'admin').getByText('Water the frost alerts').waitFor()
  expect(entries()[0]).toMatchObject({ operation: 'getNote', url: `/api/notes/${id}`, status: 200 })
})

test('a broken connection is shown, with its exchange', async () => {
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'getPersona', fault: 'EMPTY_RESPONSE' } })
  const page = await openPage(`${dashboard}#/default/send/getPersona`)
  await page.getByText('The request matches the contract.').waitFor()
  await page.keyboard.press('Control+Enter')
  await answered(page, 'admin').getByText('(EMPTY_RESPONSE)').waitFor()
  await answered(page, 'admin')
    .getByRole('link', { name: /^r\d+$/ })
    .waitFor()
})

test('cookies of the browser change neither the user nor the sandbox', async () => {
  const page = await openPage(`${mock.url}/__mock/enter?user=admin&sandbox=mine&to=/__mock/`)
  await page.goto(`${mock.url}/__mock/#/default/send/getUserRole?as=basic,nobody`)
  await page.getByText('The request matches the contract.').waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('region', { name: 'Answer to nobody' }).getByText('401').waitFor()
  await page.getByRole('region', { name: 'Answer to basic' }).getByText('"basic"').waitFor()
  expect(mock.sandbox.journal.size).toBe(2)
})

test('a request in a public mock goes to the sandbox on the page, and not to that of the visitor', async () => {
  const open = await startTestMock({ public: true, controlToken: 'sesame' })
  const page = await openPage(`${open.url}/docs`)
  await page.goto(`${open.url}/__mock/#/default/send/getUserRole?as=basic`)
  await page.getByLabel('Control token').fill('sesame')
  await page.keyboard.press('Enter')
  await page.getByText('The request matches the contract.').waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('region', { name: 'Answer to basic' }).getByText('"basic"').waitFor()
  expect(open.sandbox.journal.size).toBe(1)
})
