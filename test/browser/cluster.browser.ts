import { startTestMock } from '../mock.js'
import { RealEngine, token } from '../replicas/engine.js'
import { join, leave } from '../replicas/joined.js'
import { command, openPage } from './browser.js'

const engine = new RealEngine()
beforeAll(() => engine.start())
afterAll(() => engine.end())

test('processes that share a state are listed with their sandboxes, and one that stops is shown as gone', async () => {
  const [a, b] = [await join(engine), await join(engine)]
  const nodeOf = async (url: string) => {
    const answer = await fetch(`${url}/__mock/cluster`, { headers: { 'X-Mock-Control-Token': token } })
    return ((await answer.json()) as { node: string }).node
  }
  const [own, other] = [await nodeOf(a.url), await nodeOf(b.url)]
  const page = await openPage(`${a.url}/__mock/`)
  await page.getByLabel('Control token').fill(token)
  await page.keyboard.press('Enter')
  await page.getByText('0 exchanges').waitFor()
  await command(page, 'cluster', 'Cluster')
  await page.getByText('2 processes share the state').waitFor()
  const row = (node: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: node }) })
  expect(await row(own).getByRole('cell').allTextContents()).toEqual([a.url, 'alive answers this page', '1', '0', ''])
  expect(await row(other).getByRole('cell').allTextContents()).toEqual([b.url, 'alive ', '0', '0', 'Open'])
  const metrics = await page.getByText(/\/__mock\/metrics$/).textContent()
  const scraped = await fetch(String(metrics), { headers: { Authorization: `Bearer ${token}` } })
  expect(await scraped.text()).toMatch(/^kcm_sandboxes_owned\{node="\w+"\} 1$/m)
  expect(await page.getByRole('link', { name: `Open ${other}` }).getAttribute('href')).toMatch(`${b.url}/__mock/`)

  await leave(b)
  await row(other).getByText('gone').waitFor()
  expect(await page.getByRole('link', { name: `Open ${other}` }).count()).toBe(0)
})

test('a mock without a cluster or a shadow has no link to their pages, which say how to start one', async () => {
  const mock = await startTestMock()
  const page = await openPage(`${mock.url}/__mock/`)
  await page.getByText('0 exchanges').waitFor()
  await page.getByRole('link', { name: 'Sandboxes' }).waitFor()
  expect(await page.getByRole('link', { name: 'Cluster' }).count()).toBe(0)
  await page.goto(`${mock.url}/__mock/#/default/cluster`)
  await page.getByText('This page shows the processes that share one state').waitFor()
  await page.getByText('--data redis://localhost:6379').waitFor()
  await page.goto(`${mock.url}/__mock/#/default/shadow`)
  await page.getByText('This page shows where a service and the mock answer differently.').waitFor()
  await page.getByText('--shadow', { exact: false }).last().waitFor()
})
