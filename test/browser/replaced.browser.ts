import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeSite } from '../../src/doors/site/write.js'
import { openPage } from './browser.js'
import { type Host, hostFiles } from './files.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-replaced-'))
const [app, site, base] = [join(folder, 'app'), join(folder, 'site'), '/demo/']
let host: Host

/** Writes the site with an application that shows this text. */
async function publish(text: string): Promise<void> {
  writeFileSync(join(app, 'app.js'), `document.querySelector('p').textContent = '${text}'\n`)
  await writeSite(site, { app, base, mock: { fixtures: 'demo' } })
}

beforeAll(async () => {
  mkdirSync(app)
  writeFileSync(
    join(app, 'index.html'),
    '<!doctype html><html lang="en"><head><title>App</title><link rel="icon" href="data:,"><script src="/demo/app.js" type="module"></script></head><body><p></p></body></html>'
  )
  await publish('version 1')
  host = await hostFiles(site, base)
})
afterAll(() => host.close())

test('a new version of a site is installed while a page is open: its rows remain, and the next visit has the new files', async () => {
  const page = await openPage(host.origin + base)
  await page.getByText('version 1').waitFor()
  const search = () =>
    page.evaluate(async () => {
      const headers = { Authorization: 'Bearer basic' }
      const response = await fetch('/demo/api/chat/search?query=kept-over', { headers })
      return [response.status, await response.text()]
    })
  const made = await page.evaluate(async () => {
    const headers = { Authorization: 'Bearer basic', 'Content-Type': 'application/json' }
    const body = JSON.stringify({ description: 'kept-over' })
    return (await fetch('/demo/api/chat/create-chat-session', { method: 'POST', headers, body })).status
  })
  expect(made).toBe(200)

  await publish('version 2')
  await page.evaluate(async () => {
    const container = navigator.serviceWorker
    const changed = new Promise((resolve) => container.addEventListener('controllerchange', resolve, { once: true }))
    await (await container.getRegistration('/demo/'))?.update()
    await changed
  })
  expect(await search()).toEqual([200, expect.stringContaining('kept-over')])
  await page.reload()
  await page.getByText('version 2').waitFor()
  expect(await search()).toEqual([200, expect.stringContaining('kept-over')])

  // The older files are gone, and the newer ones are there without a network.
  expect(await page.evaluate(async () => (await caches.keys()).length)).toBe(1)
  await page.context().setOffline(true)
  await page.reload()
  await page.getByText('version 2').waitFor()
})
