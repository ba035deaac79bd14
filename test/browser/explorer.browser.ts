import { operationIds } from '../contract/document.js'
import { startTestMock } from '../mock.js'
import { inExplorer, openPage } from './browser.js'

const mock = await startTestMock()

beforeEach(() => mock.reset())

test('every operation of the interface is there', async () => {
  const page = await openPage(`${mock.url}/docs`)
  await page.locator('.opblock').first().waitFor()
  expect(await page.locator('.opblock').count()).toBe(operationIds.length)
})

test('"try it" answers from the running mock, with the token filled in', async () => {
  const page = await openPage(`${mock.url}/docs`)
  const block = await inExplorer(page, 'getUserRole')
  await block.getByRole('button', { name: 'Execute' }).click()
  await block.locator('.live-responses-table').getByText('"admin"').waitFor()
  const { requests } = (await mock.call('GET', '/__mock/requests')).body
  expect(requests).toMatchObject([{ operation: 'getUserRole', status: 200 }])
})

test('the user and the sandbox are chosen at the head of the page', async () => {
  const page = await openPage(`${mock.url}/docs`)
  const block = await inExplorer(page, 'getUserRole')
  await page.getByRole('combobox', { name: 'User' }).selectOption('curator')
  await page.getByRole('textbox', { name: 'Sandbox' }).fill('mine')
  await page.keyboard.press('Tab')
  await block.getByRole('button', { name: 'Execute' }).click()
  await block.locator('.live-responses-table').getByText('"curator"').waitFor()
  expect(mock.sandboxNamed('mine').journal.size).toBe(1)
  expect(mock.sandbox.journal.size).toBe(0)
})

test('user and sandbox are in the address: a reload keeps them, and the way from and to the dashboard', async () => {
  const page = await openPage(`${mock.url}/__mock/#/mine/requests`)
  await page.getByRole('link', { name: 'API explorer' }).click()
  await page.locator('.opblock').first().waitFor()
  await page.getByRole('combobox', { name: 'User' }).selectOption('basic')
  await page.reload()
  const block = await inExplorer(page, 'getUserRole')
  await block.getByRole('button', { name: 'Execute' }).click()
  await block.locator('.live-responses-table').getByText('"basic"').waitFor()
  expect(mock.sandboxNamed('mine').journal.size).toBe(1)
  await page.getByRole('link', { name: 'Knowledge Chat mock' }).click()
  await page.waitForURL(`${mock.url}/__mock/#/mine/requests`)
})

test('a file is uploaded', async () => {
  const page = await openPage(`${mock.url}/docs`)
  const block = await inExplorer(page, 'uploadConnectorFiles')
  const file = { name: 'handbook.md', mimeType: 'text/markdown', buffer: Buffer.from('# Handbook\n') }
  await block.locator('input[type=file]').first().setInputFiles(file)
  await block.getByRole('button', { name: 'Execute' }).click()
  await block.locator('.live-responses-table').getByText('"handbook.md"').waitFor()
  const { requests } = (await mock.call('GET', '/__mock/requests')).body
  expect(requests).toMatchObject([{ operation: 'uploadConnectorFiles', status: 200, violations: [] }])
})

test('a DELETE is sent with its body', async () => {
  const gone = [...mock.sandbox.rows.users.all()].find(({ key }) => key === 'basic')
  const page = await openPage(`${mock.url}/docs`)
  const block = await inExplorer(page, 'deleteUser')
  await block
    .locator('textarea')
    .first()
    .fill(JSON.stringify({ user_email: gone?.email }))
  await block.getByRole('button', { name: 'Execute' }).click()
  await block.locator('.live-responses-table').getByText('200').first().waitFor()
  expect([...mock.sandbox.rows.users.all()].some(({ email }) => email === gone?.email)).toBe(false)
})

test('an operation leads to its exchanges and assumptions in the chosen sandbox, and they lead back', async () => {
  const page = await openPage(`${mock.url}/__mock/#/mine/send/updatePersona`)
  await page.getByRole('link', { name: 'In the API explorer' }).press('Enter')
  const block = page.locator('[id$="-updatePersona"]')
  await block.getByRole('button', { name: 'Execute' }).waitFor()
  expect(page.url()).toContain('sandbox=mine')
  const addressOf = async (name: string) => {
    const link = block.getByRole('link', { name })
    const opened = page.context().waitForEvent('page')
    await link.press('Enter')
    const other = await opened
    await other.getByRole('heading', { level: 1 }).waitFor()
    return other
  }
  expect((await addressOf('Its exchanges')).url()).toBe(`${mock.url}/__mock/#/mine/requests?q=op%3AupdatePersona`)
  const ledger = await addressOf('Its assumptions')
  await ledger.getByRole('button', { name: 'Those of updatePersona' }).waitFor()
  await ledger.getByRole('combobox', { name: 'Choice for persona.patch' }).waitFor()
  expect(await ledger.getByRole('combobox', { name: 'Choice for delete.body' }).count()).toBe(0)
})

test('no word is broken on a phone, also in the examples of answers', async () => {
  const page = await openPage(`${mock.url}/docs`)
  await page.setViewportSize({ width: 390, height: 844 })
  const block = await inExplorer(page, 'updatePersona')
  await block.locator('.responses-table .microlight').first().waitFor()
  const broken = await block.evaluate((box) => {
    const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT)
    const found: string[] = []
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      for (const { 0: word, index } of node.nodeValue?.matchAll(/[a-z]{2,20}/gi) ?? []) {
        const range = document.createRange()
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) found.push(word)
      }
    }
    return found
  })
  expect(broken).toEqual([])
})
