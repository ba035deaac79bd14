import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeSite } from '../../src/doors/site/write.js'
import { openPage } from './browser.js'
import { type Host, hostFiles } from './files.js'

const root = mkdtempSync(join(tmpdir(), 'kcm-public-'))
let host: Host

// The folder of an application that its own host serves, with the worker next to it.
beforeAll(async () => {
  const body = { content: { 'application/json': { schema: { type: 'object' } } } }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Sign-in', version: '1' },
    paths: {
      '/auth/login': {
        post: { operationId: 'login', requestBody: body, 'x-mock': { session: 'login' }, responses: { 204: {} } }
      },
      '/auth/logout': { post: { operationId: 'logout', 'x-mock': { session: 'logout' }, responses: { 204: {} } } }
    }
  }
  writeFileSync(join(root, 'api.json'), JSON.stringify(document))
  writeFileSync(join(root, 'index.html'), '<!doctype html><title>Mine</title><link rel="icon" href="data:,"><p>My page')
  writeFileSync(join(root, 'data.json'), '{"from":"the host"}')
  await writeSite(root, {
    base: '/',
    worker: true,
    mock: { with: [join(root, 'api.json')], tokenCookie: 'session' }
  })
  host = await hostFiles(root)
})
afterAll(() => host.close())

/** Opens the application with the worker in front of its host. */
async function open() {
  const page = await openPage(host.origin)
  await page.evaluate(async () => {
    const { register } = await import('/mock/service-worker.js' as string)
    await register('/mock-worker.js')
  })
  const ask = (path: string, init: Pick<RequestInit, 'method' | 'headers' | 'credentials'> & { body?: string } = {}) =>
    page.evaluate(
      async ([address, given]) => {
        const response = await fetch(address, given)
        return { status: response.status, text: await response.text() }
      },
      [path, init] as const
    )
  const signIn = (key: string) =>
    ask('/auth/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: `{"key":"${key}"}` })
  return { page, ask, signIn }
}

test('the worker leaves the files of the application and its start page to the host', async () => {
  const { page, ask } = await open()
  expect(readFileSync(join(root, 'index.html'), 'utf8')).toContain('My page')
  expect(existsSync(join(root, '404.html'))).toBe(false)
  expect(await ask('/data.json')).toEqual({ status: 200, text: '{"from":"the host"}' })
  await page.reload()
  await page.getByText('My page').waitFor()
  await page.goto(`${host.origin}/__mock/`)
  await page.getByText('exchanges').first().waitFor()
})

test('a sign-in by cookie survives a reload, and ends with the sign-out', async () => {
  const { page, ask, signIn } = await open()
  expect((await ask('/api/get-user-role')).status).toBe(401)
  expect((await signIn('curator')).status).toBe(204)
  await page.reload()
  expect((await ask('/api/get-user-role')).text).toBe('{"role":"curator"}')
  expect((await ask('/api/get-user-role', { credentials: 'omit' })).status).toBe(401)
  await ask('/auth/logout', { method: 'POST' })
  expect((await ask('/api/get-user-role')).status).toBe(401)
})

test('a link that signs in does so in a worker too, in the sandbox that it names', async () => {
  const { page, ask } = await open()
  await page.goto(`${host.origin}/__mock/enter?user=basic&sandbox=mine&to=/`)
  await page.getByText('My page').waitFor()
  expect((await ask('/api/get-user-role')).text).toBe('{"role":"basic"}')
  const { requests } = JSON.parse(
    (await ask('/__mock/requests?operation=getUserRole', { headers: { 'X-Mock-Sandbox': 'mine' } })).text
  )
  expect(requests).toHaveLength(1)
})

test('a second run keeps foreign files in the folder mock', async () => {
  writeFileSync(join(root, 'mock/mine.png'), 'mine')
  await writeSite(root, { base: '/', worker: true, mock: { with: [join(root, 'api.json')], tokenCookie: 'session' } })
  expect(readFileSync(join(root, 'mock/mine.png'), 'utf8')).toBe('mine')
  rmSync(join(root, 'mock/mine.png'))
})

test('a folder with a foreign mock folder is refused, and a build with the worker becomes a site', async () => {
  const other = mkdtempSync(join(tmpdir(), 'kcm-public-'))
  writeFileSync(join(other, 'mock'), 'mine')
  for (const name of ['mock', 'mock-worker.js']) {
    rmSync(join(other, 'mock'), { force: true })
    writeFileSync(join(other, name), 'mine')
    await expect(writeSite(other, { base: '/', worker: true, mock: {} })).rejects.toThrow('is not empty')
    expect(readFileSync(join(other, name), 'utf8')).toBe('mine')
  }
  const site = join(other, 'site')
  await writeSite(site, { base: '/', app: root, mock: {} })
  expect(readFileSync(join(site, 'mock/app.html'), 'utf8')).toContain('My page')
})
