import { createMock } from '../../src/doors/program/mock.js'
import { fixtures, serve } from '../../src/playwright.js'
import { testNow } from '../mock.js'
import { emptyPage } from './browser.js'

const url = 'http://platform.example:4010'
const mock = createMock({ fixtures: 'empty', now: testNow, corsOrigin: ['http://app.example'] })
afterAll(() => mock.close())

/** A page of another origin that calls the platform. */
async function openApp() {
  const page = await emptyPage()
  await page.route('http://app.example/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<input type=file>' })
  )
  await page.goto('http://app.example/')
  const ask = (path: string, body?: object) =>
    page.evaluate(
      async ([address, sent]) => {
        const headers = { Authorization: 'Bearer admin', ...(sent && { 'Content-Type': 'application/json' }) }
        const response = await fetch(address as string, { headers, ...(sent && { method: 'POST', body: sent }) })
        return { status: response.status, url: response.url, body: await response.json().catch(() => undefined) }
      },
      [url + path, body && JSON.stringify(body)]
    )
  const create = (description: string) => ask('/api/chat/create-chat-session', { description })
  const list = async () =>
    (await ask('/api/chat/get-user-chat-sessions')).body.sessions.map(({ name }: { name: string }) => name)
  return { page, ask, create, list }
}

test('a page asks the mock without a port: rows, refusals, files, broken connections', async () => {
  const { page, ask, create, list } = await openApp()
  await serve(page, mock, { url })
  await create('First')
  expect(await list()).toEqual(['First'])
  expect((await ask('/api/chat/create-chat-session', { persona_id: 'none' })).status).toBe(422)
  await page.setInputFiles('input', { name: 'a.md', mimeType: 'text/markdown', buffer: Buffer.from('# A') })
  const names = await page.evaluate(async (address) => {
    const body = new FormData()
    for (const file of (document.querySelector('input') as HTMLInputElement).files ?? []) body.append('files', file)
    const response = await fetch(address, { method: 'POST', headers: { Authorization: 'Bearer admin' }, body })
    return (await response.json()).file_names
  }, `${url}/api/manage/admin/connector/file/upload`)
  expect(names).toEqual(['a.md'])
  mock.sandbox().override({ operation: 'createChatSession', fault: 'EMPTY_RESPONSE', times: 1 })
  await expect(create('In vain')).rejects.toThrow('Failed to fetch')
})

test('an address without an origin is refused', async () => {
  const page = await emptyPage()
  for (const wrong of ['about:blank', 'localhost:4010', '']) {
    await expect(serve(page, mock, { url: wrong })).rejects.toThrow(`url is "${wrong}": give an address`)
  }
})

test('redirects and cookies reach the page', async () => {
  const page = await emptyPage()
  await serve(page, mock, { url })
  await page.goto(`${url}/__mock/enter?user=basic&sandbox=entered&to=/api/get-user-role`)
  await page.waitForURL(`${url}/api/get-user-role`)
  expect(JSON.parse((await page.textContent('body')) as string)).toEqual({ role: 'basic' })
})

test('each test has a sandbox from the fixture, which is dropped at its end', async () => {
  const [sandboxed] = fixtures(mock, { url }).mock
  for (const testId of ['test-1', 'test-2']) {
    const { page, create, list } = await openApp()
    await sandboxed(
      { page },
      async (box) => {
        await create(testId)
        expect([await list(), box.rows('chatSessions').length]).toEqual([[testId], 1])
      },
      { testId }
    )
    expect(mock.sandboxes.find(testId)).toBeUndefined()
  }
})
