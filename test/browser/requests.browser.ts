import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packageRoot } from '../../src/contract/load.js'
import { startTestMock } from '../mock.js'
import { copied, openPage, until } from './browser.js'

const run = promisify(execFile)
const mock = await startTestMock()
const dashboard = `${mock.url}/__mock/`
const mistake = { num_chunks: 'many', starter_messages: [{ name: 'Hello' }], bogus: 1 }

beforeEach(() => mock.reset())

async function last(): Promise<{ id: string; method: string; url: string; status: number; operation: string }> {
  return (await mock.call('GET', '/__mock/requests?limit=1')).body.requests[0]
}

test('exchanges come into the list while one looks, newest first', async () => {
  const page = await openPage(dashboard)
  await page.getByText('0 exchanges').waitFor()
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/get-user-role')
  await page.getByText('2 exchanges').waitFor()
  const rows = page.getByRole('table', { name: 'Exchanges' }).getByRole('row')
  expect(await rows.nth(1).textContent()).toContain('/api/get-user-role')
  expect(await rows.nth(2).textContent()).toContain('getPersona')
})

test('a paused list stays as it is until one goes on', async () => {
  const page = await openPage(dashboard)
  await page.getByText('0 exchanges').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await mock.call('GET', '/api/persona/1')
  await page.getByText('0 exchanges, paused').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('1 exchange', { exact: true }).waitFor()
})

test('filters show what they say, and stand in the address', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/persona/999')
  await mock.call('GET', '/api/chat/search?query=plan&bogus=1')
  await mock.call('GET', '/api/nonsense')
  const page = await openPage(dashboard)
  // What was shown before stays until the answer is there.
  const shows = async (expected: string[]) => {
    const links = page.getByRole('table').getByRole('link')
    const texts = await until(
      () => links.allTextContents(),
      (found) => found.join() === expected.join()
    )
    expect(texts).toEqual(expected)
  }
  const [unknown, search, missing, found] = [
    'GET /api/nonsense',
    'GET /api/chat/search?query=plan&bogus=1',
    'GET /api/persona/999',
    'GET /api/persona/1'
  ] as const
  await shows([unknown, search, missing, found])
  await page.getByRole('combobox', { name: 'Status' }).selectOption('4xx')
  await shows([unknown, missing])
  await page.getByLabel('No operation').check()
  await shows([unknown])
  await page.goto(`${dashboard}#/default/requests?violations=true`)
  await shows([search])
  await page.getByLabel('With violations').uncheck()
  await page.getByRole('combobox', { name: 'Operation' }).selectOption('getPersona')
  await shows([missing, found])
  await page.getByLabel('Method or URL').fill('999')
  await shows([missing])
  expect(new URL(page.url()).hash).toBe('#/default/requests?operation=getPersona&q=999')
})

test('filters that are changed in one go are all changed', async () => {
  const page = await openPage(`${dashboard}#/default/requests?violations=true&unmatched=true`)
  await page.getByLabel('No operation').waitFor()
  await page.evaluate(() => {
    for (const box of document.querySelectorAll<HTMLInputElement>('input[type=checkbox]')) box.click()
  })
  await until(
    () => new URL(page.url()).hash,
    (hash) => hash === '#/default/requests'
  )
  expect(new URL(page.url()).hash).toBe('#/default/requests')
})

test('one exchange is shown in full, with the wrong places marked in the body', async () => {
  await mock.call('PATCH', '/api/persona/1?odd=1', { body: mistake })
  const page = await openPage(dashboard)
  await page.getByRole('link', { name: 'PATCH /api/persona/1' }).click()
  const body = page.getByRole('region', { name: 'Body of the request' })
  await body.waitFor()
  const marked = await body.locator('.offending').allTextContents()
  expect(marked.map((text) => text.trim().replace(/\s+/g, ' '))).toEqual([
    expect.stringMatching(/^"num_chunks": "many",.*valid integer$/),
    expect.stringMatching(/^\{.*message: Field required$/),
    expect.stringMatching(/^"bogus": 1.*not in the contract$/)
  ])
  const exchange = page.getByRole('region', { name: 'Exchange' })
  expect(await exchange.getByText('is not in the contract').count()).toBeGreaterThan(2)
  const facts = (await exchange.locator('dl.facts').first().textContent()) as string
  expect(facts).toContain('422')
  expect(facts).toContain('updatePersona')
  expect(facts).toContain('not reached')
  expect(await exchange.getByRole('link', { name: 'requests.unknown-fields' }).count()).toBe(1)
})

test('rows that were read and written lead to the state', async () => {
  await mock.call('POST', '/api/chat/create-chat-session', { body: { description: 'Plan the offsite' } })
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  await page
    .getByRole('region', { name: 'How it came about' })
    .getByRole('link', { name: /^chatSessions/ })
    .click()
  await page.getByRole('region', { name: 'chatSessions' }).getByText('Plan the offsite').waitFor()
})

test('the curl that is copied makes the same request again', async () => {
  await mock.call('POST', '/api/chat/create-chat-session', { as: 'basic', body: { description: "It's a plan" } })
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await page.getByText('Copied curl.').waitFor()
  await run('bash', ['-c', `${await copied(page)} --silent`])
  expect(await last()).toMatchObject({ id: 'r2', operation: 'createChatSession', status: 200 })
  const names = [...mock.sandbox.rows.chatSessions.all()].map(({ name }) => name)
  expect(names.filter((name) => name === "It's a plan")).toHaveLength(2)
})

test('a curl shows nothing that the journal hides', async () => {
  await mock.call('GET', '/api/get-user-role', { as: 'a-secret-token' })
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await page.getByText('Copied curl.').waitFor()
  expect(await copied(page)).toContain('authorization: ***')
  expect(await page.content()).not.toContain('a-secret-token')
})

test('replay sends the request again, in the same sandbox, and shows the new exchange', async () => {
  const page = await openPage(`${dashboard}#/mine/requests`)
  await mock.call('PATCH', '/api/persona/1', { as: 'admin~mine', body: { name: 'Renamed' } })
  await mock.call('PATCH', '/api/persona/1', { as: 'admin~mine', body: { name: 'Otherwise' } })
  await page.getByRole('link', { name: 'PATCH' }).last().click()
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByText('Sent again: 200.').waitFor()
  expect(mock.sandboxNamed('mine').rows.personas.get(1)?.name).toBe('Renamed')
  expect(mock.sandbox.rows.personas.get(1)?.name).not.toBe('Renamed')
  await until(
    () => new URL(page.url()).hash,
    (hash) => hash === '#/mine/requests/r3'
  )
  expect(new URL(page.url()).hash).toBe('#/mine/requests/r3')
})

test('an upload is not replayed, and the page says why', async () => {
  const form = new FormData()
  form.append('files', new Blob(['# Handbook']), 'handbook.md')
  await mock.call('POST', '/api/manage/admin/connector/file/upload', { form })
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  await page.getByText('cannot be replayed').waitFor()
  expect(await page.getByRole('button', { name: 'Replay' }).isDisabled()).toBe(true)
})

test('an override is made of an exchange', async () => {
  await mock.call('GET', '/api/persona/1')
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  await page.getByRole('link', { name: 'Make an override of this' }).click()
  await page.getByLabel('Path: persona_id').waitFor()
  await page.getByLabel('Status').fill('404')
  await page.getByLabel('Body (JSON)', { exact: true }).fill('{"detail": "Gone"}')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('Override o1 was added.').waitFor()
  const { overrides } = (await mock.call('GET', '/__mock/overrides')).body
  expect(overrides).toEqual([
    {
      id: 'o1',
      operation: 'getPersona',
      match: { path: { persona_id: '1' } },
      status: 404,
      body: { detail: 'Gone' },
      used: 0
    }
  ])
})

test('the test that is copied passes on a fresh mock', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('PATCH', '/api/persona/1', { body: mistake })
  const project = mkdtempSync(join(tmpdir(), 'kcm-copied-'))
  try {
    mkdirSync(join(project, 'node_modules'))
    symlinkSync(packageRoot(), join(project, 'node_modules/knowledge-chat-mock'))
    for (const id of ['r1', 'r2']) {
      const page = await openPage(`${dashboard}#/default/requests/${id}`)
      await page.getByRole('button', { name: 'Copy as test' }).click()
      await page.getByText('Copied test.').waitFor()
      writeFileSync(join(project, `${id}.test.mjs`), await copied(page))
    }
    const jest = join(packageRoot(), 'node_modules/jest/bin/jest.js')
    const settings = ['--rootDir', project, '--testMatch', '**/*.test.mjs', '--transform', '{}', '--config', '{}']
    const env = { ...process.env, NODE_OPTIONS: '--experimental-vm-modules' }
    const { stderr } = await run(process.execPath, [jest, ...settings], { cwd: project, env, timeout: 50_000 })
    expect(stderr).toContain('2 passed')
  } finally {
    rmSync(project, { recursive: true })
  }
})

test('a path that nobody knows is shown with the operations near it', async () => {
  await mock.call('GET', '/api/persona/1/detail')
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  await page.getByText('Did you mean').waitFor()
  await page.getByRole('region', { name: 'Checks' }).getByText('/api/persona/{persona_id}').first().waitFor()
})

test('an emptied journal is empty', async () => {
  await mock.call('GET', '/api/persona/1')
  const page = await openPage(dashboard)
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('0 exchanges').waitFor()
  expect((await mock.call('GET', '/__mock/requests')).body.total).toBe(0)
})
