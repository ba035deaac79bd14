import type { Page } from 'playwright-core'
import { startTestMock } from '../mock.js'
import { openPage, tabTo, until } from './browser.js'

const mock = await startTestMock()
const state = `${mock.url}/__mock/#/default/state`

beforeEach(() => mock.reset())

const row = async (path: string) => (await mock.call('GET', `/__mock/state/${path}`)).body
const change = (path: string, body: object) => mock.call('PATCH', `/__mock/state/${path}`, { body })

/** Goes to the cell of a column in the row with this name, by the arrow keys. */
async function goTo(page: Page, name: string, steps: number) {
  await page.getByRole('gridcell', { name, exact: true }).waitFor()
  await page.locator('td[tabindex="0"]').focus()
  for (let tries = 0; tries < 25; tries++) {
    if ((await page.evaluate(() => document.activeElement?.textContent)) === name) break
    await page.keyboard.press('ArrowDown')
  }
  for (let step = 0; step < steps; step++) await page.keyboard.press('ArrowRight')
}

test('a cell is edited with keys only, a refused value is reported there, and Ctrl Z undoes the edit', async () => {
  const before = await row('personas/1')
  const page = await openPage(`${state}/personas?columns=name,display_priority`)
  await goTo(page, before.name, 1)
  await page.keyboard.press('Enter')
  const input = page.getByRole('textbox', { name: `display_priority of ${before.name}` })
  await input.fill('soon')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'should be a valid integer' }).waitFor()
  expect(await row('personas/1')).toEqual(before)
  await input.fill('4711')
  await page.keyboard.press('Enter')
  await page.getByText('Agent was saved.').waitFor()
  expect((await row('personas/1')).display_priority).toBe(4711)
  // The cell has the focus again.
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  expect(await until(focused, (text) => text === '4711')).toBe('4711')
  await page.keyboard.press('Control+z')
  await page.getByText(/^Undone: /).waitFor()
  expect(await row('personas/1')).toEqual(before)
})

test('Escape cancels an edit', async () => {
  const before = await row('labels/3')
  const page = await openPage(`${state}/labels`)
  await goTo(page, before.name, 0)
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: /^Name of|^name of/ }).fill('Other')
  await page.keyboard.press('Escape')
  await page.getByRole('gridcell', { name: before.name, exact: true }).waitFor()
  expect(await row('labels/3')).toEqual(before)
})

test('a change of another user is noticed before it is overwritten, and changes of other fields remain', async () => {
  const page = await openPage(`${state}/personas/1?edit=true`)
  await page.getByRole('textbox', { name: 'Name string', exact: true }).first().fill('Mine')
  await change('personas/1', { name: 'Theirs', description: 'Theirs too' })
  // Fields that are not being edited follow.
  const description = page.getByRole('textbox', { name: /^Description/ })
  await until(
    () => description.inputValue(),
    (text) => text === 'Theirs too'
  )
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('It is now "Theirs". Save again to overwrite it.').waitFor()
  expect((await row('personas/1')).name).toBe('Theirs')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Agent was saved.').waitFor()
  expect(await row('personas/1')).toMatchObject({ name: 'Mine', description: 'Theirs too' })
})

test('a change of another user at the last moment is noticed too', async () => {
  const page = await openPage(`${state}/personas/1?edit=true`)
  let times = 0
  await page.route('**/state/personas/1', async (route) => {
    // The page has not heard of it yet.
    if (route.request().method() === 'PUT' && times++ === 0) await change('personas/1', { name: 'Theirs' })
    await route.continue()
  })
  await page.getByRole('textbox', { name: 'Name string', exact: true }).first().fill('Mine')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('It is now "Theirs". Save again to overwrite it.').waitFor()
  expect((await row('personas/1')).name).toBe('Theirs')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Agent was saved.').waitFor()
  expect((await row('personas/1')).name).toBe('Mine')
})

test('a reference is chosen by name', async () => {
  const { id: user } = (await row('users?where={"key":"=curator"}')).rows[0]
  const [file] = (await row('userFiles?limit=1')).rows
  const page = await openPage(`${state}/userFiles/${file.id}?edit=true`)
  await page.getByRole('combobox', { name: /^User ID/ }).fill('curator')
  await page.getByRole('option', { name: /^curator/ }).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('File was saved.').waitFor()
  expect((await row(`userFiles/${file.id}`)).user_id).toBe(user)
})

test('columns are chosen and filtered, and the address has both', async () => {
  const { total } = await row('userFiles?where={"status":"=FAILED"}')
  const page = await openPage(`${state}/userFiles`)
  await page.getByText('Columns', { exact: true }).first().click()
  await page.getByRole('checkbox', { name: 'File type file_type', exact: true }).check()
  await page.getByRole('checkbox', { name: 'created_at' }).uncheck()
  await page.keyboard.press('Escape')
  const heads = () => page.getByRole('columnheader').allTextContents()
  const shown = await until(heads, (all) => all.some((text) => text.startsWith('File type')))
  expect(shown.some((text) => text.startsWith('Created at'))).toBe(false)
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('combobox', { name: /^Status/ }).selectOption('FAILED')
  await page.getByText(new RegExp(`of ${total}$`)).waitFor()
  await page.reload()
  await page.getByText(new RegExp(`of ${total}$`)).waitFor()
  expect((await heads()).some((text) => text.startsWith('File type'))).toBe(true)
})

test('a file in progress is moved on with keys, and the graph shows its status', async () => {
  const made = await mock.call('POST', '/__mock/state/userFiles', { body: { status: 'PROCESSING', user_id: 'basic' } })
  const { id } = made.body
  const page = await openPage(`${state}/userFiles/${id}`)
  const here = page.getByRole('region', { name: 'Lifecycle' }).locator('[aria-current=step]')
  expect(await here.textContent()).toBe('PROCESSING')
  await tabTo(page, /^Advance to COMPLETED$/)
  await page.keyboard.press('Enter')
  await page.getByText('File is now COMPLETED.').waitFor()
  await until(
    () => here.textContent(),
    (text) => text === 'COMPLETED'
  )
  expect((await row(`userFiles/${id}`)).status).toBe('COMPLETED')
  await tabTo(page, /^Set to FAILED$/)
  await page.keyboard.press('Enter')
  await until(
    () => here.textContent(),
    (text) => text === 'FAILED'
  )
  expect((await row(`userFiles/${id}`)).status).toBe('FAILED')
})

test('the rows show the current status after a change of the clock', async () => {
  const made = await mock.call('POST', '/__mock/state/userFiles', {
    body: { status: 'PROCESSING', user_id: 'basic', name: 'slowly.pdf' }
  })
  const page = await openPage(`${state}/userFiles?columns=name,status&q=slowly.pdf`)
  await page.getByRole('gridcell', { name: 'PROCESSING' }).waitFor()
  await mock.call('PUT', '/__mock/clock', { body: { advance: '1d' } })
  await page.getByRole('gridcell', { name: 'COMPLETED' }).waitFor()
  const stored = await row(`userFiles/${made.body.id}?stored=true`)
  expect(stored.status).toBe('PROCESSING')
})

test('the rows show the current status as time passes, and no bare ids', async () => {
  await mock.call('PUT', '/__mock/clock', { body: { speed: 0 } })
  const body = { status: 'PROCESSING', user_id: 'basic', name: 'slowly.pdf' }
  const { settles_at } = (await mock.call('POST', '/__mock/state/userFiles', { body })).body
  const page = await openPage(`${state}/userFiles?q=slowly.pdf`)
  await page.getByRole('gridcell', { name: 'PROCESSING' }).waitFor()
  expect((await page.getByRole('columnheader').allTextContents()).map((text) => text.trim())).not.toContain('ID')
  await mock.call('PUT', '/__mock/clock', { body: { now: new Date(Date.parse(settles_at) - 2000), speed: 1 } })
  await page.getByRole('gridcell', { name: 'COMPLETED' }).first().waitFor()
})

test('the rows of index attempts show their current and their next status', async () => {
  const { lifecycles } = (await mock.call('GET', '/__mock/lifecycles')).body
  const isRunning = (it: { status: string }) => it.status === 'in_progress'
  const { id, next, at } = lifecycles.find(isRunning)
  const page = await openPage(`${state}/indexAttempts?where=${encodeURIComponent(`{"id":"=${id}"}`)}`)
  await page.getByRole('gridcell', { name: `in_progress → ${next}` }).waitFor()
  await mock.call('PUT', '/__mock/clock', { body: { now: at } })
  await page.getByRole('gridcell', { name: next, exact: true }).waitFor()
})

test('the names of the rows stay in view while the other columns scroll, and on a phone rows are cards', async () => {
  const { name } = await row('personas/1')
  const page = await openPage(`${state}/personas`)
  await page.setViewportSize({ width: 700, height: 844 })
  const cell = page.getByRole('gridcell', { name, exact: true })
  await cell.waitFor()
  const before = await cell.boundingBox()
  const moved = await page.locator('.scroll').evaluate((box) => {
    box.scrollTo(200, 0)
    return box.scrollLeft
  })
  expect(moved).toBe(200)
  expect(await cell.boundingBox()).toEqual(before)
  await page.setViewportSize({ width: 390, height: 844 })
  const below = await cell.locator('xpath=following-sibling::td[1]').boundingBox()
  expect(below?.y).toBeGreaterThan((await cell.boundingBox())?.y as number)
  expect(await page.locator('.scroll').evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
})

test('the mock makes several rows with given fields, and they are undone', async () => {
  const { total } = await row('userFiles')
  const page = await openPage(`${state}/userFiles/new`)
  await page.getByRole('checkbox', { name: 'failed' }).check()
  await page.getByLabel('How many').fill('3')
  await page.getByRole('textbox', { name: /^Name/ }).fill('Made.pdf')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('3 rows were added.').waitFor()
  const made = await row('userFiles?where={"name":"=Made.pdf"}')
  expect(made.rows.map(({ status }: { status: string }) => status)).toEqual(['FAILED', 'FAILED', 'FAILED'])
  await page.getByRole('button', { name: /^Undo/ }).click()
  await page.getByText(/^Undone: /).waitFor()
  expect((await row('userFiles')).total).toBe(total)
})
