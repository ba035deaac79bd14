import { startMock } from '../../src/doors/program/server.js'
import { Client } from '../client.js'
import { startTestMock } from '../mock.js'
import { openPage, until } from './browser.js'

const mock = await startTestMock()
const dashboard = `${mock.url}/__mock/`

beforeEach(() => mock.reset())

const hostile = [
  '<script>window.attacked = true</script>',
  '<img src=x onerror="window.attacked = true">',
  '"><svg onload="window.attacked = true">',
  '\u202eright to left\u202c مرحبا שלום',
  '👩‍👩‍👧‍👦🏳️‍🌈 ᚠᛇᚻ',
  '{{constructor.constructor("window.attacked = true")()}}'
]

test('hostile texts are shown as plain texts', async () => {
  for (const description of hostile) await mock.call('POST', '/api/chat/create-chat-session', { body: { description } })
  await mock.call('GET', `/api/chat/search?query=${encodeURIComponent(hostile[0] as string)}`)
  await mock.call('GET', `/api/${encodeURIComponent(hostile[1] as string)}`)
  const page = await openPage(`${dashboard}#/default/state/chatSessions?sort=-time_created`)
  for (const text of hostile) await page.getByText(text, { exact: true }).first().waitFor()
  const rows = (await mock.call('GET', '/__mock/state/chatSessions?q=attacked')).body.rows
  await page.goto(`${dashboard}#/default/state/chatSessions/${rows[0].id}`)
  await page.locator('dd').getByText(rows[0].name, { exact: true }).waitFor()
  await page.goto(`${dashboard}#/default/requests/r1`)
  await page.getByRole('region', { name: 'Body of the request' }).getByText('<script>').waitFor()
  await page.goto(`${dashboard}#/default/coverage`)
  await page.getByRole('heading', { name: 'Invented and unknown answers' }).waitFor()
  expect(await page.evaluate(() => 'attacked' in window)).toBe(false)
  // Text from right to left stays in its place.
  expect(await page.locator('bdi').count()).toBeGreaterThan(0)
})

test('a text of a megabyte is shown in part, then completely, and does not freeze the page', async () => {
  const huge = `begin ${'x'.repeat(1024 * 1024)} end`
  const { body: session } = await mock.call('POST', '/api/chat/create-chat-session', { body: {} })
  const path = `/__mock/state/chatSessions/${session.chat_session_id}`
  const { body: row } = await mock.call('GET', path)
  await mock.call('PUT', path, { body: { ...row, name: huge } })
  const page = await openPage(`${dashboard}#/default/state/chatSessions?q=begin`)
  await page.getByText('begin xxxx').waitFor()
  await page.getByRole('link', { name: /^begin xxx/ }).click()
  await page.getByRole('button', { name: /show all 1,048,586 characters/ }).click()
  await until(
    () => page.locator('dd bdi', { hasText: 'begin xxx' }).first().textContent(),
    (text) => text === huge
  )
  expect(await page.locator('dd bdi', { hasText: 'begin xxx' }).first().textContent()).toBe(huge)

  // The form shows a part of it, and keeps all of it.
  await page.getByRole('link', { name: 'Edit' }).click()
  const name = page.getByRole('textbox', { name: /^Name string/ })
  expect((await name.inputValue()).length).toBeLessThan(3000)
  expect(await name.getAttribute('readonly')).not.toBe(null)
  await page.getByRole('combobox', { name: /^Shared status/ }).selectOption('public')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Chat session was saved.').waitFor()
  expect((await mock.call('GET', path)).body).toMatchObject({ name: huge, shared_status: 'public' })
  await page.goto(`${dashboard}#/default/state/chatSessions/${session.chat_session_id}?edit=true`)
  await page.getByRole('button', { name: 'Edit all 1,048,586 characters of Name' }).press('Enter')
  expect(await name.inputValue()).toBe(huge)
})

test('the page stays responsive during 200 exchanges in a second, and shows no more than it can', async () => {
  const page = await openPage(dashboard)
  await page.getByText('0 exchanges').waitFor()
  const client = new Client(mock.url)
  let isWanted = true
  const load = (async () => {
    const start = performance.now()
    let sent = 0
    while (isWanted) {
      const due = Math.floor((performance.now() - start) / 5)
      const missing = Array.from({ length: due - sent }, () =>
        client.send({ method: 'GET', path: '/api/persona/1', headers: { Authorization: 'Bearer admin' } })
      )
      sent = due
      await Promise.all(missing)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return sent
  })()
  const table = page.getByRole('table', { name: 'Exchanges' })
  await page.getByText(/^\d[\d,]{2,} exchanges/).waitFor()
  await table.getByRole('link').first().press('Enter')
  await page.getByRole('region', { name: 'Body of the response' }).waitFor()
  await page.getByRole('link', { name: 'Coverage' }).click()
  await page.getByRole('heading', { name: 'Coverage' }).waitFor()
  await page.getByRole('link', { name: 'Requests' }).click()
  await page.getByRole('heading', { name: 'Requests' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('status:4xx')
  await page.getByText('0 exchanges').waitFor()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('status:2xx')
  await page.getByText(/^\d[\d,]{2,} exchanges/).waitFor()
  isWanted = false
  const sent = await load
  client.close()
  const newest = table.getByRole('link').first()
  const address = await until(
    () => newest.getAttribute('href'),
    (href) => href?.includes(`/r${sent}?`) === true
  )
  expect(address).toContain(`/r${sent}`)
  expect(await table.getByRole('link').count()).toBeLessThan(100)
})

test('the page reports that the mock is gone, and returns to it automatically', async () => {
  const first = await startMock({ port: 0 })
  const { port } = new URL(first.url)
  const page = await openPage(`${first.url}/__mock/`)
  await page.getByText('Live', { exact: true }).waitFor()
  await fetch(`${first.url}/api/get-user-role`)
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await first.close()
  await page.getByRole('alert').getByText('The mock does not answer.').waitFor()
  // Earlier content is still readable.
  expect(await page.getByText('1 exchange', { exact: true }).count()).toBe(1)
  const second = await startMock({ port: Number(port) })
  try {
    await page.getByText('The mock is back.').waitFor()
    await page.getByText('0 exchanges').waitFor()
    await fetch(`${second.url}/api/get-user-role`)
    await page.getByText('1 exchange', { exact: true }).waitFor()
  } finally {
    await second.close()
  }
})

test('the page asks for the token if the control API has one', async () => {
  const guarded = await startTestMock({ controlToken: 'sesame' })
  const page = await openPage(`${guarded.url}/__mock/`)
  await page.getByLabel('Control token').fill('wrong')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('This is not the control token of the mock.').waitFor()
  // The typed text remains for correction, and the next text replaces it.
  expect(await page.getByLabel('Control token').inputValue()).toBe('wrong')
  await page.keyboard.type('sesame')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('0 exchanges').waitFor()
  await guarded.call('GET', '/api/get-user-role')
  await page.getByText('1 exchange', { exact: true }).waitFor()
})
