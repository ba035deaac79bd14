import { startTestMock } from '../mock.js'
import { openPage } from './browser.js'

const mock = await startTestMock({ fixtures: 'demo' })
const dashboard = `${mock.url}/__mock/#/default`
beforeEach(() => mock.reset())

const change = async (method: string, path: string, body?: unknown) => {
  const { status } = await mock.call(method, path, { body })
  expect(status).toBeLessThan(300)
}

test('two lists of rows are compared by id: a row at the top is one difference', async () => {
  await mock.call('GET', '/api/chat/get-user-chat-sessions')
  await change('POST', '/api/chat/create-chat-session', { description: 'First of all' })
  await mock.call('GET', '/api/chat/get-user-chat-sessions')
  const page = await openPage(`${dashboard}/requests/r3?with=r1`)
  const compared = page.getByRole('region', { name: 'Comparison' })
  await compared.getByText('1 difference in the answer').waitFor()
  expect(await compared.locator('del').count()).toBe(0)
  await compared.locator('ins').filter({ hasText: 'First of all' }).waitFor()
})

test('collections say how many of their rows differ, and rows that are gone or new are in the grid', async () => {
  await mock.call('GET', '/api/persona/1')
  await change('DELETE', '/__mock/state/invites/1')
  await change('POST', '/__mock/state/invites', { email: 'new@example.com' })
  await change('PATCH', '/__mock/state/invites/2', { email: 'second@example.com' })
  const page = await openPage(`${dashboard}/state/invites?at=m3&against=m0`)
  await page.getByRole('link', { name: /^Invites 37 \+1 −1 ~1$/ }).waitFor()
  const row = (text: string) => page.getByRole('row').filter({ hasText: text })
  await row('georgia.roberts@example.com').waitFor()
  const struck = (text: string) =>
    row(text).evaluate((it) => getComputedStyle(it.firstElementChild as Element).textDecorationLine)
  expect(await struck('georgia.roberts@example.com')).toBe('line-through')
  await page.getByRole('searchbox', { name: 'Search all fields' }).fill('new@')
  await row('georgia.roberts@example.com').waitFor({ state: 'detached' })
  expect(await row('new@example.com').getAttribute('class')).toBe('new')

  // Then, against now: what is gone now is struck, and what was not there yet is new.
  await page.goto(`${dashboard}/state/invites?at=m0`)
  await row('georgia.roberts@example.com').waitFor()
  expect(await row('georgia.roberts@example.com').getAttribute('class')).toBe('gone')
  expect(await row('new@example.com').getAttribute('class')).toBe('new')
})

test('what only the clock changed can be hidden, and the address keeps that', async () => {
  await change('POST', '/__mock/state/userFiles', { user_id: 'basic', status: 'PROCESSING', name: 'frost.pdf' })
  await change('PUT', '/__mock/clock', { advance: '5h' })
  await change('PATCH', '/__mock/state/labels/1', { name: 'Renamed' })
  const page = await openPage(`${dashboard}/state?at=m3&against=m1`)
  await page.getByText('frost.pdf').waitFor()
  await page.getByText('Renamed').first().waitFor()
  await page.getByRole('checkbox', { name: 'Hide what only the clock changed' }).check()
  await page.getByText('1 row is different.').waitFor()
  expect(await page.getByText('frost.pdf').count()).toBe(0)
  expect(page.url()).toContain('stored=true')
  await page.getByRole('link', { name: /^Labels 7 ~1/ }).click()
  await page.getByRole('link', { name: 'Differences' }).click()
  await page.getByText('1 row is different.').waitFor()
})

test('changed lists and objects are shown by fields, and rows that they name are links with the names', async () => {
  await change('PATCH', '/api/persona/1', {
    label_ids: [1, 2],
    starter_messages: [{ name: 'This week', message: 'What is new?' }]
  })
  const page = await openPage(`${dashboard}/requests/r1`)
  const changed = page.getByRole('region', { name: 'Rows changed' })
  await changed.locator('ins').filter({ hasText: 'What is new?' }).waitFor()
  const texts = await changed.locator('ins, del').allTextContents()
  expect(texts.filter((text) => /[{[]/.test(text))).toEqual([])
  const { name } = (await mock.call('GET', '/__mock/state/labels/2')).body
  const link = changed.locator('ins').getByRole('link', { name, exact: true })
  expect(await link.getAttribute('href')).toContain('/state/labels/2')
})

test('the history of a row says how often it was read, and by which exchange last', async () => {
  for (let times = 0; times < 3; times++) await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/persona/2')
  const page = await openPage(`${dashboard}/state/personas/1`)
  const history = page.getByRole('region', { name: 'History' })
  await history.getByText('Read 3 times, last by r3.').waitFor()
  await mock.call('GET', '/api/persona/1')
  await history.getByRole('link', { name: 'r5' }).waitFor()
  await history.getByRole('link', { name: 'Read 4 times' }).click()
  await page.getByText('4 exchanges', { exact: true }).waitFor()
})
