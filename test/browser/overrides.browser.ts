import type { Locator } from 'playwright-core'
import { startTestMock } from '../mock.js'
import { openPage, until } from './browser.js'

const mock = await startTestMock()
const overridesPage = `${mock.url}/__mock/#/default/overrides`

beforeEach(() => mock.reset())

const add = async (body: object) => expect((await mock.call('POST', '/__mock/overrides', { body })).status).toBe(201)
const overrides = async () => (await mock.call('GET', '/__mock/overrides')).body.overrides

test('an override is added from an example of its operation, switched off and on, and removed', async () => {
  const usual = (await mock.call('GET', '/api/persona/1')).status
  const page = await openPage(overridesPage)
  await page.getByRole('link', { name: 'Add an override' }).click()
  await page.getByLabel('Operation').selectOption('getPersona')
  await page.getByLabel('Path: persona_id').fill('1')
  await page.getByLabel('Documented example').selectOption({ label: '404 missing' })
  await page.getByLabel('Times').fill('2')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('rowheader', { name: 'o1' }).waitFor()
  const [made] = await overrides()
  expect(made).toMatchObject({ operation: 'getPersona', status: 404, times: 2, match: { path: { persona_id: '1' } } })
  expect(made.body.detail).toEqual(expect.any(String))
  expect((await mock.call('GET', '/api/persona/1')).body).toEqual(made.body)

  await page.getByRole('button', { name: 'Switch off o1' }).click()
  await page.getByText('Override o1 is off.').waitFor()
  expect((await overrides())[0].off).toBe(true)
  expect((await mock.call('GET', '/api/persona/1')).status).toBe(usual)

  await page.getByRole('button', { name: 'Switch on o1' }).click()
  await page.getByText('Override o1 is on.').waitFor()
  expect((await overrides())[0]).toEqual({ ...made, used: 1, remaining: 1 })
  await page.getByText('1 (1 left)').waitFor()

  await page.getByRole('button', { name: 'Remove o1' }).click()
  await page.getByText('Override o1 was removed.').waitFor()
  expect(await overrides()).toEqual([])
})

test('an override that is used up is listed with the exchange that used it up, and added again', async () => {
  const given = { operation: 'getPersona', status: 503, times: 2 }
  await mock.call('POST', '/__mock/overrides', { body: given })
  await mock.call('POST', '/__mock/overrides', { body: { path: '/api/persona', fault: 'EMPTY_RESPONSE', times: 1 } })
  await mock.call('POST', '/__mock/overrides', { body: { ...given, operation: 'getFile' } })
  await mock.call('DELETE', '/__mock/overrides/o3')
  await mock.call('GET', '/api/persona/1')
  const page = await openPage(overridesPage)
  await page.getByText('1 (1 left)').waitFor()
  await mock.call('GET', '/api/persona/2')
  await mock.call('GET', '/api/persona').catch(() => undefined)
  const rows = page.getByRole('row')
  const text = () => rows.allInnerTexts().then((all) => all.slice(1).map((it) => it.replace(/\s+/g, ' ').trim()))
  const shown = await until(text, (all) => all.length === 2 && all.every((it) => it.includes('used up')))
  expect(shown).toEqual([
    'o2 any method /api/persona all The connection ends without an answer 1, used up by r3 Again',
    'o1 getPersona all 503 2, used up by r2 Again'
  ])
  await page.getByRole('button', { name: 'Again o1' }).press('Enter')
  await page.getByText('Override o4 was added.').waitFor()
  expect(await overrides()).toEqual([{ ...given, id: 'o4', used: 0, remaining: 2 }])
  await page.getByRole('link', { name: 'r2' }).click()
  await page.waitForURL(/requests\/r2/)
})

test('delays and faults are added, and all are removed at once', async () => {
  const page = await openPage(`${overridesPage}/new`)
  await page.getByLabel('Operation').selectOption('searchChats')
  await page.getByLabel('Query contains').fill('query=plan')
  await page.getByLabel('Delay').selectOption('uniform')
  await page.getByLabel('At least (ms)').fill('10')
  await page.getByLabel('At most (ms)').fill('20')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('Override o1 was added.').waitFor()

  await page.getByRole('link', { name: 'Add an override' }).click()
  await page.getByLabel('Operation').selectOption('createChatSession')
  await page.getByLabel('Body contains (JSON)').fill('{"description": "Plan"}')
  await page.getByLabel('Fault', { exact: true }).selectOption('EMPTY_RESPONSE')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('Override o2 was added.').waitFor()
  expect(await overrides()).toEqual([
    {
      id: 'o2',
      operation: 'createChatSession',
      match: { body: { description: 'Plan' } },
      fault: 'EMPTY_RESPONSE',
      used: 0
    },
    {
      id: 'o1',
      operation: 'searchChats',
      match: { query: { query: 'plan' } },
      delay: { type: 'uniform', lower: 10, upper: 20 },
      used: 0
    }
  ])
  await page.getByRole('button', { name: 'Remove all' }).click()
  await page.getByText('2 overrides removed.').waitFor()
  expect(await overrides()).toEqual([])
})

test('a body that is not JSON is reported at its field, and never sent as a text', async () => {
  const page = await openPage(`${overridesPage}/new`)
  await page.getByLabel('Operation').selectOption('getPersona')
  await page.getByLabel('Status').fill('200')
  const body = page.getByLabel('Body (JSON)')
  await body.fill('{"id": 1,}')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText(/^This is not JSON: .+ A text needs quotes\.$/).waitFor()
  await body.and(page.locator(':focus')).waitFor()
  expect(await overrides()).toEqual([])
  await body.fill('"{"')
  // It is JSON, but not an agent.
  await page.getByRole('button', { name: 'Add anyway' }).click()
  await page.getByText('Override o1 was added.').waitFor()
  expect(await overrides()).toMatchObject([{ body: '{' }])
})

test('a line that is not a header is an error at the headers, and the form stays as it is', async () => {
  const page = await openPage(`${overridesPage}/new`)
  await page.getByLabel('Operation').selectOption('searchChats')
  await page.getByLabel('Status').fill('503')
  await page.getByLabel('Headers').fill('Retry-After: 1\nno colon')
  await page.getByText('Stream and sequence').click()
  await page.getByLabel('Sequence (JSON list)').fill('"x')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Not a header: no colon').waitFor()
  await page.getByLabel('Sequence (JSON list)').fill('')
  await page.getByLabel('Sequence (JSON list)').pressSequentially('[{}]')
  expect(await overrides()).toEqual([])

  // Another exchange fills in another form.
  await mock.call('GET', '/api/persona/999')
  await page.evaluate(() => {
    location.hash = '#/default/overrides/new?from=r1'
  })
  await page.getByRole('textbox', { name: 'Path: persona_id' }).waitFor()
  expect(await page.getByLabel('Headers').inputValue()).toBe('')
})

test('invalid fields of an override are marked', async () => {
  const page = await openPage(`${overridesPage}/new`)
  await page.getByLabel('Operation').selectOption('getPersona')
  await page.getByLabel('Status').fill('99')
  await page.getByLabel('Times').fill('never')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('Enter a whole number. (Input should be a valid integer)').waitFor()
  await page.getByText('Enter 200 or more. (Input should be greater than or equal to 200)').waitFor()
  expect(await page.getByLabel('Status').getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByLabel('Times').getAttribute('aria-invalid')).toBe('true')
  expect(await overrides()).toEqual([])
})

test('the errors of all fields of an override are shown at once, and the first has the focus', async () => {
  const page = await openPage(`${overridesPage}/new`)
  await page.getByLabel('Path', { exact: true }).fill('nonsense')
  await page.getByLabel('Body contains (JSON)').fill('{')
  await page.getByLabel('Times').fill('never')
  await page.getByLabel('Status').fill('99')
  await page.getByLabel('Body (JSON)', { exact: true }).fill('{"id": 1,}')
  await page.getByText('Stream and sequence').click()
  await page.getByLabel('Sequence (JSON list)').fill('[{"status": 1}]')
  await page.getByText('Stream and sequence').click()
  await page.keyboard.press('Control+Enter')
  const wrong = page.locator('[aria-invalid=true]')
  await until(
    () => wrong.count(),
    (count) => count === 5
  )
  const labels = await wrong.evaluateAll((all) => all.map((it) => (it as HTMLInputElement).labels?.[0]?.textContent))
  expect(labels).toEqual(['Body contains (JSON)', 'Times', 'Status', 'Body (JSON)', 'Sequence (JSON list)'])
  await page.getByLabel('Body contains (JSON)').and(page.locator(':focus')).waitFor()
  for (const label of ['Body contains (JSON)', 'Times', 'Body (JSON)', 'Sequence (JSON list)'])
    await page.getByLabel(label, { exact: true }).fill('')
  await page.getByLabel('Status').fill('503')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Give a URL-encoded path that begins with a slash').waitFor()
  expect(await overrides()).toEqual([])
})

test('an override is edited in its place of the list, and undone', async () => {
  await add({ operation: 'getPersona', status: 503, times: 2, match: { path: { persona_id: '1' } } })
  await mock.call('GET', '/api/persona/1')
  await add({ operation: 'getPersona', example: 'whole', delay: { type: 'fixed', milliseconds: 20 } })
  await add({ path: '/api/persona/{id}', status: 500, headers: { 'Retry-After': '1' }, body: 'Gone fishing' })
  const before = await overrides()
  const page = await openPage(overridesPage)
  await page.getByRole('row', { name: /^o1 / }).getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Status').fill('429')
  await page.getByLabel('Headers').fill('Retry-After: 3')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Override o1 was changed.').waitFor()
  expect(await overrides()).toEqual([
    before[0],
    before[1],
    { ...before[2], status: 429, headers: { 'retry-after': '3' } }
  ])
  await page.getByRole('button', { name: /^Undo/ }).click()
  await page.getByText(/^Undone: /).waitFor()
  expect(await overrides()).toEqual(before)
})

test('an override that is edited without a change stays as it was', async () => {
  await add({ operation: 'searchChats', sequence: [{ status: 503 }, {}], rate: 0.5, match: { query: { page: '2' } } })
  await add({ operation: 'getPersona', example: 'whole', delay: { type: 'uniform', lower: 1, upper: 2 } })
  await add({ path: '/api/x', method: 'GET', chunks: [{ a: 1 }, 'b'], every: 5, cutAfter: 1 })
  await add({ path: '/api/x', status: 500, headers: { 'retry-after': '1' }, body: 'Gone fishing' })
  const before = await overrides()
  for (const { id } of before) {
    const page = await openPage(`${overridesPage}/${id}`)
    await page.getByRole('button', { name: /^Save/ }).click()
    await page.getByText(`Override ${id} was changed.`).waitFor()
  }
  expect(await overrides()).toEqual(before)
})

test('an override that breaks the contract shows a warning first, and is added on purpose', async () => {
  const page = await openPage(`${overridesPage}/new`)
  await page.getByLabel('Operation').selectOption('getPersona')
  await page.getByLabel('Status').fill('200')
  // Enter comes before the check is done: nothing is added without it.
  await page.getByLabel('Body (JSON)', { exact: true }).evaluate(async (it: HTMLTextAreaElement) => {
    it.value = '{"id": "one"}'
    it.dispatchEvent(new InputEvent('input', { bubbles: true }))
    await Promise.resolve()
    it.form?.requestSubmit()
  })
  const notice = page.getByRole('status', { name: 'What the contract says' })
  await notice.getByText('The answer breaks the contract').waitFor()
  await notice.getByText('/id must be integer').waitFor()
  expect(await overrides()).toEqual([])
  await page.getByLabel('Body (JSON)', { exact: true }).fill('')
  await page.getByLabel('Status').fill('418')
  await notice.getByText('getPersona documents no status 418').waitFor()
  await page.getByLabel('Status').fill('200')
  await page.getByLabel('Body (JSON)', { exact: true }).fill('{"id": "one"}')
  await page.getByRole('button', { name: 'Add anyway' }).press('Enter')
  await page.getByText('Override o1 was added.').waitFor()
  expect(await overrides()).toMatchObject([{ status: 200, body: { id: 'one' } }])
})

test('three keys make the next request fail with 503, and one undoes it', async () => {
  await mock.call('GET', '/api/persona/1')
  const page = await openPage(`${mock.url}/__mock/`)
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await page.keyboard.press('n')
  await page.locator('[aria-label="Next time: 500"]:focus').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('The next getPersona is answered with 503.').waitFor()
  expect(await overrides()).toMatchObject([{ operation: 'getPersona', status: 503, times: 1 }])
  await page.keyboard.press('Control+z')
  await page.getByText(/^Undone: /).waitFor()
  expect(await overrides()).toEqual([])
})

test('an unknown path is limited, slow, cut, empty or late as often as chosen', async () => {
  await mock.call('GET', '/api/nonsense?x=1')
  const page = await openPage(`${mock.url}/__mock/#/default/requests/r1`)
  await page.getByLabel('How often').selectOption('3')
  await page.getByLabel('Rate').selectOption('0.5')
  await page.getByRole('button', { name: 'Next time: 429' }).click()
  await page
    .getByText('The next 3 calls of GET /api/nonsense are answered with 429 and Retry-After, 50 % of the time.')
    .waitFor()
  const common = { method: 'GET', path: '/api/nonsense' }
  const [{ id: _, used: __, ...first }] = await overrides()
  expect(first).toEqual({
    ...common,
    status: 429,
    headers: { 'Retry-After': '1' },
    times: 3,
    remaining: 3,
    rate: 0.5
  })
  await page.getByLabel('How often').selectOption({ label: 'always' })
  await page.getByLabel('Rate').selectOption({ label: 'all' })
  for (const name of ['slow', 'cut', 'empty', 'times out']) {
    await page.getByRole('button', { name: `Next time: ${name}` }).click()
    await page
      .getByText(/^Every GET \/api\/nonsense/)
      .nth(0)
      .waitFor()
  }
  await page.getByText('is answered after 10 min').waitFor()
  const added = (await overrides()).slice(0, 4).reverse()
  expect(added).toMatchObject([
    { ...common, delay: { type: 'fixed', milliseconds: 5000 } },
    { ...common, fault: 'MALFORMED_RESPONSE_CHUNK' },
    { ...common, fault: 'EMPTY_RESPONSE' },
    { ...common, delay: { type: 'fixed', milliseconds: 600_000 } }
  ])
})

test('the form has a path, a rate, headers, a text, a stream and a sequence, and Ctrl Enter adds it', async () => {
  const page = await openPage(`${overridesPage}/new`)
  await page.getByLabel('Path', { exact: true }).fill('/api/things/{id}')
  await page.getByLabel('Method').selectOption('GET')
  await page.getByLabel('Rate').fill('1')
  await page.getByLabel('Preset').selectOption({ label: '429: with 429 and Retry-After' })
  await page.getByLabel('Format of the body').selectOption('text')
  await page.getByLabel('Body (text)').fill('Slow down')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Override o1 was added.').waitFor()
  const answer = await mock.call('GET', '/api/things/7')
  expect([answer.status, answer.body]).toEqual([429, 'Slow down'])
  expect((await overrides())[0]).toMatchObject({ method: 'GET', rate: 1, headers: { 'retry-after': '1' } })

  await page.goto(`${overridesPage}/new`)
  await page.getByLabel('Operation').selectOption({ label: 'any operation' })
  await page.getByText('Stream and sequence').click()
  await page.getByLabel('Sequence (JSON list)').fill('[{"status": 503}, {}]')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Override o2 was added.').waitFor()
  expect((await mock.call('GET', '/api/persona/1')).status).toBe(503)
  expect((await mock.call('GET', '/api/persona/1')).status).toBe(200)
})

test('the whole form is in view on a laptop, and its button on every screen', async () => {
  const page = await openPage(`${mock.url}/__mock/#/default/overrides/new`)
  await page.getByText('Stream and sequence').waitFor()
  const bottomOf = async (locator: Locator) => {
    const box = await locator.boundingBox()
    return (box?.y ?? 0) + (box?.height ?? 0)
  }
  for (const [width, height] of [
    [1280, 800],
    [1024, 600],
    [390, 640]
  ] as const) {
    await page.setViewportSize({ width, height })
    expect(await bottomOf(page.getByRole('button', { name: /^Add( Ctrl ↵)?$/ }))).toBeLessThanOrEqual(height)
    if (width === 1280) expect(await bottomOf(page.getByText('Stream and sequence'))).toBeLessThan(height)
  }
})
