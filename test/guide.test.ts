import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../src/engine/contract/load.js'
import { find } from '../src/guide/search.js'
import { documents } from './documents.js'
import { examplesIn, missingIn, outputOf } from './guide.js'
import { startTestMock } from './mock.js'

const manual = [...documents].filter(([path]) => path.startsWith('docs/'))
const built = join(packageRoot(), 'dist/pages/guide')
const pages = new Map(
  readdirSync(built)
    .filter((name) => name.endsWith('.html'))
    .map((name) => [name, readFileSync(join(built, name), 'utf8')])
)

test.each(manual.filter(([, text]) => examplesIn(text).length > 0))(
  'each example of %s has the output that it shows',
  async (_, text) => {
    for (const example of examplesIn(text)) {
      const { code, output = 'This example shows no output.' } = example
      expect([code, missingIn(await outputOf(example), output)]).toEqual([code, undefined])
    }
  }
)

test('an output that lacks a line, or has it too early, is noticed', () => {
  expect(missingIn('200 OK\n{"a":1}\n', '200 OK\n{"a":…}')).toBeUndefined()
  expect(missingIn('200 OK\n{"a":1}\n', '200 OK\n{"b":1}')).toBe('{"b":1}')
  expect(missingIn('one\ntwo\n', 'two\none')).toBe('one')
})

test('each document is a page, in the contents of all, and each link leads to a page and to a heading of it', () => {
  expect([...pages.keys()].sort()).toEqual(
    manual
      .map(([path]) =>
        path.replace(/^docs\/(README)?/, (_, isHome) => (isHome ? 'index' : '')).replace(/\.md$/, '.html')
      )
      .sort()
  )
  for (const [name, html] of pages) {
    const links = [...html.matchAll(/href="(?!https?:|\.\/[\w-]+\.(?:css|svg))([^"#]*)(?:#([^"]*))?"/g)]
    for (const [link, page = '', id] of links) {
      const target = pages.get(page === '' ? name : page)
      const isThere = target !== undefined && (id === undefined || target.includes(` id="${id}"`))
      expect([name, link, isThere]).toEqual([name, link, true])
    }
    const missing = [...pages.keys()].filter((page) => !html.includes(`href="${page}"`))
    expect([name, missing]).toEqual([name, []])
  }
})

test('the mock serves the manual without the control API too, with its Markdown and a list for agents', async () => {
  const mock = await startTestMock({ control: 'off' })
  const { status, headers } = await mock.call('GET', '/guide', { as: null })
  expect([status, headers.get('location')]).toEqual([302, '/guide/'])
  for (const [path, type] of [
    ['/guide/', 'text/html; charset=utf-8'],
    ['/guide/index.html', 'text/html; charset=utf-8'],
    ['/guide/start.html', 'text/html; charset=utf-8'],
    ['/guide/guide.js', 'text/javascript; charset=utf-8'],
    ['/guide/browser.js', 'text/javascript; charset=utf-8'],
    ['/guide/search.json', 'application/json'],
    ['/llms.txt', 'text/plain; charset=utf-8']
  ]) {
    const answer = await mock.call('GET', path as string, { as: null })
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, type])
  }
  const { text } = await mock.call('GET', '/llms.txt', { as: null })
  const links = [...text.matchAll(/\]\((.+?)\)/g)].map(([, link]) => `/${link}`)
  expect(links).toHaveLength(manual.length - 1)
  for (const link of links) {
    const answer = await mock.call('GET', link, { as: null })
    expect([link, answer.status, answer.text.startsWith('# ')]).toEqual([link, 200, true])
  }
})

test('a mock in a browser has no pages, and answers so', async () => {
  const { createMock } = await import(join(built, 'browser.js'))
  const mock = createMock()
  for (const path of ['/guide/', '/llms.txt', '/docs', '/__mock/', '/nothing']) {
    const { status } = await mock.fetch(`http://mock${path}`)
    expect([path, status]).toEqual([path, 404])
  }
  await mock.close()
})

test('the list for agents in the package names the files of the package', () => {
  const list = readFileSync(join(packageRoot(), 'llms.txt'), 'utf8')
  const links = [...list.matchAll(/\]\((.+?)\)/g)].map(([, link]) => link)
  expect(links.sort()).toEqual(
    manual
      .map(([path]) => path)
      .filter((path) => path !== 'docs/README.md')
      .sort()
  )
})

/** What people type, as words or as a question, and the pages that answer it. */
const questions: Record<string, string> = {
  msw: 'msw.html',
  storybook: 'storybook.html',
  cypress: 'cypress.html',
  'export scenario': 'scenarios.html',
  capsule: 'scenarios.html',
  'github actions': 'ci.html',
  'freeze time': 'time.html',
  'start empty': 'rows.html',
  'fail second call': 'fail.html',
  'slow network': 'fail.html',
  cookie: 'sign-in.html',
  admin: 'sign-in.html',
  'upload file': 'files.html',
  'poll file': 'files.html',
  'reset between tests': 'rows.html',
  parallel: 'vitest.html',
  'own endpoint': 'own-endpoints.html',
  openapi: 'openapi.html',
  'change assumption': 'assumptions.html',
  'real service': 'verify.html',
  har: 'journal.html',
  'demo visitors': 'demo.html',
  offline: 'demo.html',
  docker: 'docker.html',
  pytest: 'languages.html',
  'keep state': 'state.html',
  'other api': 'any-api.html',
  stream: 'streams.html',
  unknown: 'troubleshooting.html',
  'How do I use it with MSW?': 'msw.html',
  'export what happened as a capsule': 'scenarios.html',
  'run my tests in GitHub Actions': 'ci.html',
  'How can I freeze the time in Playwright?': 'time.html',
  'start with no data': 'rows.html',
  'How do I make the second call fail?': 'fail.html',
  'point verify at staging': 'verify.html',
  'a demo for my visitors': 'demo.html',
  'use it from Python': 'languages.html',
  'port already in use': 'troubleshooting.html',
  'Which tokens are there?': 'sign-in.html',
  'my file stays in processing': 'files.html',
  'adopt my OpenAPI document': 'front-end.html',
  'Why do I get a 422?': 'troubleshooting.html',
  'CORS error': 'troubleshooting.html',
  'keep the data after a restart': 'state.html',
  'server-sent events': 'streams.html',
  'types for TypeScript': 'openapi.html',
  'What does createMock return?': 'program.html',
  'undo in the dashboard': 'dashboard.html',
  'environment variables': 'options.html',
  'Next.js': 'front-end.html',
  'journal of requests': 'journal.html',
  'share state with a colleague': 'scenarios.html',
  WebSocket: 'troubleshooting.html',
  kubernetes: 'docker.html'
}

test.each(Object.entries(questions))('who looks for "%s" finds %s among the first three', (query, page) => {
  const sections = JSON.parse(readFileSync(join(built, 'search.json'), 'utf8'))
  const found = find(sections, query)
  expect(found.slice(0, 3).map((it) => it.page)).toContain(page)
  expect(find(sections, 'zyzzyva')).toEqual([])
})
