import assert from 'node:assert/strict'
import { createReadStream, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { test } from 'node:test'
import { chromium } from 'playwright-core'

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json' }

/** Serves the Storybook that `storybook build` has made. */
async function host(t) {
  const server = createServer(({ url }, response) => {
    const file = join(import.meta.dirname, 'storybook-static', new URL(url, 'http://host').pathname)
    if (!existsSync(file)) return response.writeHead(404).end()
    response.setHeader('Content-Type', types[extname(file)] ?? 'application/octet-stream')
    createReadStream(file).pipe(response)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${server.address().port}`
}

test('in Storybook: each story starts as its parameters say', async (t) => {
  const origin = await host(t)
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  t.after(() => browser.close())
  const page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  const titlesOf = async (story) => {
    await page.goto(`${origin}/iframe.html?viewMode=story&id=chats--${story}`)
    await page.locator('#storybook-root li').first().waitFor()
    return page.locator('#storybook-root li').allTextContents()
  }
  const firstDay = await titlesOf('first-day')
  assert.deepEqual((await titlesOf('one-more')).sort(), [...firstDay, 'Plan the offsite'].sort())
  assert.deepEqual(await titlesOf('refused'), ['There is no answer'])
  assert.deepEqual(await titlesOf('first-day'), firstDay)
})
