import { createReadStream, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import axe from 'axe-core'
import type { Locator } from 'playwright-core'
import { packageRoot } from '../../src/engine/contract/load.js'
import { documents } from '../documents.js'
import { examplesIn, missingIn } from '../guide.js'
import { startTestMock } from '../mock.js'
import { openPage } from './browser.js'

const mock = await startTestMock({ control: 'off' })
const folder = join(packageRoot(), 'dist/pages/guide')
const screenshots = join(packageRoot(), 'test/browser/screenshots')
mkdirSync(screenshots, { recursive: true })
const pages = readdirSync(folder).filter((name) => name.endsWith('.html'))

const types: Record<string, string> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png'
}

/** A static host that has the manual below a path, and nothing else. */
const host = createServer(({ url }, response) => {
  const [, path = ''] = /^\/some\/where\/([\w.-]*)$/.exec(url ?? '') ?? []
  const file = join(folder, path || 'index.html')
  if (!url?.startsWith('/some/where/') || !existsSync(file)) return void response.writeHead(404).end()
  response.setHeader('Content-Type', types[extname(file)] ?? 'application/json')
  createReadStream(file).pipe(response)
})
await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
afterAll(() => host.close())
const hosted = `http://127.0.0.1:${(host.address() as AddressInfo).port}/some/where/`

/** Waits until an example has ended, and returns its output. */
async function outputOf(example: Locator): Promise<string> {
  await example.and(example.page().locator('[data-state=done], [data-state=failed]')).waitFor()
  expect(await example.getAttribute('data-state')).toBe('done')
  return example.locator('output').innerText()
}

test.each(pages)(
  '%s: each example runs as it shows; axe finds nothing, and nothing is wider than the page',
  async (name) => {
    const page = await openPage(`${mock.url}/guide/${name}`)
    const text = documents.get(`docs/${name === 'index.html' ? 'README.md' : name.replace('.html', '.md')}`) as string
    const examples = examplesIn(text)
    const figures = page.locator('figure[data-run]')
    expect(await figures.count()).toBe(examples.length)
    for (const at of examples.keys()) await figures.nth(at).getByRole('button', { name: 'Run' }).click()
    for (const [at, { code, output = '' }] of examples.entries())
      expect([code, missingIn(await outputOf(figures.nth(at)), output)]).toEqual([code, undefined])
    await page.evaluate(axe.source)
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 })
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect([scheme, width, wider]).toEqual([scheme, width, 0])
      }
      const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
      expect([
        scheme,
        violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
      ]).toEqual([scheme, []])
      await page.setViewportSize({ width: 1280, height: 900 })
      if (['index.html', 'fail.html'].includes(name))
        await page.screenshot({ path: join(screenshots, `guide-${name}-${scheme}.png`) })
    }
  }
)

test('on a static host below a path, links lead on, examples run, and nothing else is asked for', async () => {
  const page = await openPage(hosted)
  await page.getByRole('navigation').getByRole('link', { name: 'Fail the next call' }).click()
  await page.getByRole('heading', { name: 'Fail the next call' }).waitFor()
  expect(page.url()).toBe(`${hosted}fail.html`)
  const first = page.locator('figure[data-run]').first()
  await first.getByRole('button', { name: 'Run' }).click()
  expect(await outputOf(first)).toContain('503 Service Unavailable')
})

test.each(['/docs', '/__mock/'])('%s leads to the manual', async (path) => {
  const open = path === '/docs' ? mock : await startTestMock()
  const page = await openPage(open.url + path)
  await page.getByRole('banner').getByRole('link', { name: 'Manual' }).click()
  await page.getByRole('heading', { name: 'The manual' }).waitFor()
  expect(page.url()).toBe(`${open.url}/guide/`)
})

test('the mock is loaded with the first run only, and later runs need no network', async () => {
  const page = await openPage(`${mock.url}/guide/sign-in.html`)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.getByRole('searchbox').fill('token')
  await page.locator('#results a').first().waitFor()
  expect(asked.filter((url) => !url.endsWith('.svg'))).toEqual([`${mock.url}/guide/search.json`])
  await page.keyboard.press('Escape')
  const first = page.locator('figure[data-run]').first()
  const run = first.getByRole('button', { name: 'Run' })
  await run.click()
  await outputOf(first)
  await page.context().setOffline(true)
  await run.click()
  expect(await outputOf(first)).toContain('{"role":"basic"}')
})

test('a keyboard searches, follows a result, and opens the contents on a phone', async () => {
  const page = await openPage(`${mock.url}/guide/`)
  await page.keyboard.press('/')
  await page.keyboard.type('freeze time')
  await page.locator('#results a').first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Freeze time and move it' }).waitFor()
  await page.setViewportSize({ width: 390, height: 900 })
  const contents = page.getByRole('navigation', { name: 'Contents' })
  expect(await contents.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Contents' }).press('Enter')
  await contents.getByRole('link', { name: 'Streams' }).click()
  await page.getByRole('heading', { name: 'Streams' }).first().waitFor()
})
