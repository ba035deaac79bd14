import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { packageRoot } from '../../src/engine/contract/load.js'
import { startTestMock } from '../mock.js'
import { openPage, until } from './browser.js'

const mock = await startTestMock({ fixtures: 'demo' })
const screenshots = join(packageRoot(), 'test/browser/screenshots')
mkdirSync(screenshots, { recursive: true })

beforeAll(async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/chat/get-user-chat-sessions?page_size=5')
  await mock.call('GET', '/api/chat/search?query=frost&bogus=1')
  await mock.call('POST', '/api/chat/create-chat-session', { as: 'basic', body: { description: 'Plan the offsite' } })
  await mock.call('GET', '/api/persona/999')
  await mock.call('GET', '/api/user/projects/', { as: 'curator' })
  await mock.call('GET', '/api/get-user-role', { as: null })
  await mock.call('DELETE', '/api/admin/tool/custom/7', { as: 'basic' })
  await mock.call('GET', '/api/persona')
  await mock.call('PATCH', '/api/persona/1', {
    body: { num_chunks: 'many', starter_messages: [{ name: 'Hello' }], tone: 'dry' }
  })
  await mock.call('POST', '/__mock/snapshots/before-the-demo')
  await mock.call('POST', '/__mock/sandboxes', { body: { name: 'checkout-7' } })
  await mock.call('POST', '/__mock/overrides', {
    body: { operation: 'getFile', match: { path: { file_id: 'x' } }, status: 404, body: { detail: 'Gone' }, times: 2 }
  })
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'openUrls', fault: 'EMPTY_RESPONSE' } })
})

/** Every page, with an element that it shows once it is loaded. */
const pages: Record<string, { path: string; sign: string }> = {
  requests: { path: '/__mock/#/default/requests', sign: '10 exchanges' },
  exchange: { path: '/__mock/#/default/requests/r10', sign: 'Check of the answer' },
  'exchange-of-rows': { path: '/__mock/#/default/requests/r4', sign: 'Rows changed' },
  send: { path: '/__mock/#/default/send/updatePersona?as=admin,basic', sign: 'The request matches the contract.' },
  snapshots: { path: '/__mock/#/default/state', sign: 'before-the-demo' },
  rows: { path: '/__mock/#/default/state/personas', sign: 'Release scribe' },
  row: { path: '/__mock/#/default/state/personas/1', sign: 'starter_messages' },
  'row-form': { path: '/__mock/#/default/state/personas/1?edit=true', sign: 'starter_messages' },
  clock: { path: '/__mock/#/default/clock', sign: 'Style guide, old.pdf' },
  overrides: { path: '/__mock/#/default/overrides', sign: 'The connection ends without an answer' },
  'override-form': { path: '/__mock/#/default/overrides/new?from=r1', sign: 'Documented example' },
  scenarios: { path: '/__mock/#/default/scenarios', sign: 'upload-fails' },
  assumptions: { path: '/__mock/#/default/assumptions', sign: 'Which role may call which operation?' },
  coverage: { path: '/__mock/#/default/coverage', sign: 'E30' },
  sandboxes: { path: '/__mock/#/default/sandboxes', sign: 'X-Mock-Sandbox' },
  explorer: { path: '/docs', sign: 'deleteTokenRateLimit' },
  operation: { path: '/docs#getPersona', sign: 'The request matches the contract.' }
}
const views = [2560, 1440, 360].flatMap((width) => (['light', 'dark'] as const).map((scheme) => ({ width, scheme })))

/** axe takes seconds, so it looks at each layout and each scheme once, and not at all of their combinations. */
const isForAxe = ({ width, scheme }: (typeof views)[number]) => (scheme === 'light' ? width === 1440 : width === 360)

/** What axe finds, as rule and place. */
async function foundIn(page: Page): Promise<string[]> {
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

test.each(Object.entries(pages))(
  '%s: axe finds nothing, and nothing is wider than the page; light and dark, on a phone, a laptop and a wide screen',
  async (name, { path, sign }) => {
    const page = await openPage(mock.url + path)
    await page.getByText(sign).first().waitFor()
    for (const { width, scheme } of views) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height: 900 })
      if (isForAxe({ width, scheme })) {
        await page.screenshot({ path: join(screenshots, `${name}-${scheme}-${width}.png`) })
        expect([width, scheme, await foundIn(page)]).toEqual([width, scheme, []])
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      // A table with actions shows them without a scroll.
      const sideways = await page.evaluate(
        () =>
          [...document.querySelectorAll('.scroll:not(.narrow):has(> .stacked)')].filter(
            (it) => it.scrollWidth > it.clientWidth
          ).length
      )
      expect([width, scheme, sideways]).toEqual([width, scheme, 0])
    }
  }
)

test('reduced motion is respected, and every page fits a phone, a laptop and a wide screen', async () => {
  for (const [name, { path, sign }] of Object.entries(pages)) {
    const page = await openPage(mock.url + path)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.getByText(sign).first().waitFor()
    for (const width of [390, 1280, 2560]) {
      await page.setViewportSize({ width, height: 900 })
      const seen = await page.evaluate(() => ({
        wider: Math.max(0, document.documentElement.scrollWidth - innerWidth),
        moving: [...document.querySelectorAll('*')]
          .map((it) => getComputedStyle(it))
          .filter((it) => parseFloat(it.transitionDuration) > 0 || it.animationName !== 'none').length,
        animations: document.getAnimations().length
      }))
      expect([name, width, seen]).toEqual([name, width, { wider: 0, moving: 0, animations: 0 }])
    }
    await page.context().close()
  }
})

test('axe finds nothing in dialogs', async () => {
  const page = await openPage(`${mock.url}/__mock/#/default/sandboxes`)
  await page.getByRole('button', { name: 'Fork checkout-7' }).click()
  await page.getByRole('dialog', { name: 'Fork checkout-7' }).waitFor()
  expect(await foundIn(page)).toEqual([])
})

test('axe finds nothing in the state during filters, edits and searches', async () => {
  const page = await openPage(`${mock.url}/__mock/#/default/state/personas?columns=name,display_priority`)
  await page.getByRole('gridcell', { name: 'Release scribe' }).waitFor()
  await page.getByRole('button', { name: 'Filter' }).press('Enter')
  await page.getByText('Columns', { exact: true }).first().press('Enter')
  expect(await foundIn(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.locator('td.editable').first().press('F2')
  await page.getByRole('textbox', { name: /^display_priority of/ }).fill('soon')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  expect(await foundIn(page)).toEqual([])
  await page.keyboard.press('Control+k')
  await page.keyboard.type('release')
  await page.getByRole('option', { name: /^Agent Release scribe/ }).waitFor()
  expect(await foundIn(page)).toEqual([])
})

test('axe finds nothing in an operation with all its assumptions and answers open', async () => {
  const page = await openPage(`${mock.url}/docs#updatePersona`)
  await page.getByText('The request matches the contract.').waitFor()
  await page.evaluate(() => {
    for (const it of document.querySelectorAll('details')) it.open = true
  })
  await page.getByLabel('Choice for persona.num-chunks').first().waitFor()
  expect(await foundIn(page)).toEqual([])
})

test('axe finds nothing in compared answers and in the share dialog, and they fit a phone', async () => {
  const page = await openPage(`${mock.url}/__mock/#/checkout-7/send/updatePersona?as=admin,curator,nobody`)
  await page.getByText('The request matches the contract.').waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('region', { name: 'Answer to nobody' }).getByText('401').waitFor()
  for (const isShared of [false, true]) {
    if (isShared) {
      await page.getByRole('button', { name: 'Share this…' }).first().press('Enter')
      await page.getByText('every expectation was met').waitFor()
    }
    for (const { width, scheme } of views) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height: 900 })
      if (isForAxe({ width, scheme })) {
        await page.screenshot({ path: join(screenshots, `${isShared ? 'share' : 'answers'}-${scheme}-${width}.png`) })
        expect([width, scheme, await foundIn(page)]).toEqual([width, scheme, []])
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    }
  }
})

test('a page is reached, filtered and its dialogs closed with only a keyboard', async () => {
  const page = await openPage(`${mock.url}/__mock/`)
  await page.getByText(/^\d+ exchanges$/).waitFor()
  const focus = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
  const tabTo = async (isThere: (text: string) => boolean) => {
    for (let tries = 0; tries < 60 && !isThere(await focus()); tries++) await page.keyboard.press('Tab')
    expect(isThere(await focus())).toBe(true)
  }
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await tabTo((text) => text === 'Skip to the content')
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
  await page.keyboard.press('/')
  await page.keyboard.type('PATCH')
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await tabTo((text) => text.startsWith('PATCH'))
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Body of the request' }).waitFor()

  const labels = (await mock.call('GET', '/__mock/state/labels')).body.rows
  await page.goto(`${mock.url}/__mock/#/default/state/labels`)
  await page.getByText(labels[0].name).waitFor()
  await tabTo((text) => text === labels[0].name)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: labels[2].name }).waitFor()
  // The focused element is gone, so the page has the focus.
  await until(
    () => page.evaluate(() => document.activeElement?.id),
    (id) => id === 'main'
  )
  await tabTo((text) => text === 'Edit')

  await page.getByRole('link', { name: 'Sandboxes' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Fork checkout-7' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('[aria-label="Fork checkout-7"]:focus').waitFor()
})
