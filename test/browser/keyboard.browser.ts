import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { startTestMock } from '../mock.js'
import { command, copied, openPage, pressEnter, tabTo, until } from './browser.js'

/** Each job from where a page opens to its effect, with keys only: no mouse, and no focus except by Tab. */

const mock = await startTestMock({ fixtures: 'demo' })
const open = (path: string) => openPage(`${mock.url}/__mock/#/default/${path}`)

beforeEach(() => mock.reset())

const row = async (path: string) => (await mock.call('GET', `/__mock/state/${path}`)).body

/** Presses keys one after the other. */
async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Replaces the text of an input. */
async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
}

/** Undoes the last action, from anywhere but a text. */
async function undo(page: Page): Promise<void> {
  while (await page.locator('input:focus, textarea:focus').count()) await page.keyboard.press('Tab')
  await page.keyboard.press('Control+z')
  await page.getByText(/^Undone: /).waitFor()
}

/** The download that a key starts. */
async function saved(page: Page, act: () => Promise<void>): Promise<{ name: string; text: string }> {
  const download = page.waitForEvent('download')
  await act()
  const file = await download
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
}

test('a row is found by its name from any page, also one that is named by a key or an address', async () => {
  const page = await open('coverage')
  await page.getByRole('heading', { name: 'Coverage' }).waitFor()
  await command(page, 'Release scribe', /^Agent Release scribe/)
  await page.getByRole('heading', { name: 'Release scribe' }).waitFor()
  await command(page, 'curator', /^User curator/)
  await page.getByRole('heading', { name: /^curator/ }).waitFor()
  const [invite] = (await row('invites?limit=1')).rows
  await command(page, invite.email, new RegExp(`^Invite ${invite.email}`))
  await page.getByRole('heading', { name: invite.email }).waitFor()
})

test('a collection is searched, and its row opened', async () => {
  const page = await open('state')
  await pressEnter(page, /^Agents/)
  await page.getByRole('gridcell', { name: 'Board brief' }).waitFor()
  await tabTo(page, /^Search all fields$/)
  await page.keyboard.type('release')
  await page.getByText('1–1 of 1').waitFor()
  await pressEnter(page, /^Release scribe$/)
  await page.getByRole('heading', { name: 'Release scribe' }).waitFor()
})

test('columns are chosen and filtered, by value and by the name of a reference', async () => {
  const wanted = async (where: object) => (await row(`userFiles?where=${JSON.stringify(where)}`)).total
  const page = await open('state/userFiles')
  await page.getByRole('columnheader', { name: 'Status' }).waitFor()
  await pressEnter(page, /^Filter$/)
  await tabTo(page, /^Status/)
  await page.keyboard.type('FAIL')
  await page
    .getByText(new RegExp(`–${await wanted({ status: '=FAILED' })} of ${await wanted({ status: '=FAILED' })}$`))
    .waitFor()
  await pressEnter(page, /^Columns$/)
  await tabTo(page, /^File type/)
  await press(page, 'Space')
  await page.getByRole('columnheader', { name: 'File type' }).waitFor()
  await press(page, 'Escape')
  await page.reload()
  await page.getByRole('columnheader', { name: 'File type' }).waitFor()
  await tabTo(page, /^User ID/)
  await page.keyboard.type('curator')
  const both = await wanted({ status: '=FAILED', user_id: 'curator' })
  await page.getByText(new RegExp(`1–${both} of ${both}$`)).waitFor()
  expect(new URL(page.url()).hash).toContain('curator')
  await pressEnter(page, /^Clear the filters$/)
  await page.getByText(new RegExp(`of ${await wanted({})}$`)).waitFor()
  expect(new URL(page.url()).hash).not.toContain('where')
})

test('a cell is edited: a refused value shows its reason, and a good one is saved, and undone', async () => {
  const before = await row('personas/0')
  const page = await open('state/personas?columns=name,display_priority')
  await page.getByRole('gridcell', { name: before.name, exact: true }).waitFor()
  await tabTo(page, new RegExp(`^${before.name}$`))
  await press(page, 'ArrowRight', 'Enter')
  await type(page, 'soon')
  await press(page, 'Enter')
  await page.getByRole('alert').filter({ hasText: 'should be a valid integer' }).waitFor()
  expect(await row('personas/0')).toEqual(before)
  await type(page, '4711')
  await press(page, 'Enter')
  await page.getByText('Agent was saved.').waitFor()
  expect((await row('personas/0')).display_priority).toBe(4711)
  await undo(page)
  expect(await row('personas/0')).toEqual(before)
})

test('a reference is picked by name, in its cell', async () => {
  const { id } = (await row('users?where={"key":"=curator"}')).rows[0]
  const [file] = (await row('userFiles?limit=1&where={"user_id":"basic"}')).rows
  const page = await open(
    `state/userFiles?columns=name,user_id&where=${encodeURIComponent(`{"name":"=${file.name}"}`)}`
  )
  await page.getByRole('gridcell', { name: file.name, exact: true }).waitFor()
  await tabTo(page, new RegExp(`^${file.name}$`))
  await press(page, 'ArrowRight', 'Enter')
  await type(page, 'curator')
  await page.getByRole('option', { name: /^curator/ }).waitFor()
  while (!(await page.getByRole('option', { name: /^curator/, selected: true }).count())) await press(page, 'ArrowDown')
  await press(page, 'Enter', 'Enter')
  await page.getByText('File was saved.').waitFor()
  expect((await row(`userFiles/${file.id}`)).user_id).toBe(id)
  await page.getByRole('gridcell', { name: 'curator' }).waitFor()
})

test('a row is edited in its form, and a change of another user is shown before it is overwritten', async () => {
  const page = await open('state/personas/1')
  await page.getByRole('heading', { name: 'Release scribe' }).waitFor()
  await pressEnter(page, /^Edit$/)
  await tabTo(page, /^Name string/)
  await type(page, 'Mine')
  await mock.call('PATCH', '/__mock/state/personas/1', { body: { name: 'Theirs' } })
  await press(page, 'Enter')
  await page.getByText('It is now "Theirs". Save again to overwrite it.').waitFor()
  expect((await row('personas/1')).name).toBe('Theirs')
  await pressEnter(page, /^Save$/)
  await page.getByText('Agent was saved.').waitFor()
  expect((await row('personas/1')).name).toBe('Mine')
})

test('a file is moved along the graph of its lifecycle, fails, and returns with the last undo', async () => {
  const { id } = (
    await mock.call('POST', '/__mock/state/userFiles', { body: { status: 'PROCESSING', user_id: 'basic' } })
  ).body
  await mock.call('PUT', '/__mock/clock', { body: { speed: 0 } })
  const page = await open(`state/userFiles/${id}`)
  const here = page.getByRole('region', { name: 'Lifecycle' }).locator('[aria-current=step]')
  const reached = (status: string) => here.filter({ hasText: status }).waitFor()
  await reached('PROCESSING')
  await pressEnter(page, /^Advance to COMPLETED$/)
  await reached('COMPLETED')
  expect((await row(`userFiles/${id}`)).status).toBe('COMPLETED')
  await pressEnter(page, /^Set to FAILED$/)
  await reached('FAILED')
  expect((await row(`userFiles/${id}`)).status).toBe('FAILED')
  await page.getByText('File is now FAILED.').waitFor()
  await undo(page)
  await reached('COMPLETED')
  expect((await row(`userFiles/${id}`)).status).toBe('COMPLETED')
})

test('rows are made by the mock from a few fields, and undone', async () => {
  const { total } = await row('userFiles')
  const page = await open('state/userFiles')
  await page.getByText(new RegExp(`of ${total}$`)).waitFor()
  await pressEnter(page, /^Add file$/)
  await tabTo(page, /^failed$/)
  await press(page, 'Space')
  await tabTo(page, /^How many/)
  await page.keyboard.type('2')
  await tabTo(page, /^Name string/)
  await page.keyboard.type('Made.pdf')
  await press(page, 'Enter')
  await page.getByText('2 rows were added.').waitFor()
  await page.getByText(new RegExp(`of ${total + 2}$`)).waitFor()
  const { rows } = await row('userFiles?where={"name":"=Made.pdf"}')
  expect(rows.map(({ status }: { status: string }) => status)).toEqual(['FAILED', 'FAILED'])
  await undo(page)
  expect((await row('userFiles')).total).toBe(total)
})

test('a choice and the weather are undone where they were made', async () => {
  const choice = async () =>
    (await mock.call('GET', '/__mock/assumptions')).body.assumptions.find(
      ({ id }: { id: string }) => id === 'delete.body'
    ).choice
  const before = await choice()
  const page = await open('assumptions?q=delete.body')
  await page.getByLabel('Choice for delete.body').waitFor()
  await tabTo(page, /^Choice for delete\.body$/)
  await press(page, 'ArrowDown')
  await page.getByText(/^delete\.body is /).waitFor()
  expect(await choice()).not.toBe(before)
  await press(page, 'Control+z')
  await page.getByText(/^Undone: /).waitFor()
  expect(await choice()).toBe(before)
})

test('an earlier history is saved as a capsule', async () => {
  await mock.call('PATCH', '/api/persona/1', { body: { name: 'Renamed' } })
  const page = await open('coverage')
  await page.getByRole('heading', { name: 'Coverage' }).waitFor()
  await command(page, 'requests', 'Requests')
  await pressEnter(page, /^Share…$/)
  await page.getByRole('dialog').waitFor()
  const { name, text } = await saved(page, () => pressEnter(page, /^Save the capsule$/))
  expect(name).toBe('capsule-default.json')
  await mock.handle('again').play(JSON.parse(text))
  expect(
    mock
      .handle('again')
      .rows('personas')
      .find(({ id }) => id === 1)?.name
  ).toBe('Renamed')
  await press(page, 'Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('an exchange is saved as a test for a chosen runner, once it has passed', async () => {
  await mock.call('PATCH', '/api/persona/1', { body: { name: 'Renamed' } })
  const page = await open('requests')
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await press(page, 'j', 'Enter')
  await pressEnter(page, /^Share this…$/)
  await page.getByText('every expectation was met').waitFor()
  await tabTo(page, /^Runner/)
  await page.keyboard.type('Play')
  const { name, text } = await saved(page, () => pressEnter(page, /^Save updatePersona-r1/))
  expect(name).toMatch(/^updatePersona-r1\./)
  expect(text).toContain("from '@playwright/test'")
})

test('the exchanges of a filter are saved as HAR', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/persona/999')
  const page = await open('requests')
  await page.getByText('2 exchanges').waitFor()
  await press(page, '/')
  await page.keyboard.type('status:404')
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await pressEnter(page, /^Share…$/)
  const { name, text } = await saved(page, () => pressEnter(page, /^Save default\.har$/))
  expect(name).toBe('default.har')
  const { log } = JSON.parse(text)
  expect(log.version).toBe('1.2')
  expect(log.entries.map(({ response }: { response: { status: number } }) => response.status)).toEqual([404])
})

test('the first page shows address, token and curl, plays a scenario, and links to user endpoints', async () => {
  const page = await open('requests')
  await page.getByRole('heading', { name: 'Nothing has been requested yet' }).waitFor()
  const taken = async (button: RegExp, what: string) => {
    await pressEnter(page, button)
    await page.getByText(`Copied ${what}.`).waitFor()
    return copied(page)
  }
  const address = await taken(/^Copy address$/, 'address')
  const token = await taken(/^Bearer curator$/, 'token of curator')
  expect(await taken(/^Copy curl$/, 'curl')).toBe(`curl ${address}/api/persona/1 -H 'Authorization: Bearer admin'`)
  expect(await (await fetch(`${address}/api/get-user-role`, { headers: { Authorization: token } })).json()).toEqual({
    role: 'curator'
  })
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await mock.call('DELETE', '/__mock/requests')
  await page.getByRole('heading', { name: 'Nothing has been requested yet' }).waitFor()
  expect(await taken(/^Copy command$/, 'command')).toBe('npx knowledge-chat-mock --with ./openapi.yaml')
  await pressEnter(page, /^Play power-user$/)
  await page.getByText('power-user was played in default').waitFor()
  expect(
    (
      await until(
        () => row('chatSessions?limit=1'),
        ({ total }) => total >= 120
      )
    ).total
  ).toBeGreaterThanOrEqual(120)
})
