import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { toHaveNoViolations } from 'knowledge-chat-mock/matchers'
import next from 'next'
import { chromium } from 'playwright-core'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
if (!existsSync(executablePath)) {
  throw new Error(`There is no Chromium at ${executablePath}. Install it (apt-get install chromium) or set CHROMIUM.`)
}
const dir = join(import.meta.dirname, 'desk')
const api = join(import.meta.dirname, '../front-end/api')
const bin = (name) => join(import.meta.dirname, '../node_modules/.bin', name)

let mock, address, app, server, browser, desk

before(async () => {
  const options = ['--with', api, '--token-cookie', 'session', '--anonymous', 'basic', '--port', '0']
  mock = spawn(bin('knowledge-chat-mock'), [...options, '--assume', 'projects.trailing-slash=served'], {
    stdio: ['ignore', 'pipe', 'ignore']
  })
  const [line] = await once(mock.stdout.setEncoding('utf8'), 'data')
  address = line.trim().replace('ready ', '')
  // Next keeps the addresses of its rewrites from the build.
  const env = { ...process.env, MOCK_URL: address, NEXT_TELEMETRY_DISABLED: '1' }
  execFileSync(bin('next'), ['build', dir], { env, stdio: 'ignore' })
  app = next({ dev: false, dir })
  await app.prepare()
  server = createServer(app.getRequestHandler()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  desk = `http://127.0.0.1:${server.address().port}`
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
})

after(async () => {
  await browser?.close()
  server?.close()
  server?.closeAllConnections()
  await app?.close()
  mock?.kill()
})

test('a page of Next uses the mock as its whole API, with its cookie for the sign-in and mostly its own calls', async () => {
  const page = await browser.newPage()
  const errors = []
  page.on('pageerror', (error) => errors.push(error.message))
  await page.goto(`${desk}/__mock/enter?${new URLSearchParams({ user: 'basic', sandbox: 'next', to: '/' })}`)
  await page.getByText('You are tom@example.com (basic)').waitFor()
  await page.getByText('Notes (3)').waitFor()
  await page.getByRole('region', { name: 'Projects' }).getByRole('button').first().waitFor()
  await page.getByLabel('Sign in as').selectOption('ada@example.com')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('You are ada@example.com (admin)').waitFor()
  await page.reload()
  await page.getByText('You are ada@example.com (admin)').waitFor()
  const ask = async (path) => {
    const response = await fetch(`${address}/__mock/${path}`, { headers: { 'X-Mock-Sandbox': 'next' } })
    return response.json()
  }
  const journal = await ask('requests')
  const { pass, message } = toHaveNoViolations(journal)
  assert.ok(pass, message())
  assert.deepEqual(errors, [])
  const { operations } = await ask('coverage')
  const used = operations.filter(({ label }) => label === 'covered')
  const own = used.filter(({ code }) => code === '')
  assert.ok(own.length > used.length / 2, `${own.length} of ${used.length}`)
})
