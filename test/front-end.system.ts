import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packageRoot } from '../src/engine/contract/load.js'
import { ended, ready, startIn } from './cli.js'
import { documents, documentWith } from './documents.js'
import { call, startTestMock } from './mock.js'

const page = documents.get('docs/front-end.md') as string
/** The code that the page shows in a language. */
const shown = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}(?: file=.*)?\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code]) =>
    (code as string).replaceAll('\\\n ', '').trim()
  )
const ok = (schema: object) => ({
  responses: { 200: { description: 'ok', content: { 'application/json': { schema } } } }
})

/** The starting point of a team: a service with its document. */
const document = {
  openapi: '3.1.0',
  info: { title: 'Service', version: '1' },
  paths: {
    '/api/notes': { get: ok({ type: 'array', items: { type: 'string' } }) },
    '/auth/login': {
      post: {
        operationId: 'login',
        requestBody: {
          content: { 'application/json': { schema: { type: 'object', properties: { email: { type: 'string' } } } } }
        },
        ...ok({ type: 'object' })
      }
    }
  }
}
const service = createServer(({ url }, response) =>
  response
    .setHeader('Content-Type', 'application/json')
    .end(JSON.stringify(url === '/openapi.json' ? document : { from: 'the service' }))
)
const folder = mkdtempSync(join(tmpdir(), 'kcm-front-end-'))
let origin: string

beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
})

afterAll(() => {
  service.close()
})

const shell = async (command: string) => (await promisify(execFile)('bash', ['-c', `cd ${folder}; ${command}`])).stdout

test('the steps for a front end lead from the document of its service to a mock of it, and to the service itself', async () => {
  const [, steps, fallback] = shown('sh').map((it) => it.replaceAll('http://127.0.0.1:8000', origin)) as [
    string,
    string,
    string
  ]
  const [download, adopt, serve] = steps.split('\n') as [string, string, string]
  const [look] = /curl '.*unmatched=true'/.exec(page) as unknown as [string]
  const command = (text: string) =>
    text.replace('npx knowledge-chat-mock', join(packageRoot(), 'dist/main.js')).split(/ +/)
  const serving = async (text: string, work: (url: string) => Promise<void>) => {
    const child = startIn(folder, [...command(text), '--port', '0'], {})
    const done = ended(child)
    await work(await ready(child)).finally(() => child.kill())
    expect((await done).code).toBe(0)
  }
  await shell(download)
  expect((await ended(startIn(folder, command(adopt), {}))).code).toBe(0)
  await serving(serve, async (url) => {
    expect((await call(url, 'GET', '/api/notes', { as: null })).status).toBe(200)
    expect((await call(url, 'GET', '/api/get-user-role', { as: null })).body).toEqual({ role: 'basic' })
    const [link] = /\/__mock\/enter\S*/.exec(page) as unknown as [string]
    const entered = await fetch(url + link, { redirect: 'manual' })
    const Cookie = entered.headers.get('set-cookie')?.split(';')[0] as string
    expect([entered.status, Cookie]).toEqual([303, 'session=admin~mine'])
    const role = await fetch(`${url}/api/get-user-role`, { headers: { Cookie } })
    expect(await role.json()).toEqual({ role: 'admin' })
    expect((await call(url, 'GET', '/api/note', { as: null })).status).toBe(404)
    const { requests } = JSON.parse(await shell(look.replace('http://127.0.0.1:4010', url)))
    expect(requests).toMatchObject([
      { url: '/api/note', near_misses: expect.any(Array), suggestions: expect.any(Array) }
    ])
    expect(requests[0].near_misses[0].path).toBe('/api/notes')
  })
  await serving(fallback, async (url) => {
    expect((await call(url, 'GET', '/api/note', { as: null })).body).toEqual({ from: 'the service' })
    expect((await call(url, 'GET', '/api/notes', { as: null })).body).not.toEqual({ from: 'the service' })
  })
})

test('the settings for Vite are those of the example, and those for Next lead to the mock', async () => {
  const [vite, next] = shown('js') as [string, string]
  const config = readFileSync(join(packageRoot(), 'test/examples/front-end/vite.config.js'), 'utf8')
  for (const line of vite.split('\n')) expect([line, config.includes(line)]).toEqual([line, true])
  const { default: settings } = await import(`data:text/javascript,${encodeURIComponent(next)}`)
  expect(await settings.rewrites()).toContainEqual({
    source: '/auth/:rest*',
    destination: 'http://127.0.0.1:4010/auth/:rest*'
  })
})

test('the sign-in in the document of user endpoints keeps a browser in its sandbox', async () => {
  const [, rule] = /```js\n(export function login[\s\S]*?)```/.exec(
    documentWith('## A sign-in of your own')
  ) as unknown as [string, string]
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
  writeFileSync(join(folder, 'rules.mjs'), rule)
  const mock = await startTestMock({ with: [folder], tokenCookie: 'session', anonymous: 'basic' })
  const signIn = (email: string) =>
    fetch(`${mock.url}/auth/login`, {
      method: 'POST',
      headers: { Cookie: 'session=basic~mine', 'Content-Type': 'application/json' },
      body: JSON.stringify({ email })
    })
  const answer = await signIn('ada@example.com')
  expect(answer.headers.get('set-cookie')).toMatch(/^session=admin~mine;/)
  expect((await signIn('nobody@example.com')).status).toBe(401)
})
