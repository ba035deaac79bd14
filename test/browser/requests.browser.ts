import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Contract } from '../../src/engine/contract/contract.js'
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

test('new exchanges appear in the list, newest first', async () => {
  const page = await openPage(dashboard)
  await page.getByText('0 exchanges').waitFor()
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/get-user-role')
  await page.getByText('2 exchanges').waitFor()
  const rows = page.getByRole('table', { name: 'Exchanges' }).getByRole('row')
  expect(await rows.nth(1).textContent()).toContain('/api/get-user-role')
  expect(await rows.nth(2).textContent()).toContain('getPersona')
})

test('the exchange in the address is scrolled into view', async () => {
  for (let at = 0; at < 100; at++) await mock.call('GET', '/api/get-user-role')
  const page = await openPage(`${dashboard}#/default/requests/r5`)
  const isVisible = (id: string) =>
    page.locator(`tr[data-id=${id}]`).evaluate((it) => {
      const [own, list] = [it.getBoundingClientRect(), (it.parentElement as Element).getBoundingClientRect()]
      return own.top >= list.top && own.bottom <= list.bottom + 1
    })
  expect(await until(() => isVisible('r5'), Boolean)).toBe(true)
  for (const id of ['r95', 'r9']) {
    await page.evaluate((id) => location.assign(`#/default/requests/${id}`), id)
    await page.locator(`tr.chosen[data-id=${id}]`).waitFor()
    expect(await until(() => isVisible(id), Boolean)).toBe(true)
  }
})

test('an answer that breaks the contract is red, also with the status 200', async () => {
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'getUserRole', times: 1, body: { role: 'king' } } })
  for (let at = 0; at < 2; at++) expect((await mock.call('GET', '/api/get-user-role')).status).toBe(200)
  const page = await openPage(dashboard)
  const tone = (id: string) => page.locator(`tr[data-id=${id}] .status`).getAttribute('class')
  expect([await tone('r1'), await tone('r2')]).toEqual(['status bad', 'status good'])
})

test('a paused list stays unchanged until it is resumed', async () => {
  const page = await openPage(dashboard)
  await page.getByText('0 exchanges').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await mock.call('GET', '/api/persona/1')
  await page.getByRole('button', { name: '1 new' }).waitFor()
  expect(await page.getByText('0 exchanges, paused').count()).toBe(1)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('1 exchange', { exact: true }).waitFor()
})

test('a query is edited with keys only, filters the list, and is in the address', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/persona/999', { as: 'basic' })
  await mock.call('GET', '/api/chat/search?query=plan&bogus=1')
  await mock.call('POST', '/api/chat/create-chat-session', { body: { description: 'Zebra' } })
  await mock.call('GET', '/api/nonsense')
  const page = await openPage(dashboard)
  await page.getByText('5 exchanges').waitFor()
  // The earlier list stays until the answer arrives.
  const shows = async (query: string, expected: string[]) => {
    await page.keyboard.press('/')
    await page.keyboard.press('Control+a')
    await page.keyboard.type(query)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.waitForFunction(
      (texts) => [...document.querySelectorAll('table a')].map((link) => link.textContent).join() === texts,
      expected.join()
    )
  }
  const [unknown, made, search, missing, found] = [
    'GET /api/nonsense',
    'POST /api/chat/create-chat-session',
    'GET /api/chat/search?query=plan&bogus=1',
    'GET /api/persona/999',
    'GET /api/persona/1'
  ] as const
  await shows('', [unknown, made, search, missing, found])
  await shows('status:4xx', [unknown, missing])
  await shows('status:4xx unmatched:true', [unknown])
  await shows('violations:true', [search])
  await shows('op:getPersona', [missing, found])
  await shows('user:basic', [missing])
  await shows('assumed:requests.unknown-fields', [search])
  await shows('changed:chatSessions', [made])
  await shows('body:zebra', [made])
  await shows('GET persona/', [missing, found])
  await shows('persona', [search, missing, found])
  await shows('op:getPersona 999', [missing])
  expect(new URL(page.url()).hash).toBe('#/default/requests?q=op%3AgetPersona+999')
})

test('a mistake in a query is marked, with the good values', async () => {
  await mock.call('GET', '/api/persona/1')
  const page = await openPage(`${dashboard}#/default/requests?q=colour:red`)
  await page.getByText('There is no field "colour". Fields: status, method,').first().waitFor()
  await page.keyboard.press('/')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('op:getPersonas ')
  await page.getByText('There is no operation "getPersonas". Did you mean getPersona?').first().waitFor()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('-assumed:errors.missing ')
  await page.getByText('1 exchange', { exact: true }).waitFor()
})

test('a wrong term has an error of one line, and the others count', async () => {
  for (const id of [1, 2]) await mock.call('GET', `/api/persona/${id}`)
  await mock.call('DELETE', '/api/persona/999')
  const page = await openPage(`${dashboard}#/default/requests?q=${encodeURIComponent('status:200 method:!GET')}`)
  await page.getByText('2 exchanges').waitFor()
  const error = page.locator('.query .error')
  expect(await error.textContent()).toBe('"method:!GET" is not valid. To exclude a value, write -method:GET.')
  for (const term of ['source:rules', 'status:200,many', 'op:getPersona,getPersonas']) {
    await page.goto(`${dashboard}#/default/requests?q=${encodeURIComponent(`method:GET ${term}`)}`)
    await page
      .getByRole('button', { name: `Edit ${term}` })
      .and(page.locator('[aria-invalid]'))
      .waitFor()
    await page.getByText('2 exchanges').waitFor()
    expect((await error.boundingBox())?.height).toBeLessThan(24)
  }
  await page.goto(`${dashboard}#/default/requests?q=-method:GET`)
  await page.getByText('1 exchange', { exact: true }).waitFor()
})

test('a query has ranges and milliseconds, and says how alternatives are written', async () => {
  for (const id of [1, 999]) await mock.call('GET', `/api/persona/${id}`)
  const page = await openPage(`${dashboard}#/default/requests?q=status:400..499 took:>=0ms`)
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await page.goto(`${dashboard}#/default/requests?q=status:404 OR status:200`)
  await page.getByText('Alternatives are separated by commas: status:404,503.').waitFor()
})

test('an unknown page, group or order in the address is reported', async () => {
  await mock.call('GET', '/api/persona/1')
  const page = await openPage(`${dashboard}#/default/nonsense`)
  await page.getByRole('heading', { name: 'There is no page “nonsense”' }).waitFor()
  expect(await page.getByRole('grid').count()).toBe(0)
  await page.goto(`${dashboard}#/default/requests?group=colour`)
  await page.getByText('There is no group "colour". Groups: test, user, client, load.').waitFor()
  await page.goto(`${dashboard}#/default/requests?sort=-colour`)
  await page.getByText('Exchanges are not sorted by "-colour". They can be by wall, state,').waitFor()
})

test('the query bar suggests what may follow', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/get-user-role')
  const page = await openPage(dashboard)
  await page.getByText('2 exchanges').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('op:getPers')
  await page.getByRole('option', { name: 'op:getPersona' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await page.keyboard.type('us')
  await page.getByRole('option', { name: /^user:/ }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: 'user:curator' }).waitFor()
  await page.keyboard.type('nob')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByText('0 exchanges').waitFor()
  await page.getByRole('button', { name: 'Edit op:getPersona' }).waitFor()
  await page.getByRole('button', { name: 'Edit user:nobody' }).waitFor()
})

test.each([
  [390, 'none'],
  [1024, 'block'],
  [1440, 'block']
])('at a width of %d, the key of the query bar covers no words, and a phone shows none', async (width, shown) => {
  const page = await openPage(dashboard)
  await page.setViewportSize({ width, height: 800 })
  const bar = page.locator('.query .terms')
  await bar.waitFor()
  const { room, hint } = await bar.evaluate((it) => {
    const { display, position, width } = getComputedStyle(it, '::after')
    const input = it.querySelector('input') as HTMLElement
    const room = it.getBoundingClientRect().right - input.getBoundingClientRect().right
    return { room, hint: { display, position, width: Number.parseFloat(width) || 0 } }
  })
  expect(hint).toMatchObject({ display: shown, position: 'static' })
  expect(room).toBeGreaterThan(hint.width)
})

test('after a finished term, a click goes to the exchange and not to a suggestion', async () => {
  for (let at = 0; at < 20; at++) await mock.call('GET', `/api/persona/${900 + at}`, { as: 'basic' })
  const page = await openPage(dashboard)
  await page.getByText('20 exchanges').waitFor()
  await page.keyboard.press('/')
  const list = page.getByRole('listbox', { name: 'Suggestions' })
  await list.waitFor()
  const lowest = await list.evaluate((it) => it.getBoundingClientRect().bottom)
  const cut = (it: Element, bottom: number) => {
    const { top, bottom: end } = it.getBoundingClientRect()
    return top < bottom && end > bottom
  }
  for (const option of await list.getByRole('option').all()) expect(await option.evaluate(cut, lowest)).toBe(false)
  await page.keyboard.type('status:404 user:basic ')
  await page.locator('tr[data-id=r20] a').click({ timeout: 5000 })
  await page.waitForURL(/requests\/r20\?q=/)
})

test('a term is edited and removed by itself, and is not wrong while it is typed', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/persona/999', { as: 'basic' })
  await mock.call('POST', '/api/chat/create-chat-session', { body: { description: 'Zebra' } })
  const page = await openPage(`${dashboard}#/default/requests?q=op:getPersona%20-user:basic`)
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove -user:basic' }).click()
  await page.getByText('2 exchanges').waitFor()
  await page.keyboard.type('status:4')
  await page.getByText('0 exchanges').waitFor()
  await page.keyboard.type('x')
  await page.getByRole('option', { name: 'status:4xx' }).waitFor()
  expect(await page.getByRole('combobox', { name: 'Filter requests' }).getAttribute('aria-invalid')).toBe(null)
  await page.keyboard.type('x,5xx ')
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await page.keyboard.press('Backspace')
  await page.keyboard.type('took:>60000 ')
  await page.getByText('0 exchanges').waitFor()
  await page.getByRole('button', { name: 'Edit took:>60000' }).click()
  await page.keyboard.type('method:GET,PUT -status:200')
  await page.keyboard.press('Enter')
  await page.getByText('1 exchange', { exact: true }).waitFor()
  const { hash } = new URL(page.url())
  expect(hash).toBe('#/default/requests?q=op%3AgetPersona+method%3AGET%2CPUT+-status%3A200')
  // Escape closes the suggestions, and then gives up the edit.
  await page.getByRole('button', { name: 'Edit method:GET,PUT' }).click()
  await page.keyboard.type('method:DELETE')
  await page.getByText('0 exchanges').waitFor()
  for (const _ of [1, 2]) await page.keyboard.press('Escape')
  await page.getByText('1 exchange', { exact: true }).waitFor()
  expect(new URL(page.url()).hash).toBe(hash)
})

test('one key shows the failures, and a header sorts', async () => {
  for (const id of [3, 999, 1, 998]) await mock.call('GET', `/api/persona/${id}`)
  const page = await openPage(dashboard)
  await page.getByText('4 exchanges').waitFor()
  const urls = () => page.locator('table a bdi').allTextContents()
  await page.getByRole('button', { name: 'Request', exact: true }).click()
  await page.getByRole('columnheader', { name: 'Request' }).and(page.locator('[aria-sort=ascending]')).waitFor()
  expect(await urls()).toEqual(['/api/persona/1', '/api/persona/3', '/api/persona/998', '/api/persona/999'])
  await page.keyboard.press('f')
  await page.getByText('2 exchanges').waitFor()
  expect(await urls()).toEqual(['/api/persona/998', '/api/persona/999'])
  await page.keyboard.press('f')
  await page.getByText('4 exchanges').waitFor()
})

test('exchanges are grouped by the test that sent them, and j and k pass over the titles', async () => {
  for (const [name, id] of Object.entries({ 'signs in': 1, 'signs out': 999 })) {
    await mock.call('GET', `/api/persona/${id}`, { headers: { 'X-Test-Case': name } })
    await mock.call('GET', '/api/get-user-role', { headers: { 'X-Test-Case': name } })
  }
  const page = await openPage(dashboard)
  await page.getByLabel('Group').selectOption('by test')
  await page.getByRole('rowheader', { name: 'signs out 2 exchanges 1 failed' }).waitFor()
  await page.getByRole('rowheader', { name: 'signs in 2 exchanges', exact: true }).waitFor()
  for (const id of ['r4', 'r3', 'r2', 'r1']) {
    await page.keyboard.press('j')
    await page.locator(`tr[data-id=${id}] a:focus`).waitFor()
  }
  await page.keyboard.press('k')
  await page.locator('tr[data-id=r2] a:focus').waitFor()
  await page.keyboard.press('k')
  await page.locator('tr[data-id=r3] a:focus').waitFor()
  await page.getByLabel('Group').selectOption('by user')
  await page.getByRole('rowheader', { name: 'admin 4 exchanges 1 failed' }).waitFor()
})

test('exchanges are grouped by their client, which a query finds', async () => {
  for (const agent of ['curl/8.1.2', 'python-requests/2.31.0', 'curl/8.1.2']) {
    await mock.call('GET', '/api/persona/1', { headers: { 'User-Agent': agent } })
  }
  const page = await openPage(dashboard)
  await page.getByLabel('Group').selectOption('by client')
  await page.getByRole('rowheader', { name: 'curl 8.1 2 exchanges' }).waitFor()
  await page.getByRole('rowheader', { name: 'Python requests 2.31 1 exchange' }).waitFor()
  await page.getByRole('combobox', { name: 'Filter requests' }).fill('client:pyth')
  await page.getByRole('option', { name: 'client:"Python requests 2.31"' }).click()
  await page.getByText('1 exchange', { exact: true }).first().waitFor()
  await page.getByRole('rowheader', { name: 'curl' }).waitFor({ state: 'detached' })
})

test('a request that waits for its answer is on top, until it has it', async () => {
  await mock.call('GET', '/api/get-user-role')
  const page = await openPage(dashboard)
  await page.getByText('1 exchange', { exact: true }).waitFor()
  const delay = { type: 'fixed', milliseconds: 3000 }
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'getPersona', delay, times: 1 } })
  const answer = mock.call('GET', '/api/persona/1')
  const first = page.getByRole('table', { name: 'Exchanges' }).getByRole('row').nth(1)
  await first.getByText('/api/persona/1').waitFor()
  expect(await first.innerText()).toMatch(/wait\s+GET\s+\/api\/persona\/1.*until \d\d:\d\d:\d\d/s)
  // It is not in the journal yet, so the keys pass over it.
  await page.keyboard.press('j')
  await page.locator('tr[data-id=r1] a:focus').waitFor()
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await answer
  await page.getByText('2 exchanges').waitFor()
  await page.locator('.journal .wait').waitFor({ state: 'detached' })
  await page.locator('tr[data-id=r2] .status').getByText('200').waitFor()
})

test('j, k, Enter and Escape go through the exchanges', async () => {
  for (const id of [1, 2, 3]) await mock.call('GET', `/api/persona/${id}`)
  const page = await openPage(dashboard)
  await page.getByText('3 exchanges').waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await page.keyboard.press('j')
  expect(await focused()).toBe('GET /api/persona/3')
  await page.keyboard.press('j')
  expect(await focused()).toBe('GET /api/persona/2')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'GET /api/persona/2' }).waitFor()
  await page.keyboard.press('j')
  await page.getByRole('heading', { name: 'GET /api/persona/1' }).waitFor()
  await page.keyboard.press('k')
  await page.getByRole('heading', { name: 'GET /api/persona/2' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('region', { name: 'Exchange' }).waitFor({ state: 'detached' })
  expect(await focused()).toBe('GET /api/persona/2')
})

test('nothing moves under the pointer: new exchanges wait until it leaves, or until a click', async () => {
  for (let count = 0; count < 60; count++) await mock.call('GET', '/api/persona/1')
  const page = await openPage(dashboard)
  await page.getByText('60 exchanges').waitFor()
  const row = page.getByRole('table').getByRole('row').nth(3)
  await row.hover()
  const [before, place] = [await row.getAttribute('data-id'), await row.boundingBox()]
  await mock.call('GET', '/api/get-user-role')
  await page.getByRole('button', { name: '1 new' }).waitFor()
  const same = page.locator(`[data-id=${before}]`)
  expect(await same.boundingBox()).toEqual(place)
  await page.mouse.move(0, 0)
  await page.getByText('61 exchanges').waitFor()
  await page
    .getByRole('table')
    .getByRole('rowgroup')
    .last()
    .evaluate((box) => box.scrollTo(0, 400))
  // The page notices the scroll in the next frame.
  await page.locator('[data-id=r61]').waitFor({ state: 'detached' })
  await mock.call('GET', '/api/get-user-role')
  await page.getByRole('button', { name: '1 new' }).click()
  await page.getByText('62 exchanges').waitFor()
  expect(await page.locator('.rows').evaluate((box) => box.scrollTop)).toBe(0)
})

test('only the visible rows of ten thousand exchanges are in the page, and the last one can be reached', async () => {
  const large = await startTestMock({ journalEntries: 10_000 })
  const { journal } = large.sandbox
  await large.call('GET', '/api/persona/1')
  const first = journal.find('r1') as NonNullable<ReturnType<typeof journal.find>>
  for (let count = 2; count <= 10_000; count++) {
    journal.add({
      ...first,
      entry: { ...first.entry, id: journal.nextId() },
      url: first.entry.url,
      request: { headers: [], text: '' },
      response: { headers: {}, text: '' },
      form: 'json',
      writes: [],
      contract: {} as Contract,
      operation: undefined
    })
  }
  const page = await openPage(`${large.url}/__mock/`)
  await page.getByText('10,000 exchanges').waitFor()
  expect(await page.getByRole('table').getByRole('row').count()).toBeLessThan(100)
  await page.locator('.rows').evaluate((box) => box.scrollTo(0, box.scrollHeight))
  await page.locator('[data-id=r1]').waitFor()
  expect(await page.getByRole('table').getByRole('row').count()).toBeLessThan(100)
})

test('a mock without requests shows how to begin', async () => {
  const page = await openPage(`${dashboard}#/mine/requests`)
  await page.getByText('Bearer curator~mine').waitFor()
  await page.getByRole('button', { name: 'Copy curl' }).click()
  await page.getByText('Copied curl.').waitFor()
  await run('bash', ['-c', `${await copied(page)} --silent`])
  await page.getByText('1 exchange', { exact: true }).waitFor()
  expect(await page.getByText('Bearer curator~mine').count()).toBe(0)
  await page.goto(`${dashboard}#/default/requests`)
  await page.getByText('--with ./openapi.yaml').waitFor()
  await page.getByRole('button', { name: 'Play first-day' }).press('Enter')
  await page.getByText('first-day was played in default').waitFor()
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
  const checks = page.getByRole('region', { name: 'Checks' })
  await checks.getByText('2 problems:').waitFor()
  await checks.getByText('How many pieces of documents').waitFor()
  expect(await checks.locator('.wrong li').count()).toBe(2)
  expect(await checks.getByText(/is not in the contract$/).allTextContents()).toEqual([
    'query.odd is not in the contract',
    'body.bogus is not in the contract'
  ])
  const exchange = page.getByRole('region', { name: 'Exchange' })
  expect(await exchange.getByRole('region', { name: 'Rule' }).textContent()).toContain('Not reached.')
  expect(await exchange.getByRole('link', { name: 'requests.unknown-fields' }).count()).toBe(1)
})

test('a refusal is explained in one sentence, and rule and source agree', async () => {
  await mock.call('PATCH', '/api/persona/1', { body: { num_chunks: 'many', bogus: 1 } })
  await mock.call('GET', '/api/persona/999')
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  const exchange = page.getByRole('region', { name: 'Exchange' })
  await exchange.getByText('Refused: Input should be a valid integer, in body.num_chunks.').waitFor()
  const rule = exchange.getByRole('region', { name: 'Rule' })
  await rule.getByText('Not reached. The request was refused before it.').waitFor()
  await page.goto(`${dashboard}#/default/requests/r2`)
  await rule.getByText('getPersona Refused as missing').waitFor()
  expect(await page.locator('tr[data-id=r2] .source').textContent()).toBe('rule')
})

test('a refused request is sent again corrected, and then satisfies the contract', async () => {
  await mock.call('PATCH', '/api/persona/1?odd=1', { body: { ...mistake, name: 'Renamed' } })
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  await page.getByRole('button', { name: 'Resend with 4 corrections' }).waitFor()
  await page.keyboard.press('r')
  await page.getByText('Sent corrected: 200.').waitFor()
  await page.getByText('The request matches the contract.').waitFor()
  expect(mock.sandbox.rows.personas.get(1)?.name).toBe('Renamed')
  expect((await mock.call('GET', '/__mock/requests/r2')).body).toMatchObject({ user: 'admin', violations: [] })
})

test('a request that its user may not send is sent as another user', async () => {
  await mock.call('DELETE', '/api/admin/tool/custom/7', { as: 'basic' })
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  await page.getByRole('button', { name: 'Send as admin' }).press('Enter')
  await page.getByText('Sent as admin: 200.').waitFor()
  expect(mock.sandbox.rows.tools.get(7)).toBeUndefined()
})

test('broken JSON is marked, with its place', async () => {
  await mock.call('POST', '/api/chat/create-chat-session', { body: '{"persona_id": 1,}' })
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  const checks = page.getByRole('region', { name: 'Checks' })
  await checks.getByText(/body is not JSON: .* at character 17/).waitFor()
  expect(await page.getByText('valid list').count()).toBe(0)
})

test('rows that changed are shown before and after', async () => {
  const { name } = mock.sandbox.rows.personas.get(1) as { name: string }
  await mock.call('PATCH', '/api/persona/1', { body: { name: 'Renamed' } })
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  const fields = page.getByRole('region', { name: 'Rows changed' })
  await fields.waitFor()
  expect(await fields.locator('del').allTextContents()).toEqual([`was ${JSON.stringify(name)}`])
  expect(await fields.locator('ins').allTextContents()).toEqual(['is "Renamed"'])
  // A row has its name also when another field changed.
  await mock.call('PATCH', '/api/persona/1', { body: { num_chunks: 3 } })
  await page.goto(`${dashboard}#/default/requests/r2`)
  await fields.getByText('changed Agent Renamed').waitFor()
})

test('another choice or user is tried in copies, without traces', async () => {
  await mock.call('DELETE', '/api/persona/2')
  await mock.call('PATCH', '/api/persona/1', { body: { name: 'Renamed' } })
  const sandboxes = (await mock.call('GET', '/__mock/sandboxes')).body.sandboxes.length
  const page = await openPage(`${dashboard}#/default/requests/r2`)
  const whatIf = page.getByRole('region', { name: 'What if' })
  await whatIf.getByLabel('As user').selectOption('nobody')
  await whatIf.getByRole('button', { name: 'Compare' }).press('Enter')
  const [left, right] = [
    whatIf.getByRole('region', { name: 'As it is' }),
    whatIf.getByRole('region', { name: 'What if' })
  ]
  await right.getByText('401', { exact: true }).waitFor()
  expect(await left.textContent()).toContain('200')
  await whatIf.getByLabel('As user').selectOption('admin')
  await whatIf.getByLabel('Assumption').selectOption('persona.patch=replace')
  await whatIf.getByRole('button', { name: 'Compare' }).press('Enter')
  await right.getByText(/persona\.patch \(/).waitFor()
  expect(await right.textContent()).toContain('200')
  expect((await mock.call('GET', '/__mock/sandboxes')).body.sandboxes).toHaveLength(sandboxes)
  expect((await mock.call('GET', '/__mock/requests')).body.total).toBe(2)
})

test('two exchanges are compared, and the address has both', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('PATCH', '/api/persona/1', { body: { name: 'Renamed' } })
  await mock.call('GET', '/api/persona/1')
  const page = await openPage(`${dashboard}#/default/requests/r3`)
  await page.getByRole('button', { name: 'Compare…' }).press('Enter')
  await page.getByRole('dialog').getByRole('link', { name: 'r1' }).press('Enter')
  const compared = page.getByRole('region', { name: 'Comparison' })
  await compared.getByText('1 difference in the answer').waitFor()
  expect(await compared.locator('ins').allTextContents()).toEqual(['is "Renamed"'])
  expect(new URL(page.url()).hash).toBe('#/default/requests/r3?with=r1')
})

test('a replay and a curl keep the user of a request that was answered before its user was looked up', async () => {
  await mock.call('GET', '/api/nothing', { as: 'basic' })
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  await page.getByRole('button', { name: 'Replay' }).press('Enter')
  await page.getByText('Sent again: 404.').waitFor()
  expect((await mock.call('GET', '/__mock/requests/r2')).body.user).toBe('basic')
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await page.getByText('Copied curl.').waitFor()
  expect(await copied(page)).toContain('authorization: Bearer basic')
})

test('changed rows link to the state', async () => {
  await mock.call('POST', '/api/chat/create-chat-session', { body: { description: 'Plan the offsite' } })
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  await page
    .getByRole('region', { name: 'Rows changed' })
    .getByRole('link', { name: /^Chat session / })
    .click()
  await page.getByRole('heading', { name: 'Plan the offsite' }).waitFor()
})

test('the copied curl makes the same request again', async () => {
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
  expect(await copied(page)).toContain('authorization: Bearer hidden')
  expect(await page.content()).not.toContain('a-secret-token')
})

test('replay sends the request again, in the same sandbox, and shows the new exchange', async () => {
  const page = await openPage(`${dashboard}#/mine/requests`)
  await mock.call('PATCH', '/api/persona/1', { as: 'admin~mine', body: { name: 'Renamed' } })
  await mock.call('PATCH', '/api/persona/1', { as: 'admin~mine', body: { name: 'Otherwise' } })
  // Rows move until both have arrived.
  await page.getByText('2 exchanges', { exact: true }).waitFor()
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

test('an upload is not replayed, and the page shows the reason', async () => {
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

test('an unknown path is shown with the operations near it', async () => {
  await mock.call('GET', '/api/persona/1/detail')
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  await page.getByText('Did you mean').waitFor()
  await page.getByRole('region', { name: 'Checks' }).getByText('/api/persona/{persona_id}').first().waitFor()
})

test('an empty journal is shown as empty', async () => {
  await mock.call('GET', '/api/persona/1')
  const page = await openPage(dashboard)
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('0 exchanges').waitFor()
  expect((await mock.call('GET', '/__mock/requests')).body.total).toBe(0)
})

test('an answer by an override says what that was and what added it, also once it is used up', async () => {
  const override = { operation: 'getPersona', status: 503, body: { detail: 'Busy' }, times: 1 }
  await mock.call('POST', '/__mock/overrides', { body: override })
  await mock.call('GET', '/api/persona/1')
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'getFile', status: 404 } })
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  await page
    .getByText(/Forced by override o1 of getPersona: 503.*Added by POST \/__mock\/overrides \(m1\).*no longer in force/)
    .waitFor()
  await page.getByRole('link', { name: 'override o1' }).click()
  await page.getByRole('rowheader', { name: 'o1' }).waitFor()
  expect(await page.getByRole('rowheader', { name: 'o2' }).count()).toBe(0)
})

test('a 404 on a deleted row leads to the request that deleted it, and the row to all that touched or missed it', async () => {
  await mock.call('PATCH', '/api/persona/2', { body: { name: 'Coordinator' } })
  await mock.call('DELETE', '/api/persona/2')
  await mock.call('GET', '/api/persona/2')
  await mock.call('GET', '/api/persona/99999')
  const page = await openPage(`${dashboard}#/default/requests/r4`)
  await page.getByText('does not exist').first().waitFor()
  await page.goto(`${dashboard}#/default/requests/r3`)
  const note = page.getByText(/^Agent 2, Coordinator, was deleted at .* by r2\.$/)
  await note.waitFor()
  await note.getByRole('link', { name: 'Agent 2' }).click()
  const history = page.getByRole('region', { name: 'History' })
  await history.getByText(/^deleted by r2/).waitFor()
  await history.getByText(/^changed by r1/).waitFor()
  await history.getByRole('link', { name: 'All exchanges that touched it' }).click()
  await page.getByText('2 exchanges').waitFor()
  await page.goBack()
  await history.getByRole('link', { name: 'or did not find it' }).click()
  await page.getByText('1 exchange', { exact: true }).waitFor()
})

test('a request that is refused for a deleted row in its body names the deletion, and no call of the page fails', async () => {
  await mock.call('DELETE', '/api/persona/2')
  const refused = await mock.call('POST', '/api/chat/create-chat-session', { body: { persona_id: 2 } })
  expect(refused.status).toBe(404)
  await mock.call('GET', '/api/persona/99999')
  const page = await openPage(`${dashboard}#/default/requests/r2`)
  const failed: string[] = []
  page.on('response', (response) => response.status() >= 400 && failed.push(response.url()))
  await page.getByText(/^Agent 2, .*, was deleted at .* by r1\.$/).waitFor()
  await page.goto(`${dashboard}#/default/requests/r3`)
  await page.getByRole('heading', { name: 'GET /api/persona/99999' }).waitFor()
  await page.getByRole('region', { name: 'What if' }).waitFor()
  expect(failed).toEqual([])
})

test('the history of a row names control calls, and links to their moment', async () => {
  await mock.call('PATCH', '/__mock/state/labels/1', { body: { name: 'Urgent' } })
  const page = await openPage(`${dashboard}#/default/state/labels/1`)
  const history = page.getByRole('region', { name: 'History' })
  await history.getByText(/^changed by PATCH \/__mock\/state\/labels\/1 \(m1\)/).waitFor()
  await history.getByRole('definition').filter({ hasText: 'Urgent' }).waitFor()
  await history.getByRole('link', { name: 'PATCH /__mock/state/labels/1 (m1)' }).click()
  await page.waitForURL(/requests\?at=m1$/)
})

test('a scroll that the browser reports after the list is gone is not an error', async () => {
  await mock.call('GET', '/api/get-user-role')
  const page = await openPage(`${mock.url}/__mock/#/default/requests`)
  const rows = await page.locator('.journal .rows').elementHandle()
  await page.getByRole('link', { name: 'Clock' }).click()
  await page.getByRole('heading', { name: 'Clock' }).waitFor()
  expect(await rows?.evaluate((it) => it.isConnected)).toBe(false)
  // The test fails when the page has an error.
  await rows?.evaluate((it) => it.dispatchEvent(new Event('scroll')))
})

test('the chip that is at fault is marked with the reason, and the others are not', async () => {
  await mock.call('GET', '/api/persona/1')
  const faults = async (q: string) => {
    const page = await openPage(`${dashboard}#/default/requests?q=${encodeURIComponent(q)}`)
    await page.locator('.chip.bad').waitFor()
    const chips = page.locator('.chip button[aria-invalid=true]')
    return [await chips.allTextContents(), await chips.first().getAttribute('title')]
  }
  expect(await faults('method:GET colour:red')).toEqual([['colour:red'], expect.stringContaining('no field "colour"')])
  expect(await faults('user:admin status:many')).toEqual([['status:many'], expect.stringContaining('not valid')])
})

test('a test is found by its name, which is suggested and quoted', async () => {
  for (const name of ['signs in', 'searches']) {
    await mock.call('GET', '/api/persona/1', { headers: { 'X-Test-Case': name } })
  }
  const page = await openPage(`${dashboard}#/default/requests`)
  await page.getByText('2 exchanges', { exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Filter requests' }).fill('test:si')
  await page.getByRole('option', { name: 'test:"signs in"' }).click()
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Edit test:"signs in"' }).waitFor()
})

test('an address of an earlier run says that the mock has restarted, and leads to the list', async () => {
  const page = await openPage(`${dashboard}#/default/requests/r50`)
  await page.getByText(/^The journal has no request "r50"\. It has had \d+ so far: the mock has restarted/).waitFor()
  expect(await page.getByText('No exchange matches.').count()).toBe(0)
  await page.getByRole('link', { name: 'All exchanges' }).click()
  await page.getByRole('heading', { name: 'Nothing has been requested yet' }).waitFor()
})

test('on a phone a message has one line, and a second of its kind takes its place', async () => {
  await mock.call('GET', '/api/persona/1')
  const page = await openPage(`${dashboard}#/default/requests/r1`)
  await page.setViewportSize({ width: 390, height: 800 })
  for (const name of ['500', '503', '429']) {
    await page.getByRole('button', { name: `Next time: ${name}` }).click()
    await page.getByText(`is answered with ${name}`).waitFor()
  }
  const toasts = page.locator('.toast')
  expect(await toasts.count()).toBe(1)
  expect((await toasts.boundingBox())?.height).toBeLessThan(48)
  expect((await mock.call('GET', '/__mock/overrides')).body.overrides).toHaveLength(3)
  for (let left = 3; left > 0; left--) {
    await page.getByRole('button', { name: /^Undo/ }).click()
    await until(
      async () => (await mock.call('GET', '/__mock/overrides')).body.overrides.length,
      (count) => count === left - 1
    )
    const undone = page.getByText(/^Undone: /)
    await undone.waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).first().click()
  }
  expect((await mock.call('GET', '/__mock/overrides')).body.overrides).toEqual([])
})

test('the row of a stream has its whole time as soon as it has ended', async () => {
  const chunks = [{ word: 'one' }, { word: 'two' }]
  await mock.call('POST', '/__mock/overrides', { body: { path: '/api/words', chunks, every: 700 } })
  const page = await openPage(dashboard)
  await page.getByText('0 exchanges').waitFor()
  await mock.call('GET', '/api/words')
  await page.getByText('1 exchange', { exact: true }).waitFor()
  const took = page
    .getByRole('row')
    .filter({ hasText: '/api/words' })
    .getByText(/^[\d.]+ ms$/)
  const shown = await until(
    () => took.textContent(),
    (text) => Number.parseFloat(text ?? '') >= 700
  )
  expect(Number.parseFloat(shown ?? '')).toBeGreaterThanOrEqual(700)
})
