import { readFileSync } from 'node:fs'
import { startTestMock } from '../mock.js'
import { openPage, until } from './browser.js'

const mock = await startTestMock()
const state = `${mock.url}/__mock/#/default/state`

beforeEach(() => mock.reset())

const row = async (path: string) => (await mock.call('GET', `/__mock/state/${path}`)).body

test('a collection pages, sorts and searches, and its rows have names', async () => {
  const { rows } = await row('chatSessions')
  const page = await openPage(`${state}/chatSessions`)
  const table = page.getByRole('grid', { name: 'Rows: Chat sessions' })
  const shown = () => table.locator('tbody tr td:first-child').allTextContents()
  const namesOf = (list: { name: string | null; id: string }[]) =>
    list.map(({ name, id }) => (name ? (name.length > 60 ? `${name.slice(0, 60)}…` : name) : id.slice(0, 8)))
  await page.getByText(new RegExp(`1–25 of ${rows.length}$`)).waitFor()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText(new RegExp(`26–50 of ${rows.length}$`)).waitFor()
  expect(await until(shown, (texts) => texts[0] === namesOf(rows.slice(25, 26))[0])).toEqual(
    namesOf(rows.slice(25, 50))
  )

  await table.getByRole('button', { name: 'name' }).click()
  await table.getByRole('button', { name: 'name' }).click()
  await page.locator('th[aria-sort=descending]').waitFor()
  const sorted = (await row('chatSessions?sort=-name&limit=25')).rows
  expect(await until(shown, (texts) => texts[0] === namesOf(sorted)[0])).toEqual(namesOf(sorted))

  const { total } = await row('chatSessions?q=frost')
  expect(total).toBeGreaterThan(0)
  await page.getByLabel('Search all fields').fill('frost')
  await page.getByText(new RegExp(`of ${total}$`)).waitFor()
  expect(await shown()).toHaveLength(Math.min(total, 25))
})

test('references of a row are links with the names of their rows', async () => {
  const { name } = await row('tools/7')
  const page = await openPage(`${state}/personas/1`)
  await page.getByRole('link', { name }).click()
  await page.getByRole('heading', { name }).waitFor()
  expect(page.url()).toContain('state/tools/7')
})

test('an edited row is changed, and a refused value is reported at its field and changes nothing', async () => {
  const before = await row('personas/1')
  const page = await openPage(`${state}/personas/1`)
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Name string', exact: true }).fill('Renamed')
  const priority = page.getByRole('textbox', { name: 'display_priority' })
  const tools = page.getByRole('combobox', { name: 'tool_ids' })
  await priority.fill('soon')
  await tools.fill('999')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove 999 from Tool IDs' }).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Input should be a valid integer').waitFor()
  expect(await priority.getAttribute('aria-invalid')).toBe('true')
  await page.locator('[aria-invalid=true]:focus').waitFor()
  await priority.fill('7')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('tools has no row 999.').waitFor()
  expect([await priority.getAttribute('aria-invalid'), await tools.getAttribute('aria-invalid')]).toEqual([
    null,
    'true'
  ])
  expect(await row('personas/1')).toEqual(before)

  await page.getByRole('button', { name: 'Remove 999 from Tool IDs' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Agent was saved.').waitFor()
  expect(await row('personas/1')).toEqual({ ...before, name: 'Renamed', display_priority: 7 })
})

test('a cell accepts the next key as soon as Enter has opened it', async () => {
  const page = await openPage(`${state}/personas?columns=name,display_priority`)
  const cell = page.getByRole('row').nth(1).getByRole('gridcell').nth(1)
  // No frame is drawn between these two steps, as on a slow machine.
  const label = await cell.evaluate(async (it: HTMLElement) => {
    it.focus()
    await Promise.resolve()
    it.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
    await Promise.resolve()
    return document.activeElement?.ariaLabel
  })
  expect(label).toMatch(/^display_priority of /)
})

test('the editor of a cell stays open when its row moves in the list, and when it leaves the list', async () => {
  const where = encodeURIComponent('{"name":"e"}')
  const { rows, total } = await row(`personas?sort=name&where=${where}`)
  const [{ id }] = rows
  const page = await openPage(`${state}/personas?columns=name,display_priority&sort=name&where=${where}`)
  await page.getByRole('row').nth(1).getByRole('gridcell').nth(1).dblclick()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('47')
  await mock.call('POST', '/__mock/state/personas', { body: { name: '- A new one' } })
  await page.getByText(new RegExp(`of ${total + 1}$`)).waitFor()
  await page.keyboard.type('1')
  await mock.call('PATCH', `/__mock/state/personas/${id}`, { body: { name: 'Zzz' } })
  await page.getByText(new RegExp(`of ${total}$`)).waitFor()
  await page.keyboard.type('1')
  await page.keyboard.press('Enter')
  await page.getByText('Agent was saved.').waitFor()
  expect(await row(`personas/${id}`)).toMatchObject({ name: 'Zzz', display_priority: 4711 })
})

test('a form keeps its text when its row is deleted', async () => {
  const page = await openPage(`${state}/labels/new`)
  await mock.call('POST', '/__mock/state/labels', { body: { id: 8, name: 'Sales' } })
  await page.goto(`${state}/labels/8?edit=true`)
  await page.getByLabel('name').fill('Marketing')
  await mock.call('DELETE', '/__mock/state/labels/8')
  await page.getByRole('alert').filter({ hasText: '8' }).waitFor()
  expect(await page.getByLabel('name').inputValue()).toBe('Marketing')
})

test('a field becomes null, and a value again', async () => {
  const page = await openPage(`${state}/personas/1?edit=true`)
  await page.getByLabel('null for System prompt').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Agent was saved.').waitFor()
  expect((await row('personas/1')).system_prompt).toBe(null)
})

test('a row is added with the next id, and deleted', async () => {
  const page = await openPage(`${state}/labels/new`)
  await page.getByLabel('name').fill('Sales')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('Label was added.').waitFor()
  expect(await row('labels/8')).toEqual({ id: 8, name: 'Sales' })
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Label Sales was deleted.').waitFor()
  expect((await mock.call('GET', '/__mock/state/labels/8')).status).toBe(404)
})

test('a row with references from others is not deleted, and the page lists them', async () => {
  const page = await openPage(`${state}/labels/1`)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Delete these first').waitFor()
  expect(await row('labels/1')).toMatchObject({ id: 1 })
})

test('a snapshot is restored, and deleted', async () => {
  const page = await openPage(state)
  await page.getByLabel('Name of the snapshot').fill('not a name')
  await page.getByRole('button', { name: 'Take a snapshot' }).click()
  await page.getByRole('alert').filter({ hasText: 'name' }).waitFor()
  await page.getByLabel('Name of the snapshot').fill('before')
  await page.getByRole('button', { name: 'Take a snapshot' }).click()
  await page.getByRole('rowheader', { name: 'before' }).waitFor()
  await mock.call('DELETE', '/api/persona/1')
  expect((await mock.call('GET', '/api/persona/1')).status).toBe(404)
  await page.getByRole('button', { name: 'Restore before' }).click()
  await page.getByText('Snapshot before was restored.').waitFor()
  expect((await mock.call('GET', '/api/persona/1')).status).toBe(200)
  await page.getByRole('button', { name: 'Delete before' }).click()
  await page.getByText('Snapshot before will be deleted').waitFor()
  expect(await page.getByRole('rowheader', { name: 'before' }).count()).toBe(0)
  await page.keyboard.press('Control+z')
  await page.getByRole('rowheader', { name: 'before' }).waitFor()
  await page.getByRole('button', { name: 'Delete before' }).click()
  await page.goto('about:blank')
  const kept = async () => (await mock.call('GET', '/__mock/snapshots')).body.snapshots
  expect(await until(kept, (list) => list.length === 0)).toEqual([])
})

test('a reset starts again, with other fixtures on request', async () => {
  await mock.call('DELETE', '/api/persona/1')
  const page = await openPage(state)
  await page.getByLabel('Seed').fill('many')
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.locator('[aria-invalid=true]').waitFor()
  expect((await mock.call('GET', '/api/persona/1')).status).toBe(404)
  await page.getByLabel('Seed').fill('7')
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.getByText(/^Back to the start: \d+/).waitFor()
  expect((await mock.call('GET', '/api/persona/1')).status).toBe(200)
  expect((await mock.call('GET', '/__mock/state')).body.seed).toBe(7)
  await mock.call('POST', '/__mock/reset', { as: 'admin~small', body: { seed: 7, scale: 0.1 } })
  const { total } = (await mock.call('GET', '/__mock/state/chatSessions', { as: 'admin~small' })).body
  await page.getByLabel('Scale').fill('0.1')
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.getByRole('link', { name: `Chat sessions ${total}` }).waitFor()
  await page.getByLabel('Scale').fill('')
  await page.getByLabel('Fixtures').selectOption('empty')
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.getByRole('link', { name: 'Chat sessions 0' }).waitFor()
  expect((await row('chatSessions')).total).toBe(0)
})

test('a fork continues from the state, and the page follows it', async () => {
  await mock.call('DELETE', '/api/persona/1')
  const page = await openPage(state)
  await page.getByLabel('Name of the new sandbox').fill('forked')
  await page.getByRole('button', { name: 'Fork' }).click()
  await page.getByText('Sandbox forked was forked from default.').waitFor()
  expect(await page.getByRole('combobox', { name: 'Sandbox' }).inputValue()).toBe('forked')
  expect((await mock.call('GET', '/api/persona/1', { as: 'admin~forked' })).status).toBe(404)
})

test('a state is saved as fixtures, from which a mock can start', async () => {
  const page = await openPage(state)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as fixtures' }).click()
  const download = await saved
  expect(download.suggestedFilename()).toBe('default.json')
  const file = (await download.path()) as string
  const { body } = await mock.call('GET', '/__mock/state?relative=true')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(body)
})

test('a row is added in a panel beside the rows', async () => {
  const page = await openPage(`${mock.url}/__mock/#/default/state/labels`)
  await page.getByRole('link', { name: 'Add label' }).click()
  const panel = page.getByRole('complementary', { name: 'New row' })
  await page.getByRole('grid').waitFor()
  await panel.getByRole('textbox', { name: 'Name' }).fill('Beside')
  await panel.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('heading', { name: 'Beside' }).waitFor()
})
