import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import express from 'express'
import request from 'supertest'
import { createMock } from '../src/doors/program/mock.js'
import { packageRoot } from '../src/engine/contract/load.js'
import { startTestMock } from './mock.js'

const mock = await startTestMock()
const html = /^text\/html/

test('the root redirects to the dashboard', async () => {
  const { status, headers } = await mock.call('GET', '/', { as: null })
  expect([status, headers.get('location')]).toEqual([302, '/__mock/'])
  expect((await mock.call('GET', '/__mock')).headers.get('location')).toBe('/__mock/')
  expect((await mock.call('GET', '/docs/')).headers.get('location')).toBe('/docs')
})

test.each([
  ['/__mock/', html],
  ['/__mock/assets/dashboard.js', /javascript/],
  ['/__mock/assets/dashboard.css', /^text\/css/],
  ['/docs', html],
  ['/docs/dashboard.js', /javascript/]
])('%s is served to everyone, and may load and send nothing elsewhere', async (path, type) => {
  const { status, headers } = await mock.call('GET', path, { as: null })
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(type)
  const policy = headers.get('content-security-policy') as string
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
  )
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).toEqual(['nosniff', 'no-referrer'])
})

test('pages are not in the journal', async () => {
  await mock.reset()
  for (const path of ['/', '/__mock/', '/__mock/assets/dashboard.js', '/docs']) await mock.call('GET', path)
  expect(mock.sandbox.journal.size).toBe(0)
})

test.each(['/__mock/assets/', '/__mock/assets/none.js', '/__mock/assets/%2e%2e/%2e%2e/main.js', '/docs/none.js'])(
  '%s is not a page',
  async (path) => {
    expect((await mock.call('GET', path)).status).toBe(404)
  }
)

test('an unknown host gets no page', async () => {
  for (const path of ['/', '/__mock/', '/docs']) {
    const { status } = await request(mock.app).get(path).set('Host', 'elsewhere.example')
    expect([path, status]).toEqual([path, 403])
  }
})

test('the explorer exists without the control API, and the dashboard does not', async () => {
  const closed = await startTestMock({ control: 'off' })
  expect((await closed.call('GET', '/')).headers.get('location')).toBe('/docs')
  expect((await closed.call('GET', '/docs')).text).toContain('data-control="off"')
  expect((await closed.call('GET', '/docs/dashboard.js')).status).toBe(200)
  const unknown = (await closed.call('GET', '/nothing')).body
  for (const path of ['/__mock', '/__mock/', '/__mock/assets/dashboard.js']) {
    const { status, body } = await closed.call('GET', path)
    expect([path, status, body]).toEqual([path, 404, unknown])
  }
})

test('the pages work if another app mounts the mock', async () => {
  const app = express().use('/mock', createMock({ fixtures: 'empty' }).app)
  await request(app).get('/mock/').expect(302).expect('Location', '/mock/__mock/')
  for (const page of ['/mock/__mock/', '/mock/docs']) {
    const { text } = await request(app).get(page).expect(200)
    const files = [...text.matchAll(/(?:src|href)="([^"#]+\.(?:js|css|svg))"/g)].map(([, file]) => file as string)
    expect(files.length).toBeGreaterThan(2)
    for (const file of files)
      await request(app)
        .get(new URL(file, `http://mock${page}`).pathname)
        .expect(200)
  }
})

test('the dashboard loads at most 100 kB, compressed', () => {
  const folder = join(packageRoot(), 'dist/pages/dashboard')
  const files = readdirSync(folder)
  const sizes = files.map((name) => gzipSync(readFileSync(join(folder, name))).length)
  expect(sizes.reduce((a, b) => a + b)).toBeLessThanOrEqual(100_000)
})

test('scripts and styles are compressed for clients that accept it, and each form has its own tag', async () => {
  const address = new URL('/docs/dashboard.css', mock.url)
  const asked = async (encoding: string, tag = '""') => {
    const answer = await request(mock.url)
      .get(address.pathname)
      .set({ 'Accept-Encoding': encoding, 'If-None-Match': tag })
    const { 'content-encoding': sent, 'content-length': length, vary, etag } = answer.headers
    return { status: answer.status, sent, length: Number(length), vary, etag }
  }
  const plain = await asked('deflate, br')
  const compressed = await asked('gzip, deflate')
  expect(plain).toMatchObject({ status: 200, sent: undefined, vary: 'Accept-Encoding' })
  expect(compressed).toMatchObject({ status: 200, sent: 'gzip', vary: 'Accept-Encoding' })
  expect(compressed.length).toBeLessThan(plain.length / 3)
  expect((await asked('gzip', compressed.etag)).status).toBe(304)
  expect((await asked('gzip', plain.etag)).status).toBe(200)
  expect(await (await fetch(address, { headers: { 'Accept-Encoding': 'gzip' } })).text()).toBe(
    readFileSync(join(packageRoot(), 'dist/pages/dashboard/dashboard.css'), 'utf8')
  )
})
