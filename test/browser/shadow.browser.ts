import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { shadowOf } from '../../src/doors/cli/proxy.js'
import { startMock } from '../../src/doors/program/server.js'
import { ended, start } from '../cli.js'
import { call, startTestMock } from '../mock.js'
import { startForeign } from '../verify/foreign/service.js'
import { openPage } from './browser.js'

/** Opens the dashboard of a proxy whose service has changed an agent that the mock still has as it was. */
async function openShadow(look: (page: Page) => Promise<void>): Promise<void> {
  const service = await startTestMock()
  const shadow = shadowOf(
    service.url,
    {},
    () => undefined,
    () => undefined
  )
  const upstream = { url: service.url, mocked: new Set<string>(), strict: false, timeout: 60_000, shadow }
  const proxy = await startMock({ port: 0, auth: 'any', upstream })
  const read = () => fetch(`${proxy.url}/api/persona/3`, { headers: { Authorization: 'Bearer admin' } })
  try {
    await (await read()).text()
    await service.call('PATCH', '/api/persona/3', { body: { description: 'Changed behind the proxy' } })
    await (await read()).text()
    await look(await openPage(`${proxy.url}/__mock/#/default/shadow`))
  } finally {
    await proxy.close()
  }
}

test('the two answers of a call are compared by fields, and shown in full on request', async () => {
  await openShadow(async (page) => {
    const operation = page.getByRole('region', { name: 'getPersona' })
    await operation.getByText('50 % the same').waitFor()
    const difference = operation.getByLabel('Differences 1')
    expect(await difference.locator('dt').allTextContents()).toEqual(['description'])
    expect(await difference.locator('del').textContent()).toBe('service "Changed behind the proxy"')
    await operation.getByText('Both answers in full').click()
    const answer = operation.getByRole('region', { name: 'Answer 1 of the service' })
    await answer.getByText('"Changed behind the proxy"').waitFor()
    expect(await operation.getByRole('region', { name: 'Answer 1 of the mock' }).count()).toBe(1)
    await page.evaluate(axe.source)
    const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])).toEqual([])
  })
})

test('with the page of the shadow too, all pages are in one line, without a scroll', async () => {
  await openShadow(async (page) => {
    const pages = page.getByRole('navigation', { name: 'Pages' })
    await pages.getByRole('link', { name: 'Shadow' }).waitFor()
    for (const width of [1024, 1280, 1440, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      const seen = await pages.evaluate((nav) => ({
        lines: new Set([...nav.children].map((it) => it.getBoundingClientRect().top)).size,
        hidden: [...nav.children].filter((it) => {
          const { left, right } = it.getBoundingClientRect()
          return left < nav.getBoundingClientRect().left - 1 || right > nav.getBoundingClientRect().right + 1
        }).length,
        wider: Math.max(0, document.documentElement.scrollWidth - innerWidth)
      }))
      expect([width, seen]).toEqual([width, { lines: 1, hidden: 0, wider: 0 }])
      // The name gives way, but its icon stays.
      expect((await page.locator('.bar .name img').boundingBox())?.width).toBe(24)
    }
  })
})

test('a proxy with --shadow shows where the mock differs from a service of another stack, and follows later calls', async () => {
  const service = await startForeign({ bugs: ['E23-lost'] })
  const child = start(['proxy', service.url, '--port', '0', '--shadow'])
  const end = ended(child)
  try {
    const url = await new Promise<string>((resolve) =>
      child.stdout?.once('data', (it) => resolve(`${it}`.slice(6).trim()))
    )
    const ask = (method: string, path: string, body?: object) => call(url, method, path, { as: 'tok-ada', body })
    const details = '/api/user/projects/601/details'
    await ask('GET', '/api/get-user-role')
    await ask('GET', details)

    const page = await openPage(`${url}/__mock/`)
    await page.getByRole('link', { name: /^Shadow/ }).click()
    // The first answer with the project shows its rows, so it is not compared.
    await page.getByText(/^1 call of .* compared, 100 % the same\.$/).waitFor()
    await ask('POST', '/api/user/projects/601/instructions', { instructions: 'Be brief.' })
    await ask('GET', details)
    await page.getByText(/^3 calls of .* compared, 66 % the same\.$/).waitFor()
    // What agrees least comes first.
    const operations = page.locator('section.panel')
    const names = await operations.evaluateAll((all) => all.map((it) => it.getAttribute('aria-label')))
    expect(names).toEqual(['getProjectDetails', 'getUserRole', 'setProjectInstructions'])
    const operation = page.getByRole('region', { name: 'getProjectDetails' })
    await operation.getByText(/^0 % the same/).waitFor()
    await operation.getByText(/^finding: project\.instructions differs/).waitFor()
    expect(await operation.locator('del').allTextContents()).toContainEqual(expect.stringContaining('in the words of'))
    expect(await operation.locator('ins').allTextContents()).toContainEqual(expect.stringContaining('Be brief.'))

    await ask('GET', '/api/get-user-role')
    await page.getByText(/^4 calls of .* compared, 75 % the same\.$/).waitFor()
  } finally {
    child.kill('SIGTERM')
    expect((await end).code).toBe(1)
    await service.close()
  }
})
