import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { operationIds } from '../contract/document.js'
import { startTestMock } from '../mock.js'
import { copied, inExplorer, openPage, tabTo, until } from './browser.js'

const mock = await startTestMock()
const closed = await startTestMock({ control: 'off' })
const locked = await startTestMock({ controlToken: 'sesame' })

beforeEach(() => mock.reset())

const answered = (page: Page, user: string) => page.getByRole('region', { name: `Answer to ${user}` })
const operations = (page: Page) => page.getByRole('navigation', { name: 'Operations' })
/** What shows an assumption. */
const assumption = (place: Locator, id: string) => place.locator('summary').filter({ hasText: id })
const send = (page: Page) => page.keyboard.press('Control+Enter')

test('every operation of the interface is there, by its tag', async () => {
  const page = await openPage(`${mock.url}/docs`)
  const list = operations(page)
  await list.getByRole('link').first().waitFor()
  const names = await list.getByRole('link').allInnerTexts()
  expect(names.map((text) => text.split(/\s/)[0]).sort()).toEqual([...operationIds, 'Any'].sort())
  const agents = list.getByRole('region', { name: 'Agents' }).getByRole('link')
  expect((await agents.allInnerTexts()).map((text) => text.split(/\s/))).toEqual([
    ['getPersona', 'GET'],
    ['updatePersona', 'PATCH'],
    ['deletePersona', 'DELETE']
  ])
})

test('an operation is found by words, and opened with the arrow keys or Enter', async () => {
  const page = await openPage(`${mock.url}/docs`)
  const links = operations(page).getByRole('link')
  await links.first().waitFor()
  const shown = async (
    count: number,
    of = operations(page).getByRole('region', { name: 'Agents' }).getByRole('link')
  ) =>
    expect(
      await until(
        () => of.count(),
        (now) => now === count
      )
    ).toBe(count)
  await page.keyboard.press('/')
  await page.keyboard.type('persona delete')
  await shown(1)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Delete an agent' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('/api/persona')
  await shown(3)
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('heading', { name: 'Update an agent' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('nowhere')
  await page.getByText('No operation has these words.').waitFor()
  await page.keyboard.press('Escape')
  await shown(operationIds.length + 1, links)
})

test('an operation is found by a field, a status and the text of an error, after those found by their name', async () => {
  const page = await openPage(`${mock.url}/docs`)
  const found = operations(page).getByRole('region', { name: 'By a field or an answer' }).getByRole('link')
  await operations(page).getByRole('link').first().waitFor()
  const names = async () => (await found.allInnerTexts()).map((text) => text.split(/\s/)[0])
  for (const [text, operation, reason] of [
    ['num_chunks', 'updatePersona', 'field num_chunks'],
    ['tool_ids not found', 'updatePersona', 'tool_ids not found: 404'],
    ['private_key 413', 'replacePrivateKey', 'private_key, status 413']
  ] as const) {
    await page.keyboard.press('/')
    await page.keyboard.type(text)
    expect(await until(names, (all) => all.includes(operation))).toContain(operation)
    expect(await found.filter({ hasText: operation }).locator('.reason').innerText()).toBe(reason)
    for (const key of ['Escape', 'Escape']) await page.keyboard.press(key)
  }
  await page.keyboard.press('/')
  await page.keyboard.type('persona')
  await until(names, (all) => all.length > 0)
  const all = (await operations(page).getByRole('link').allInnerTexts()).map((text) => text.split(/\s/)[0])
  expect(all.slice(0, 3)).toEqual(['getPersona', 'updatePersona', 'deletePersona'])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Read an agent' }).waitFor()
})

test('on a small laptop the request is at the right of the description, and the list opens above both', async () => {
  const page = await openPage(`${mock.url}/__mock/#/default/send/updatePersona`)
  await page.setViewportSize({ width: 1024, height: 768 })
  const button = page.getByRole('button', { name: /^Send Ctrl/ })
  await button.waitFor()
  const description = await page.getByRole('article', { name: 'updatePersona' }).boundingBox()
  const box = await button.boundingBox()
  expect(box?.x).toBeGreaterThan((description?.x ?? 0) + (description?.width ?? 0))
  expect(box?.y).toBeLessThan(700)
  const link = operations(page).getByRole('link', { name: 'updatePersona PATCH' })
  expect(await link.isVisible()).toBe(false)
  await page.keyboard.press('/')
  await link.waitFor()
  expect(await page.getByRole('article', { name: 'updatePersona' }).boundingBox()).toEqual(description)
  await operations(page).getByRole('link', { name: 'getPersona GET' }).click()
  await page.getByRole('heading', { name: 'Read an agent' }).waitFor()
  expect(await link.isVisible()).toBe(false)
})

test('a request is answered by the running mock, with the token filled in', async () => {
  const page = await openPage(`${mock.url}/docs`)
  await inExplorer(page, 'getUserRole')
  await send(page)
  await answered(page, 'admin').getByText('"admin"').waitFor()
  const { requests } = (await mock.call('GET', '/__mock/requests')).body
  expect(requests).toMatchObject([{ operation: 'getUserRole', status: 200 }])
})

test('the answer to a refused request says why, and is in view', async () => {
  const page = await openPage(`${mock.url}/__mock/#/default/send/updatePersona?path.persona_id=1`)
  await page.getByRole('textbox', { name: /^Body/ }).fill('{"num_chunks": "many", "bogus": 1}')
  await page.keyboard.press('Control+Enter')
  const card = answered(page, 'admin')
  await card.getByText('Refused: Input should be a valid integer, in body.num_chunks.').waitFor()
  const isSeen = () => card.evaluate((it) => it.getBoundingClientRect().bottom <= innerHeight)
  expect(await until(isSeen, Boolean)).toBe(true)
})

test('fields are shown with their types and bounds, those in others below them, and an endless one as far as asked', async () => {
  const page = await openPage(`${mock.url}/docs#updatePersona`)
  const body = page.getByRole('table', { name: 'Fields of the body' })
  const row = (name: string) => body.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })
  const text = async (name: string) => (await row(name).first().innerText()).replace(/\s+/g, ' ')
  await body.waitFor()
  expect(await text('name')).toMatch(/^name string at most 10,000 characters The agent's name\./)
  expect(await text('search_start_date')).toMatch(/^search_start_date string date-time/)
  expect(await text('message')).toMatch(/^message string required The text that is sent\./)
  await row('starter_messages').getByRole('button', { name: 'Hide 2 fields of starter_messages' }).press('Enter')
  await row('message').waitFor({ state: 'detached' })
  expect(await page.getByRole('table', { name: 'Parameters' }).innerText()).toMatch(
    /persona_id\s+integer\s+required\s+in the path/
  )
})

test('each documented answer has its examples and fields', async () => {
  const page = await openPage(`${mock.url}/docs#getPersona`)
  const missing = page.getByRole('region', { name: 'Documented 404' })
  await missing.getByText('Example and fields').press('Enter')
  await missing.getByRole('region', { name: 'Example of 404' }).getByText('does not exist').waitFor()
  await missing.getByRole('table', { name: 'Fields of 404' }).getByRole('rowheader', { name: 'detail' }).waitFor()
  await page.goto(`${mock.url}/docs#/default/send/updatePersona`)
  const several = page.getByRole('region', { name: 'Documented 404' })
  await several.getByText('Example and fields').press('Enter')
  await several.getByLabel('Example', { exact: true }).selectOption('unknown-reference')
  await several.getByText('tool_ids not found').waitFor()
})

test('"Make it happen" forces a documented error for the next call, and only for it', async () => {
  const page = await openPage(`${mock.url}/docs#getPersona`)
  await page.getByRole('button', { name: 'Make it happen: 422' }).press('Enter')
  await page.getByText('The next getPersona is answered with 422.').waitFor()
  await page.getByText('answers 1 more request: 422').waitFor()
  await send(page)
  await answered(page, 'admin').getByText('422', { exact: true }).waitFor()
  await page.getByText('answers 1 more request: 422').waitFor({ state: 'detached' })
  const { requests } = (await mock.call('GET', '/__mock/requests')).body
  expect(requests).toMatchObject([{ operation: 'getPersona', status: 422, source: 'override' }])
  await page.getByRole('button', { name: 'Make it happen: 401' }).press('Enter')
  await page.getByText('answers 1 more request: 401').waitFor()
  await page.getByRole('button', { name: /^Undo/ }).last().press('Enter')
  await page.getByText('answers 1 more request: 401').waitFor({ state: 'detached' })
  expect((await mock.call('GET', '/api/persona/1')).status).toBe(200)
})

test('an assumption is named at the status that it decides, and another choice changes the answer', async () => {
  const page = await openPage(`${mock.url}/docs#getUserRole`)
  const refused = page.getByRole('region', { name: 'Documented 401' })
  await assumption(refused, 'auth.unauthenticated').press('Enter')
  await refused.getByText('How is a request without a valid token answered?').waitFor()
  await refused.getByLabel('Choice for auth.unauthenticated').selectOption('403')
  // The document follows the choice.
  await page.getByRole('region', { name: 'Documented 403' }).waitFor()
  await refused.waitFor({ state: 'detached' })
  expect((await mock.call('GET', '/api/get-user-role', { as: null })).status).toBe(403)
})

test('an assumption is named at the field that it decides', async () => {
  const page = await openPage(`${mock.url}/docs#updatePersona`)
  const field = page
    .getByRole('table', { name: 'Fields of the body' })
    .getByRole('row')
    .filter({ has: page.getByText('num_chunks', { exact: true }) })
  expect(await assumption(field, 'persona.num-chunks').innerText()).toMatch(/integer$/)
  await assumption(field, 'persona.num-chunks').press('Enter')
  await field.getByLabel('Choice for persona.num-chunks').selectOption('number')
  await until(
    () => field.innerText(),
    (text) => /^num_chunks\s+number/.test(text)
  )
})

test('an assumption changes together with the bounds that it decides', async () => {
  const page = await openPage(`${mock.url}/docs#updatePersona`)
  const field = page
    .getByRole('table', { name: 'Fields of the body' })
    .getByRole('row')
    .filter({ has: page.getByText('description', { exact: true }) })
  await assumption(field, 'limits.text').press('Enter')
  const seen = () =>
    field.innerText().then((text) => [/at most 10,000/.test(text), /limits.text\s+standard/.test(text)])
  expect(await seen()).toEqual([true, true])
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/__mock/openapi.json', async (route) => {
    await held
    await route.continue()
  })
  const ledger = page.waitForResponse(/__mock\/assumptions$/)
  await field.getByLabel('Choice for limits.text').selectOption('none')
  await (await ledger).finished()
  await page.getByText('limits.text is none.').waitFor()
  expect(await seen()).toEqual([true, true])
  release()
  expect(await until(seen, ([isBound]) => isBound === false)).toEqual([false, false])
})

test('user and sandbox are in the address: a reload keeps them, and so does the way to another operation', async () => {
  const page = await openPage(`${mock.url}/docs?user=basic&sandbox=mine#listProjects`)
  await page.getByText('The request matches the contract.').waitFor()
  await page.reload()
  await inExplorer(page, 'getUserRole')
  await send(page)
  await answered(page, 'basic').getByText('"basic"').waitFor()
  expect([mock.sandboxNamed('mine').journal.size, mock.sandbox.journal.size]).toEqual([1, 0])
  await page.getByRole('link', { name: 'Knowledge Chat mock' }).click()
  await page.waitForURL(`${mock.url}/__mock/#/mine/requests`)
})

test('another sandbox has the same operation', async () => {
  await mock.call('POST', '/__mock/sandboxes', { body: { name: 'other' } })
  const page = await openPage(`${mock.url}/docs?user=basic#getUserRole`)
  await page.getByText('The request matches the contract.').waitFor()
  await page.getByLabel('Sandbox').selectOption('other')
  await page.waitForURL(/#\/other\/send\/getUserRole\?.*as=basic/)
  await page.getByText('The request matches the contract.').waitFor()
  await send(page)
  await answered(page, 'basic').getByText('"basic"').waitFor()
  expect(mock.sandboxNamed('other').journal.size).toBe(1)
})

test('a link of the earlier explorer leads to its operation', async () => {
  const page = await openPage(`${mock.url}/docs?user=basic&sandbox=mine#/personas/getPersona`)
  await page.getByRole('heading', { name: 'Read an agent' }).waitFor()
  expect(new URL(page.url()).hash).toMatch(/^#\/mine\/send\/getPersona\?.*as=basic/)
})

test('an operation leads to its exchanges and assumptions, and an exchange leads back', async () => {
  await mock.call('GET', '/api/persona/1', { as: 'admin~mine' })
  const page = await openPage(`${mock.url}/__mock/#/mine/requests/r1`)
  await page.getByTitle('In the API explorer').press('Enter')
  await page.getByRole('heading', { name: 'Read an agent' }).waitFor()
  await page.getByRole('link', { name: 'Its assumptions' }).press('Enter')
  await page.getByRole('button', { name: 'Those of getPersona' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Its exchanges' }).press('Enter')
  await page.waitForURL(`${mock.url}/__mock/#/mine/requests?q=op%3AgetPersona`)
})

test('a file is uploaded', async () => {
  const page = await openPage(`${mock.url}/docs#uploadConnectorFiles`)
  const file = { name: 'handbook.md', mimeType: 'text/markdown', buffer: Buffer.from('# Handbook\n') }
  await page.getByLabel(/^files/).setInputFiles(file)
  await send(page)
  await answered(page, 'admin').getByText('"handbook.md"').waitFor()
  const { requests } = (await mock.call('GET', '/__mock/requests')).body
  expect(requests).toMatchObject([{ operation: 'uploadConnectorFiles', status: 200, violations: [] }])
})

test('a DELETE is sent with its body', async () => {
  const gone = [...mock.sandbox.rows.users.all()].find(({ key }) => key === 'basic')
  const page = await openPage(`${mock.url}/docs#deleteUser`)
  await page.getByLabel('Body (JSON)').fill(JSON.stringify({ user_email: gone?.email }))
  await send(page)
  await answered(page, 'admin').getByText('200', { exact: true }).waitFor()
  expect([...mock.sandbox.rows.users.all()].some(({ email }) => email === gone?.email)).toBe(false)
})

test('each sample makes the request of the form', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kcm-samples-'))
  // What a project of a user has.
  writeFileSync(
    join(folder, 'playwright.mjs'),
    `import { request } from ${JSON.stringify(import.meta.resolve('playwright-core'))}
export const expect = (response) => ({ toBeOK: () => { if (!response.ok()) throw new Error('not OK') } })
export const test = async (_, run) => run({ request: await request.newContext() })
`
  )
  const page = await openPage(`${mock.url}/docs?user=admin&sandbox=mine#updatePersona`)
  const sample = page.getByRole('region', { name: 'Sample' })
  const copy = async (name: string) => {
    await sample.getByRole('button', { name, exact: true }).press('Enter')
    await sample.getByRole('button', { name: 'Copy' }).press('Enter')
    await page.getByText(`Copied ${name}.`).waitFor()
    return copied(page)
  }
  await page.getByLabel('Body (JSON)').fill('{"description": "It\'s true", "is_public": true}')
  const run = promisify(execFile)
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  await run('bash', ['-c', `${await copy('curl')} --silent`])
  await run(process.execPath, [write('fetch.mjs', await copy('fetch'))])
  const playwright = (await copy('Playwright')).replace('@playwright/test', './playwright.mjs')
  await run(process.execPath, [write('test.mjs', playwright)])
  const { requests } = (await mock.call('GET', '/__mock/requests', { as: 'admin~mine' })).body
  expect(requests).toHaveLength(3)
  for (const { id } of requests) {
    const { user, request } = (await mock.call('GET', `/__mock/requests/${id}`, { as: 'admin~mine' })).body
    expect([user, request.body]).toEqual(['admin', { description: "It's true", is_public: true }])
  }
  expect(await copy('openapi-fetch')).toContain('client.PATCH("/api/persona/{persona_id}"')
  expect(await copy('Python')).toBe(`import requests

response = requests.request(
    "PATCH",
    "${mock.url}/api/persona/1",
    headers={
        "authorization": "Bearer admin",
        "x-mock-sandbox": "mine"
    },
    json={
        "description": "It's true",
        "is_public": True
    }
)
print(response.status_code, response.text)
`)
})

test('without the control API, operations are described and sent, and nothing of it is called', async () => {
  const page = await openPage(`${closed.url}/docs?user=curator`)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const description = await inExplorer(page, 'getUserRole')
  await assumption(description, 'auth.unauthenticated').first().press('Enter')
  await description.getByText('How is a request without a valid token answered?').waitFor()
  await page.getByLabel('Sandbox').fill('mine')
  await page.keyboard.press('Enter')
  await page.waitForURL(/#\/mine\//)
  await page.getByText('Its exchanges').waitFor({ state: 'detached' })
  await tabTo(page, /^Send Ctrl/)
  await page.keyboard.press('Enter')
  await answered(page, 'curator').getByText('"curator"').waitFor()
  expect(closed.sandboxNamed('mine').journal.size).toBe(1)
  expect(await page.getByRole('button', { name: /^Make it happen/ }).count()).toBe(0)
  expect(asked.filter((path) => path.startsWith('/__mock'))).toEqual([])
  await page.evaluate(axe.source)
  const found = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
  expect(found.violations.map(({ id }) => id)).toEqual([])
})

test('without the control token, operations are described and sent, and the token opens the rest', async () => {
  const page = await openPage(`${locked.url}/docs#getUserRole`)
  await page.getByRole('heading', { name: 'Read the caller' }).waitFor()
  await page.getByRole('link', { name: 'Enter the control token' }).waitFor()
  await tabTo(page, /^Send Ctrl/)
  await page.keyboard.press('Enter')
  await answered(page, 'admin').getByText('"admin"').waitFor()
  await page.getByRole('link', { name: 'Enter the control token' }).press('Enter')
  await page.getByLabel('Control token').fill('sesame')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Make it happen: 401' }).waitFor()
})

test('in a public mock, the requests of a visitor are in their own sandbox', async () => {
  const open = await startTestMock({ public: true })
  const page = await openPage(`${open.url}/docs#getUserRole`)
  await page.getByRole('button', { name: /^Send Ctrl/ }).waitFor()
  await send(page)
  await answered(page, 'admin').getByText('"admin"').waitFor()
  const sizes = open.sandboxes.list().map(({ name }) => [name === 'default', open.sandboxNamed(name).journal.size])
  expect(sizes.filter(([, size]) => size === 1)).toEqual([[false, 1]])
})
