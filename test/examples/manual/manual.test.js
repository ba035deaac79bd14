// The programs of the manual, unchanged, with their runners. test/manual.system.ts runs its commands, and test/guide.test.ts what
// its pages run.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'

const made = join(import.meta.dirname, 'made')
const modules = join(import.meta.dirname, '../node_modules')
const mock = join(modules, 'knowledge-chat-mock/dist/main.js')
rmSync(made, { recursive: true, force: true })
after(() => rmSync(made, { recursive: true }))

/** A folder with the files of a page of the manual, and with others. */
function projectOf(page, others = {}, change = (code) => code) {
  const text = readFileSync(join(import.meta.dirname, `../../../docs/${page}.md`), 'utf8')
  const shown = [...text.matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```/gm)].map(([, file, code]) => [file, change(code)])
  for (const [file, code] of [['package.json', '{ "type": "module" }'], ...shown, ...Object.entries(others)]) {
    mkdirSync(dirname(join(made, page, file)), { recursive: true })
    writeFileSync(join(made, page, file), code)
  }
  return join(made, page)
}

// Runners colour what they print where CI is set, or FORCE_COLOR.
const env = { ...process.env, NO_COLOR: '1' }
const runs = (cwd, ...args) => promisify(execFile)(process.execPath, args, { cwd, env })
const jest = join(modules, 'jest/bin/jest.js')
const vitest = join(modules, 'vitest/vitest.mjs')

test('Jest and supertest', async () => {
  const cwd = projectOf('jest', { 'package.json': '{ "type": "commonjs" }' })
  const { stderr } = await runs(cwd, jest, '--rootDir', cwd, 'sessions')
  assert.match(stderr, /Tests: +1 passed/)
})

test('Vitest in parallel', async () => {
  const { stdout } = await runs(projectOf('vitest'), vitest, 'run')
  assert.match(stdout, /Tests +3 passed/)
})

test('Mock Service Worker', async () => {
  const role = `globalThis.roleOf = async (user) => {
  const headers = { Authorization: 'Bearer ' + user }
  const response = await fetch('https://api.example.com/api/get-user-role', { headers })
  return response.ok ? (await response.json()).role : roleOf(user)
}
`
  const config = `export default { test: { globals: true, setupFiles: 'client.js' } }`
  const cwd = projectOf('msw', { 'client.js': role, 'vitest.config.js': config })
  const { stdout } = await runs(cwd, vitest, 'run', 'role')
  assert.match(stdout, /Tests +1 passed/)
})

test('the matchers on answers, in a command of exec', async () => {
  const { stdout } = await runs(projectOf('openapi'), mock, 'exec', '--', 'node', vitest, 'run', '--globals', 'role')
  assert.match(stdout, /Tests +1 passed/)
})

test('a database of a sandbox', async () => {
  const { stdout } = await runs(projectOf('program'), 'add-label.js')
  assert.match(stdout, /^\d+\n$/)
})

/** A front end that shows files, and errors. */
const front = `<!doctype html><link rel="icon" href="data:,"><main></main><script type="module">
const headers = { Authorization: 'Bearer basic' }
const main = document.querySelector('main')
const words = { PROCESSING: 'Processing', FAILED: 'Failed' }
const show = async () => {
  const response = await fetch('http://localhost:4010/api/user/projects/', { headers })
  if (!response.ok) main.innerHTML = '<p role="alert">The service is busy.</p>'
  const { rows } = await (await fetch('http://localhost:4010/__mock/state/userFiles?q=contract.pdf', { headers })).json()
  if (rows.length > 0) main.textContent = words[rows[0].status]
  setTimeout(show, 100)
}
show()
</script>`

test('Playwright, with and without a base address', async (t) => {
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(front)).listen(0)
  t.after(() => server.close())
  await once(server, 'listening')
  const origin = `localhost:${server.address().port}`
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  const use = { baseURL: `http://${origin}`, launchOptions: { executablePath, args: ['--no-sandbox'] } }
  const config = {
    'own.config.js': `export default ${JSON.stringify({ testMatch: 'files.spec.js', outputDir: 'out', use })}`
  }
  for (const [page, passed] of [
    ['playwright', /2 passed/],
    ['time', /1 passed/]
  ]) {
    const cwd = projectOf(page, config, (code) => code.replaceAll('localhost:5173', origin))
    const { stdout } = await runs(cwd, join(modules, '@playwright/test/cli.js'), 'test', '-c', 'own.config.js')
    assert.match(stdout, passed)
  }
})
