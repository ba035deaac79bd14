import { startTestMock } from '../mock.js'
import { openPage, until } from './browser.js'

const mock = await startTestMock()
const dashboard = `${mock.url}/__mock/`

beforeEach(() => mock.reset())

const names = async () =>
  (await mock.call('GET', '/__mock/sandboxes')).body.sandboxes.map(({ name }: { name: string }) => name).sort()

test('sandboxes are listed with their size and requests, created, forked, opened and dropped', async () => {
  await mock.call('GET', '/api/persona/1', { as: 'admin~first' })
  await mock.call('DELETE', '/api/persona/1', { as: 'admin~first' })
  const page = await openPage(`${dashboard}#/default/sandboxes`)
  const row = (name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) })
  expect(await row('first').getByRole('cell').nth(2).textContent()).toBe('2')

  await page.getByLabel('Name of the new sandbox').fill('first')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('The sandbox "first" already exists.').waitFor()
  await page.getByLabel('Name of the new sandbox').fill('second')
  await page.getByRole('button', { name: 'Create' }).click()
  await row('second').waitFor()
  expect(await names()).toEqual(['default', 'first', 'second'])

  await page.getByRole('button', { name: 'Fork first' }).click()
  await page.getByLabel('Name of the fork').fill('third')
  await page.getByRole('dialog').getByRole('button', { name: 'Fork' }).click()
  await row('third').waitFor()
  expect((await mock.call('GET', '/api/persona/1', { as: 'admin~third' })).status).toBe(404)

  await page.getByRole('link', { name: 'Open third' }).click()
  await page.getByRole('heading', { name: 'Requests' }).waitFor()
  expect(await page.getByRole('combobox', { name: 'Sandbox' }).inputValue()).toBe('third')

  await page.getByRole('link', { name: 'Sandboxes' }).click()
  await page.getByRole('button', { name: 'Drop third' }).click()
  await page.getByText('Sandbox third will be deleted').waitFor()
  expect(await page.getByRole('combobox', { name: 'Sandbox' }).inputValue()).toBe('default')
  await row('third').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+z')
  await row('third').waitFor()
  expect(await names()).toEqual(['default', 'first', 'second', 'third'])
  expect((await mock.call('GET', '/api/persona/1', { as: 'admin~third' })).status).toBe(404)

  // Its name is free at once, and leaving the page drops it at once.
  await page.getByRole('button', { name: 'Drop third' }).click()
  await page.getByLabel('Name of the new sandbox').fill('third')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('Sandbox third was created.').waitFor()
  expect((await mock.call('GET', '/api/persona/1', { as: 'admin~third' })).status).toBe(200)
  await page.getByRole('button', { name: 'Drop third' }).click()
  await row('third').waitFor({ state: 'detached' })
  await page.goto('about:blank')
  expect(await until(names, (list) => list.length === 3)).toEqual(['default', 'first', 'second'])
})

test('the next name may be typed while a sandbox is created', async () => {
  const page = await openPage(`${dashboard}#/default/sandboxes`)
  const name = page.getByLabel('Name of the new sandbox')
  await page.route('**/__mock/sandboxes', async (route) => {
    if (route.request().method() === 'POST') await name.fill('second')
    await route.continue()
  })
  await name.fill('first')
  await page.keyboard.press('Enter')
  await page.getByText('Sandbox first was created.').waitFor()
  expect(await name.inputValue()).toBe('second')
})

test('all pages show the sandbox that is chosen in the header', async () => {
  await mock.call('DELETE', '/api/persona/1', { as: 'admin~mine' })
  const page = await openPage(dashboard)
  await page.getByText('0 exchanges').waitFor()
  await page.getByRole('combobox', { name: 'Sandbox' }).selectOption('mine')
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'State' }).click()
  const { total } = (await mock.call('GET', '/__mock/state/personas', { as: 'admin~mine' })).body
  await page.getByRole('link', { name: `Agents ${total}` }).waitFor()
  expect(total).toBe((await mock.call('GET', '/__mock/state/personas')).body.total - 1)
})

test('the page leaves a sandbox that another user drops, so it is not created again', async () => {
  await mock.call('GET', '/api/persona/1', { as: 'admin~mine' })
  const page = await openPage(`${dashboard}#/mine/requests`)
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await mock.call('DELETE', '/__mock/sandboxes/mine')
  await page.getByText('Sandbox mine was dropped.').waitFor()
  await page.getByRole('heading', { name: 'Sandboxes' }).waitFor()
  expect(await names()).toEqual(['default'])
})

test('a mistyped sandbox is not created by a look at it', async () => {
  const page = await openPage(`${dashboard}#/mitsyped/requests`)
  await page.getByText('0 exchanges').waitFor()
  for (const name of ['State', 'Clock', 'Overrides', 'Coverage', 'Sandboxes']) {
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name }).first().waitFor()
  }
  expect(await names()).toEqual(['default'])
})

test('the default sandbox always exists and cannot be dropped', async () => {
  const page = await openPage(`${dashboard}#/default/sandboxes`)
  expect(await page.getByRole('button', { name: 'Drop default' }).isDisabled()).toBe(true)
})

test('an expired sandbox is created again with keys, and then shows its rows', async () => {
  const short = await startTestMock({ sandboxIdle: 1 })
  await short.call('GET', '/api/persona/1', { as: 'admin~brief' })
  const listed = async () => (await short.call('GET', '/__mock/sandboxes')).body.sandboxes.length
  await until(listed, (count) => count === 1)
  const page = await openPage(`${short.url}/__mock/#/brief/state/labels`)
  const again = page.getByRole('button', { name: 'Create it again' })
  await again.waitFor()
  await again.press('Enter')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByRole('gridcell').first().waitFor()
})

test('many sandboxes are paged', async () => {
  for (let at = 100; at < 155; at++) await mock.call('POST', '/__mock/sandboxes', { body: { name: `paged-${at}` } })
  const page = await openPage(`${mock.url}/__mock/#/default/sandboxes?q=paged`)
  await page.getByText('1–50 of 55').waitFor()
  expect(await page.getByRole('rowheader').count()).toBe(50)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('51–55 of 55').waitFor()
  await page.getByRole('rowheader', { name: 'paged-100' }).waitFor()
  await mock.call('DELETE', '/__mock/sandboxes')
})
