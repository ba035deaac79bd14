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
  await page.getByRole('textbox', { name: 'Name string', exact: true }).first().fill('Renamed')
  const priority = page.getByRole('textbox', { name: 'display_priority' })
  const tools = page.getByRole('group', { name: /^Tool IDs tool_ids/ })
  await priority.fill('soon')
  await tools.getByRole('button', { name: 'Add an item to Tool IDs' }).press('Enter')
  await page.keyboard.type('999')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Input should be a valid integer').waitFor()
  expect(await priority.getAttribute('aria-invalid')).toBe('true')
  await page.locator('[aria-invalid=true]:focus').waitFor()
  await priority.fill('7')
  await page.getByRole('button', { name: 'Save' }).click()
  await tools.getByText('tools has no row 999.').waitFor()
  expect(await priority.getAttribute('aria-invalid')).toBe(null)
  expect(await row('personas/1')).toEqual(before)

  await tools
    .getByRole('button', { name: /^Remove Tool IDs/ })
    .last()
    .click()
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
  await page.getByRole('textbox', { name: 'Name string', exact: true }).fill('Marketing')
  await mock.call('DELETE', '/__mock/state/labels/8')
  await page.getByText('It was deleted.').waitFor()
  expect(await page.getByRole('textbox', { name: 'Name string', exact: true }).inputValue()).toBe('Marketing')
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
  await page.getByRole('textbox', { name: 'Name string', exact: true }).fill('Sales')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('Label was added.').waitFor()
  expect(await row('labels/8')).toEqual({ id: 8, name: 'Sales' })
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Label Sales was deleted.').waitFor()
  expect((await mock.call('GET', '/__mock/state/labels/8')).status).toBe(404)
})

test('a row with references from others is not deleted, and the page lists them, with links', async () => {
  const page = await openPage(`${state}/labels/1`)
  await page.getByRole('button', { name: 'Delete' }).click()
  const refusal = page.getByRole('status').filter({ hasText: 'Delete these first' })
  await refusal.waitFor()
  expect(await row('labels/1')).toMatchObject({ id: 1 })
  const link = refusal.getByRole('link', { name: /^Agent / }).first()
  const id = (await link.innerText()).split(' ').at(-1)
  expect((await row(`personas/${id}`)).label_ids).toContain(1)
  await link.click()
  await page.waitForURL(`${state}/personas/${id}`)
})

test('a snapshot is restored, and deleted', async () => {
  const page = await openPage(state)
  await page.getByLabel('Name of the snapshot').fill('not a name')
  await page.getByRole('button', { name: 'Take a snapshot' }).click()
  await page.getByRole('alert').filter({ hasText: 'Use up to 64 letters, digits, "_" and "-".' }).waitFor()
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

test('a row is added in a panel next to the rows', async () => {
  const page = await openPage(`${mock.url}/__mock/#/default/state/labels`)
  await page.getByRole('link', { name: 'Add label' }).click()
  const panel = page.getByRole('complementary', { name: 'New row' })
  await page.getByRole('grid').waitFor()
  await panel.getByRole('textbox', { name: 'Name' }).fill('Beside')
  await panel.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('heading', { name: 'Beside' }).waitFor()
})

test('the panel of a row has the focus, Escape closes it, and what was typed can be edited again', async () => {
  const page = await openPage(`${state}/personas`)
  await page.getByRole('link', { name: 'Add agent' }).press('Enter')
  const panel = page.getByRole('complementary', { name: 'New row' })
  await panel.locator(':focus').waitFor()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })

  await page.getByRole('link', { name: 'Add agent' }).press('Enter')
  const name = panel.getByRole('textbox', { name: /^Name/ }).first()
  await name.fill('Ada')
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await page.getByText('Your input was not saved.').waitFor()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  expect(await name.inputValue()).toBe('Ada')
  await page.goBack()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await panel.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('heading', { name: 'Ada' }).waitFor()
  expect(await page.getByText('Your input was not saved.').count()).toBe(0)
})

test('the page of a deleted row has its last values, and adds it again', async () => {
  await mock.call('POST', '/__mock/state/labels', { body: { id: 8, name: 'Sales' } })
  await mock.call('DELETE', '/__mock/state/labels/8')
  const page = await openPage(`${state}/labels/8`)
  await page.getByText('It was deleted. These are its last values.').waitFor()
  await page.getByRole('heading', { name: 'Sales' }).waitFor()
  expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Add it again' }).click()
  await page.getByRole('link', { name: 'Edit' }).waitFor()
  expect(await row('labels/8')).toEqual({ id: 8, name: 'Sales' })
  await page.goto(`${state}/labels/9`)
  await page.getByRole('alert').filter({ hasText: 'labels has no row 9.' }).waitFor()
})

test('an override that is left before it is added can be edited again', async () => {
  const page = await openPage(`${mock.url}/__mock/#/default/overrides/new`)
  await page.getByLabel('Status').fill('503')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  expect(await page.getByLabel('Status').inputValue()).toBe('503')
})

test('a reference that is typed but does not exist is an error, and not left out', async () => {
  const before = (await mock.call('GET', '/__mock/state/personas')).body.rows.length
  const page = await openPage(`${state}/personas/new`)
  await page.getByRole('button', { name: 'Add an item to Tool IDs' }).press('Enter')
  await page.keyboard.type('zz')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.locator('[aria-invalid=true]').waitFor()
  expect((await mock.call('GET', '/__mock/state/personas')).body.rows).toHaveLength(before)
})

test('a list is edited by its items with keys only: added, filled in, moved, removed', async () => {
  const before = await row('personas/1')
  const [first, second] = before.starter_messages
  const page = await openPage(`${state}/personas/1?edit=true`)
  const list = page.getByRole('group', { name: /^Starter messages starter_messages/ })
  await list.getByRole('button', { name: 'Add an item to Starter messages' }).press('Enter')
  await list.getByRole('group', { name: 'Starter messages 3' }).waitFor()
  await page.keyboard.type('Frost')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Is there frost tonight?')
  await list.getByRole('button', { name: 'Move Starter messages 3 up' }).press('Enter')
  // The focus stays with the item.
  expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Move Starter messages 2 up')
  await page.keyboard.press('Enter')
  await list.getByRole('button', { name: 'Remove Starter messages 2' }).press('Enter')
  expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Remove Starter messages 2')
  await page
    .getByRole('textbox', { name: /^Name string/ })
    .first()
    .press('Enter')
  await page.getByText('Agent was saved.').waitFor()
  expect(first.name).not.toBe(second.name)
  const added = { name: 'Frost', message: 'Is there frost tonight?' }
  expect(await row('personas/1')).toEqual({ ...before, starter_messages: [added, second] })
})

test('a wrong value in a list is named at its field, and no longer when items move', async () => {
  const before = await row('personas/1')
  const page = await openPage(`${state}/personas/1?edit=true`)
  const groups = page.getByRole('group', { name: /^Groups array/ })
  const add = groups.getByRole('button', { name: 'Add an item to Groups' })
  for (const text of ['1', 'two']) {
    await add.press('Enter')
    await page.keyboard.type(text)
  }
  await page.getByRole('button', { name: 'Save' }).click()
  await groups.getByText('Input should be a valid integer').waitFor()
  const wrong = groups.locator('[aria-invalid=true]')
  expect(await wrong.inputValue()).toBe('two')
  expect(await wrong.evaluate((it) => it === document.activeElement)).toBe(true)
  expect(await row('personas/1')).toEqual(before)
  await groups.getByRole('button', { name: 'Remove Groups 1', exact: true }).click()
  expect(await wrong.count()).toBe(0)
  await groups.getByRole('textbox', { name: 'Groups 1' }).fill('2')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Agent was saved.').waitFor()
  expect((await row('personas/1')).groups).toEqual([2])
})

test('a value of a free form is JSON, and a list can be edited as JSON', async () => {
  const before = await row('personas/1')
  const page = await openPage(`${state}/personas/1?edit=true`)
  await page.getByRole('button', { name: 'Edit as JSON: Starter messages' }).click()
  const text = page.getByRole('textbox', { name: /^Starter messages/ })
  expect(JSON.parse(await text.inputValue())).toEqual(before.starter_messages)
  await text.fill('[{ "name": "Only" }]')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('0.message: Enter a value: it is required. (Field required)').waitFor()
  await page.getByRole('button', { name: 'Edit by fields: Starter messages' }).click()
  const message = page.getByRole('group', { name: 'Starter messages 1' }).getByRole('textbox', { name: /^Message/ })
  expect(await message.getAttribute('aria-invalid')).toBe('true')
  await message.fill('This one')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Agent was saved.').waitFor()
  expect((await row('personas/1')).starter_messages).toEqual([{ name: 'Only', message: 'This one' }])

  const { rows } = await row('connectors')
  const { id, connector_specific_config: config } = rows.find((it: { source: string }) => it.source === 'web')
  await page.goto(`${state}/connectors/${id}?edit=true`)
  const free = page.getByRole('textbox', { name: /^Connector specific config/ })
  expect(JSON.parse(await free.inputValue())).toEqual(config)
})

test('the objects of a new row are filled in by fields, and a list becomes null', async () => {
  const page = await openPage(`${state}/tools/new`)
  await page.getByRole('textbox', { name: 'Name string', exact: true }).fill('headers')
  await page.getByRole('button', { name: 'Add an item to Custom headers' }).click()
  const item = page.getByRole('group', { name: 'Custom headers 1' })
  await item.getByRole('textbox', { name: /^Key/ }).fill('X-Number')
  await item.getByRole('textbox', { name: /^Value/ }).fill('12')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('Tool was added.').waitFor()
  const [{ id, custom_headers: headers }] = (await row('tools?q=headers')).rows
  expect(headers).toEqual([{ key: 'X-Number', value: '12' }])
  await page.goto(`${state}/tools/${id}?edit=true`)
  await page.getByLabel('null for Custom headers').check()
  expect(await page.getByRole('group', { name: 'Custom headers 1' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Tool was saved.').waitFor()
  expect((await row(`tools/${id}`)).custom_headers).toBe(null)
})
