import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { packageRoot } from '../../src/engine/contract/load.js'
// @ts-expect-error it is JavaScript, for all environments
import { expected } from '../examples/story.mjs'
import { openPage } from './browser.js'

const dist = join(packageRoot(), 'dist')
const types: Record<string, string> = { '.js': 'text/javascript', '.mjs': 'text/javascript' }
const files: Record<string, string> = {
  '/browser.js': join(dist, 'browser.js'),
  '/story.mjs': join(packageRoot(), 'test/examples/story.mjs')
}

// A page that may only run scripts from its origin.
const server = createServer(({ url = '' }, response) => {
  const file = files[url]
  response.setHeader(
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:"
  )
  response.setHeader('Content-Type', file ? (types[extname(file)] as string) : 'text/html')
  response.end(file ? readFileSync(file) : '<!doctype html><title>A page</title><link rel="icon" href="data:,">')
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => server.close(resolve)))

const open = (): Promise<Page> => openPage(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)

test('a page that allows only its own scripts has the whole mock: the ten steps', async () => {
  const page = await open()
  const result = await page.evaluate(async () => {
    const [{ createMock }, { story }] = await Promise.all(['/browser.js', '/story.mjs'].map((it) => import(it)))
    return story(createMock().fetch, 'http://mock.example')
  })
  expect(result).toEqual(expected)
})

test('handles of sandboxes work in a page, also with choices that the build has not compiled', async () => {
  const page = await open()
  const result = await page.evaluate(async () => {
    const { createMock } = await import('/browser.js' as string)
    const mock = createMock({ fixtures: 'demo', profile: 'observed' })
    const box = mock.sandbox('checkout-7')
    box.assume({ 'delete.body': '204' })
    const [file] = box.create('userFiles', 'failed', { name: 'report.pdf' }, 2)
    await box.play('first-day')
    const answer = await mock.fetch('http://mock/api/persona/x', {
      headers: { Authorization: `Bearer ${box.token('basic')}` }
    })
    let message = ''
    try {
      createMock({ fixtures: 'dmeo' })
    } catch (error) {
      message = (error as Error).message
    }
    return [file.status, answer.status, box.coverage().operations.length > 0, message]
  })
  expect(result).toEqual(['FAILED', 422, true, expect.stringContaining('one of empty, demo, large, awkward')])
})

test('the module is at most 285 kB with all contracts and fixtures, without code made from texts', () => {
  const bundle = readFileSync(join(dist, 'browser.js'))
  expect(gzipSync(bundle, { level: 9 }).length).toBeLessThan(285_000)
  expect(bundle.toString()).not.toMatch(/\beval\(|new Function\(|from\s*["']node:/)
})
