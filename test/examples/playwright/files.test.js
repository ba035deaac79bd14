import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { createMock, startMock } from 'knowledge-chat-mock'
import { toHaveNoViolations } from 'knowledge-chat-mock/matchers'
import { serve } from 'knowledge-chat-mock/playwright'
import { chromium } from 'playwright-core'
import { expected, story } from '../story.mjs'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
if (!existsSync(executablePath)) {
  throw new Error(`There is no Chromium at ${executablePath}. Install it (apt-get install chromium) or set CHROMIUM.`)
}

let mock, site, browser

before(async () => {
  // With a stopped clock, a file changes only when the test advances it.
  mock = await startMock({ port: 0, now: '2026-03-02T10:00:00Z' })
  // The front end: here one page. It calls the mock across origins, which the mock allows.
  const page = readFileSync(new URL('page.html', import.meta.url))
  site = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(page))
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve))
  // In a container Chromium runs as root, where it has no sandbox.
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
})

after(async () => {
  await browser?.close()
  site?.close()
  await mock?.close()
})

/** Opens the page in a sandbox of the mock, as a user: the owner of a file that is on its way to FAILED, or another. */
async function open(name, key) {
  const box = mock.sandbox(name)
  const { userFiles, users } = box.state.collections
  const file = userFiles.find(({ status, settles_as }) => status === 'PROCESSING' && settles_as === 'FAILED')
  const owner = users.find(({ id }) => id === file.user_id)
  const query = new URLSearchParams({ api: mock.url, token: box.token(key ?? owner.key), file: file.id })
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${site.address().port}/?${query}`)
  return { box, file, page }
}

test('the page shows that a file FAILED once the clock has advanced', async () => {
  const { box, file, page } = await open('failing')
  await page.getByText(`${file.name}: PROCESSING`).waitFor()

  box.clock.advance('10s')
  await page.getByText(`${file.name}: FAILED`).waitFor()

  const polls = box.requests({ operation: 'getFile' })
  assert.ok(polls.length >= 2 && polls.every(({ status }) => status === 200))
})

test('the page uploads a file', async () => {
  const { box, page } = await open('uploading', 'admin')
  const file = { name: 'handbook.md', mimeType: 'text/markdown', buffer: Buffer.from('# Handbook\n') }
  await page.getByLabel('Upload').setInputFiles(file)
  await page.getByText('Uploaded handbook.md').waitFor()

  const [upload] = box.requests({ operation: 'uploadConnectorFiles' })
  assert.equal(upload.status, 200)
  const { pass, message } = toHaveNoViolations(box)
  assert.ok(pass, message())
})

test('the page asks a mock without a port: the ten steps', async (t) => {
  const inProcess = createMock({ fixtures: 'demo' })
  t.after(() => inProcess.close())
  const page = await browser.newPage()
  await serve(page, inProcess, { url: 'http://platform.example' })
  await page.goto('http://platform.example/api/nothing')
  assert.deepEqual(await page.evaluate(`(${story})(fetch, location.origin)`), expected)
})
