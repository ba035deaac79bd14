import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { toHaveNoViolations } from 'knowledge-chat-mock/matchers'
import { chromium } from 'playwright-core'
import { preview } from 'vite'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
if (!existsSync(executablePath)) {
  throw new Error(`There is no Chromium at ${executablePath}. Install it (apt-get install chromium) or set CHROMIUM.`)
}
const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')

let mock, api, site, desk, browser

before(async () => {
  // What a developer types, on a free port.
  const [command, ...args] = JSON.parse(read('package.json')).scripts.mock.split(' ')
  mock = spawn(command, [...args, '--port', '0', '--now', '2026-03-02T10:00:00Z'], {
    stdio: ['ignore', 'pipe', 'ignore']
  })
  const [line] = await once(mock.stdout.setEncoding('utf8'), 'data')
  api = process.env.MOCK_URL = line.trim().replace('ready ', '')
  site = await preview({ logLevel: 'silent', preview: { port: 0, strictPort: false } })
  desk = `http://localhost:${site.httpServer.address().port}`
  // In a container Chromium runs as root, where it has no sandbox of its own.
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
})

after(async () => {
  await browser?.close()
  await site?.close()
  mock?.kill()
})

/** Opens the page in a sandbox by a link, as a user, and counts what the browser complains of. */
async function open(sandbox, user = 'basic') {
  const page = await browser.newPage()
  const errors = []
  page.on('pageerror', (error) => errors.push(error.message))
  await page.goto(`${desk}/__mock/enter?${new URLSearchParams({ user, sandbox, to: '/' })}`)
  const control = async (method, path, body) => {
    const headers = { 'X-Mock-Sandbox': sandbox, 'Content-Type': 'application/json' }
    return (await fetch(`${api}/__mock${path}`, { method, headers, body: body && JSON.stringify(body) })).json()
  }
  const holds = async (options) => {
    const { pass, message } = toHaveNoViolations(await control('GET', '/requests'), options)
    assert.ok(pass, message())
    assert.deepEqual(errors, [])
  }
  return { page, control, holds }
}

test('who does not sign in is basic, and may not index a file', async () => {
  const page = await browser.newPage()
  await page.goto(desk)
  await page.getByText('You are tom@example.com (basic)').waitFor()
  await page
    .getByLabel('Index a file')
    .setInputFiles({ name: 'a.md', mimeType: 'text/markdown', buffer: Buffer.from('# A') })
  await page.getByText('Access denied').waitFor()
})

test('who signs in stays in the sandbox, may do more, and goes back to basic', async () => {
  const { page, control, holds } = await open('signing-in')
  await page.getByText('You are tom@example.com (basic)').waitFor()
  await page.getByLabel('Sign in as').selectOption('ada@example.com')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('You are ada@example.com (admin)').waitFor()
  await page
    .getByLabel('Index a file')
    .setInputFiles({ name: 'a.md', mimeType: 'text/markdown', buffer: Buffer.from('# A') })
  await page.getByText('Uploaded a.md').waitFor()
  const { requests } = await control('GET', '/requests?operation=uploadConnectorFiles')
  assert.deepEqual(
    requests.map(({ status }) => status),
    [200]
  )
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are tom@example.com (basic)').waitFor()
  await holds()
})

test('notes are added, done and deleted, and stay so', async () => {
  const { page, control, holds } = await open('notes')
  await page.getByText('Notes (3)').waitFor()
  await page.getByLabel('New note').fill('Water the plants')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByLabel('Water the plants', { exact: true }).click()
  await page.getByRole('listitem').filter({ hasText: 'Water the plants' }).and(page.locator('.done')).waitFor()
  await page.getByRole('button', { name: 'Delete Plan the offsite' }).click()
  await page.getByText('Plan the offsite').waitFor({ state: 'detached' })
  const titles = ({ rows }) => rows.map(({ title, done }) => [title, done])
  assert.deepEqual(titles(await control('GET', '/state/notes')), [
    ['Ask Grace for the venue quotes', false],
    ['Try the new release scribe', true],
    ['Water the plants', true]
  ])
  await page.reload()
  await page.getByText('Notes (3)').waitFor()
  await page.getByLabel('New note').fill('x'.repeat(81))
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('at most 80 characters').waitFor()
  await holds({ refused: 'allowed' })
})

test('an override turns a feature off', async () => {
  const { page, control, holds } = await open('flags')
  await page.getByRole('heading', { name: 'Inbox (' }).waitFor()
  await control('POST', '/overrides', { method: 'GET', path: '/api/flags', body: { inbox: false, usage: true } })
  await page.reload()
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  assert.equal(await page.getByRole('heading', { name: 'Inbox (' }).count(), 0)
  await holds()
})

test('a walk through the page calls the platform and the endpoints of its own, and anybody can take it', async () => {
  const { page, control, holds } = await open('walk', 'admin')
  const nav = page.getByRole('navigation', { name: 'Agents' })
  await nav.getByRole('button').first().click()
  await page.getByRole('button', { name: 'Start a chat' }).click()
  await page.getByText(/^A chat with .* is open\.$/).waitFor()
  await page.getByLabel('Search chats').fill('with')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('button', { name: /^Delete With / }).click()
  await page.getByText(/^With .* is deleted\.$/).waitFor()
  await page.getByRole('region', { name: 'Projects' }).getByRole('button').first().click()
  await page.getByRole('list', { name: /^Files of / }).waitFor()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await page.getByText('Inbox (0 new)').waitFor()

  for (const theme of ['light', 'dark']) {
    if (theme === 'dark') await page.getByLabel('Dark').click()
    await page.locator(`[data-theme=${theme}]`).waitFor()
    await page.addScriptTag({ content: read('../node_modules/axe-core/axe.min.js') })
    const { violations } = await page.evaluate(() => globalThis.axe.run())
    assert.deepEqual(
      violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
      []
    )
  }

  const { requests } = await control('GET', '/requests')
  assert.deepEqual(
    requests.filter(({ status }) => status >= 400),
    []
  )
  const called = new Set(requests.map(({ operation }) => operation))
  const own = new Set(read('api/openapi.yaml').match(/(?<=operationId: )\w+/g))
  const platforms = [...called].filter((it) => !own.has(it))
  assert.ok(called.size - platforms.length >= 8, `its own: ${[...called].filter((it) => own.has(it))}`)
  assert.ok(platforms.length >= 4 && called.size >= 12, `of the platform: ${platforms}`)
  await holds()
})
