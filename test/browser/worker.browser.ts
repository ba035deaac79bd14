import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../../src/engine/contract/load.js'
// @ts-expect-error it is JavaScript, for all environments
import { expected } from '../examples/story.mjs'
import { openPage } from './browser.js'
import { type Host, hostFiles } from './files.js'

const own = mkdtempSync(join(tmpdir(), 'kcm-worker-'))
let host: Host

// The files of the package, and a page and a worker of a user.
beforeAll(async () => {
  writeFileSync(
    join(own, 'worker.js'),
    `import { openMock } from '/browser.js'
import { serve } from '/service-worker.js'
serve(() => openMock({ data: 'mine' }), { pages: '/pages' })
`
  )
  writeFileSync(
    join(own, 'failing.js'),
    `addEventListener('install', (event) => event.waitUntil(Promise.reject(new Error('not installed'))))`
  )
  writeFileSync(join(own, 'page.html'), '<!doctype html><title>A page</title><link rel="icon" href="data:,">')
  host = await hostFiles(join(packageRoot(), 'dist'), '/', {
    '/': join(own, 'page.html'),
    '/worker.js': join(own, 'worker.js'),
    '/assets/worker.js': join(own, 'worker.js'),
    '/failing.js': join(own, 'failing.js'),
    '/story.mjs': join(packageRoot(), 'test/examples/story.mjs')
  })
})
afterAll(() => host.close())

test('a page registers a worker that answers it: the ten steps', async () => {
  const page = await openPage(host.origin)
  const result = await page.evaluate(async () => {
    const [{ register }, { story }] = await Promise.all(['/service-worker.js', '/story.mjs'].map((it) => import(it)))
    await register('/worker.js')
    return story(fetch, location.origin)
  })
  expect(result).toEqual(expected)
  for (const [path, text] of [
    ['/__mock/', 'exchanges'],
    ['/docs', 'getUserRole']
  ] as const) {
    await page.goto(host.origin + path)
    await page.getByText(text).first().waitFor()
  }
  expect(host.asked.filter((path) => /^\/(api|__mock|openapi)/.test(path))).toEqual([])
})

test('a state in IndexedDB outlives the page, and one page has it at a time', async () => {
  const page = await openPage(host.origin)
  const names = await page.evaluate(async () => {
    const { openMock } = await import('/browser.js' as string)
    const first = await openMock({ data: 'kept', fixtures: 'empty' })
    const box = first.sandbox('checkout-7')
    box.create('labels', { name: 'kept' })
    box.snapshot('one')
    box.create('labels', { name: 'kept too' })
    await first.reset()
    first.sandbox('other').create('labels', { name: 'of another' })
    // A change by a handle is saved soon after the call; a request waits for it.
    await first.fetch('http://mock/__mock/state/labels', { headers: { 'X-Mock-Sandbox': 'other' } })
    const second = openMock({ data: 'kept', fixtures: 'empty' })
    await first.close()
    const again = await second
    const seen = again.sandbox('other').rows('labels')
    await again.close()
    return seen.map(({ name }: { name: string }) => name)
  })
  expect(names).toEqual(['of another'])
})

test('register rejects if the worker would never answer the page: below another path, or not installed', async () => {
  const page = await openPage(host.origin)
  const errors = await page.evaluate(async () => {
    const { register } = await import('/service-worker.js' as string)
    return Promise.all(['/assets/worker.js', '/failing.js'].map((it) => register(it).catch(String)))
  })
  expect(errors).toEqual([
    `Error: The worker answers pages below ${host.origin}/assets/, and this page is ${host.origin}/. Put the worker's script in the folder of the page, or in one above it.`,
    'Error: The worker could not be installed. The console of the browser says why.'
  ])
})

test('openMock reports a browser without storage, and a static site keeps its state in memory there', async () => {
  const page = await openPage(host.origin)
  const result = await page.evaluate(async () => {
    const { openMock, openSite } = await import('/browser.js' as string)
    const replies: unknown[] = []
    const full = () => {
      const request: { error?: Error; onerror?: () => void } = {}
      setTimeout(() => {
        request.error = new DOMException('', 'QuotaExceededError')
        request.onerror?.()
      })
      return request
    }
    const denied = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    for (const value of [undefined, { open: denied, deleteDatabase: denied }, { open: full, deleteDatabase: full }]) {
      Object.defineProperty(globalThis, 'indexedDB', { value, configurable: true })
      const message = await openMock({ data: 'x' }).catch((error: Error) => error.message)
      const site = await openSite({ options: { data: 'x' }, mount: '', files: {}, modules: {}, packages: {} })
      const response = await site.fetch('http://mock/api/get-user-role', { headers: { Authorization: 'Bearer admin' } })
      replies.push([message, response.status])
    }
    return replies
  })
  const text = (reason: string) => expect.stringMatching(new RegExp(`^The browser keeps no state here \\(${reason}\\)`))
  expect(result).toEqual([
    [text('.*open.*'), 200],
    [text('denied'), 200],
    [text('it has no room left'), 200]
  ])
})

test('a worker that cannot start reports why', async () => {
  writeFileSync(
    join(own, 'worker.js'),
    `import { createMock } from '/browser.js'
import { serve } from '/service-worker.js'
serve(async () => createMock({ fixtures: 'dmeo' }))
`
  )
  const page = await openPage(host.origin)
  const answer = await page.evaluate(async () => {
    const { register } = await import('/service-worker.js' as string)
    await register('/worker.js')
    const response = await fetch('/api/get-user-role')
    return [response.status, await response.text()]
  })
  expect(answer).toEqual([500, expect.stringContaining('The mock cannot start: fixtures is dmeo: give one of')])
})
