import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { toHaveNoViolations } from 'knowledge-chat-mock/matchers'
import { chromium } from 'playwright-core'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
if (!existsSync(executablePath)) {
  throw new Error(`There is no Chromium at ${executablePath}. Install it (apt-get install chromium) or set CHROMIUM.`)
}
const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')
const { scripts } = JSON.parse(read('package.json'))
const started = []
let browser

before(async () => {
  // In a container Chromium runs as root, where it has no sandbox.
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
})

after(async () => {
  await browser?.close()
  for (const it of started.reverse()) await it()
})

/** Runs a script of package.json that ends. */
function run(name) {
  const [command, ...args] = scripts[name].split(' ')
  execFileSync(command, args, { stdio: 'ignore' })
}

/** Starts the mock on a free port. */
async function startMock() {
  const [command, ...args] = scripts.mock.split(' ')
  const mock = spawn(command, [...args, '--port', '0'], { stdio: ['ignore', 'pipe', 'ignore'] })
  started.push(() => mock.kill())
  const [line] = await once(mock.stdout.setEncoding('utf8'), 'data')
  return line.trim().replace('ready ', '')
}

/** Serves the page by Vite, whose configuration reads the environment. */
async function host(serve, env, options = {}) {
  Object.assign(process.env, env)
  const site = await (await import('vite'))[serve]({ logLevel: 'silent', ...options })
  if (serve === 'createServer') await site.listen(0)
  started.push(() => site.close())
  return `http://localhost:${site.httpServer.address().port}`
}

/** Opens the page, does what a user does, and reads the journal of the mock. */
async function useChat(address) {
  const page = await (await browser.newContext()).newPage()
  const errors = []
  page.on('pageerror', (error) => errors.push(error.message))
  const control = (method, path, body) =>
    page.evaluate(async (init) => (await fetch(`/__mock${init.path}`, init)).json(), {
      path,
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body)
    })

  await page.goto(address)
  await page.getByLabel('Email').fill('nobody@example.com')
  await page.getByLabel('Password').fill('secret')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('No user has this address or key.').waitFor()
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Password').fill('secret')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('ada@example.com (admin)').waitFor()

  const agents = page.getByRole('navigation', { name: 'Agents' })
  const avatar = agents.getByRole('button').nth(1).locator('img')
  await page.waitForFunction((it) => it.complete && it.naturalWidth > 0, await avatar.elementHandle())

  await agents.getByRole('button').nth(1).click()
  await page.getByLabel('Message').fill('Where are the quotes?')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('You asked “Where are the quotes?”. I am a mock, so I say it again.').waitFor()

  // Frozen, so that the file is ready exactly when the test says so.
  await control('PUT', '/clock', { speed: 0 })
  const file = { name: 'quotes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Quotes\n') }
  await page.getByLabel('Add a file').setInputFiles(file)
  await page.getByText('quotes.md: PROCESSING').waitFor()
  await control('PUT', '/clock', { advance: '5s' })
  await page.getByText('quotes.md: COMPLETED').waitFor()

  await page.reload()
  await page.getByText('ada@example.com (admin)').waitFor()
  await page.addScriptTag({ content: read('../node_modules/axe-core/axe.min.js') })
  const { violations } = await page.evaluate(() => globalThis.axe.run())
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    []
  )
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()

  const journal = await control('GET', '/requests')
  const { pass, message } = toHaveNoViolations(journal, { refused: 'allowed' })
  assert.ok(pass, message())
  assert.deepEqual(errors, [])
  const streamed = journal.requests.find(({ url }) => url === '/api/chat/send-message')
  const { response } = await control('GET', `/requests/${streamed.id}`)
  assert.equal(response.frames.count, 15)
}

test('the page runs on a mock that serves the adopted document', async () => {
  const MOCK_URL = await startMock()
  await useChat(await host('preview', { MOCK: '', MOCK_URL }, { preview: { port: 0, strictPort: false } }))
})

test('the page runs on a mock in a service worker, behind a dev server', async () => {
  run('worker')
  await useChat(await host('createServer', { MOCK: 'worker' }))
})

test('the page runs on a static host, with the mock in its worker', async () => {
  run('site')
  const options = { build: { outDir: 'site' }, preview: { port: 0, strictPort: false } }
  await useChat(await host('preview', { MOCK: 'worker' }, options))
})

test('the rules of the adopted document have at most 20 lines', () => {
  const lines = read('mock/rules.js')
    .split('\n')
    .filter((it) => it.trim() !== '' && !it.trim().startsWith('//'))
  assert.ok(lines.length <= 20, `${lines.length} lines`)
})
