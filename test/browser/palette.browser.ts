import { startTestMock } from '../mock.js'
import { command, openPage } from './browser.js'

const mock = await startTestMock({ fixtures: 'demo' })
const dashboard = `${mock.url}/__mock/`

beforeEach(() => mock.reset())

test('Ctrl K finds pages, operations, assumptions and rows, and runs commands, with keys only', async () => {
  const page = await openPage(dashboard)
  await page.getByText('0 exchanges').waitFor()
  await command(page, 'clock', 'Stop the clock')
  await page.getByText('The clock is stopped.').waitFor()
  expect(mock.sandbox.clock.speed).toBe(0)
  await command(page, 'coverage', 'Coverage')
  await page.getByRole('heading', { name: 'Coverage' }).waitFor()
  await command(page, 'getpersona', /^getPersona/)
  await page.waitForURL(/q=op%3AgetPersona$/)
  await command(page, 'delete.body', /^delete\.body/)
  await page.getByRole('heading', { name: 'Assumptions' }).waitFor()
  await command(page, 'Release scribe', /^Agent Release scribe/)
  await page.getByRole('heading', { name: 'Release scribe' }).waitFor()
  await command(page, 'first-day', 'Play first-day')
  await page.getByText('first-day was played in default').waitFor()
})

test('? shows the keys, and Escape closes them', async () => {
  const page = await openPage(dashboard)
  await page.getByText('0 exchanges').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('filter the requests').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('changes in another tab appear at once: overrides, clock, snapshots, assumptions', async () => {
  const page = await openPage(`${dashboard}#/default/overrides`)
  await page.getByText('There is none').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await mock.call('POST', '/__mock/overrides', {
    body: { operation: 'getPersona', status: 404, body: { detail: 'x' } }
  })
  await page.getByRole('rowheader', { name: 'o1' }).waitFor()
  await page.goto(`${dashboard}#/default/state`)
  await page.getByText('A snapshot keeps rows').waitFor()
  await mock.call('POST', '/__mock/snapshots/from-elsewhere')
  await page.getByText('from-elsewhere').waitFor()
  await page.goto(`${dashboard}#/default/clock`)
  await mock.call('PUT', '/__mock/clock', { body: { now: '2031-05-06T07:08:09Z', speed: 0 } })
  await page.getByText('2031-05-06').first().waitFor()
  await page.goto(`${dashboard}#/default/assumptions?q=delete.body`)
  await page.getByLabel('Choice for delete.body').waitFor()
  await mock.call('PATCH', '/__mock/assumptions', { body: { 'delete.body': 'empty-object' } })
  await page.waitForFunction(
    () => document.querySelector<HTMLSelectElement>('.ledger select')?.value === 'empty-object'
  )
})

test('the palette finds a row by its collection and id, failures, the clock to freeze, and the change to undo', async () => {
  const page = await openPage(dashboard)
  await page.getByText('0 exchanges').waitFor()
  const { name } = (await mock.call('GET', '/__mock/state/personas/4')).body
  for (const text of ['personas/4', 'persona/4', 'agent 4']) {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(text)
    await page.getByRole('option', { name: `Agent ${name}` }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await command(page, 'personas/4', `Agent ${name}`)
  await page.waitForURL(/state\/personas\/4/)
  await mock.call('PUT', '/__mock/clock', { body: { speed: 1 } })
  await command(page, 'freeze the clock', 'Stop the clock')
  await page.getByText('The clock is stopped.').waitFor()
  const { name: label } = (await mock.call('GET', '/__mock/state/labels/1')).body
  await mock.call('PATCH', '/__mock/state/labels/1', { body: { name: 'Other' } })
  await command(page, 'undo', 'Undo the last change')
  await page.getByText('Undone: Row was edited: Label 1.').waitFor()
  expect((await mock.call('GET', '/__mock/state/labels/1')).body.name).toBe(label)
  expect(mock.sandbox.clock.speed).toBe(0)
  await command(page, 'undo', 'Undo the last change')
  await page.getByText('Undone: Clock was set.').waitFor()
  expect(mock.sandbox.clock.speed).toBe(1)
  await command(page, 'failures', 'Show failures')
  await page.getByRole('button', { name: 'Edit status:>=400,0' }).waitFor()
})

test('text that is typed right after Ctrl K is in the palette, on a slow machine too', async () => {
  for (let count = 0; count < 3; count++) {
    const page = await openPage(`${dashboard}#/default/send/updatePersona`)
    await page.getByText('The request matches the contract.').waitFor()
    const machine = await page.context().newCDPSession(page)
    await machine.send('Emulation.setCPUThrottlingRate', { rate: 20 })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('coverage')
    await machine.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    await page.getByRole('dialog', { name: 'Commands' }).waitFor()
    expect(await page.getByRole('dialog').locator('input').inputValue()).toBe('coverage')
  }
})

test('the palette finds an exchange, replays it, and makes the next call of an operation fail', async () => {
  await mock.reset()
  await mock.call('GET', '/api/persona/1')
  const page = await openPage(`${mock.url}/__mock/`)
  await command(page, 'replay r1', 'Replay r1')
  await page.getByText('Sent again: 200.').waitFor()
  await page.getByRole('heading', { name: 'GET /api/persona/1' }).waitFor()
  await command(page, 'fail the next getPersona', /^Next getPersona: 503/)
  await page.getByText('The next getPersona is answered with 503.').waitFor()
  expect((await mock.call('GET', '/api/persona/1')).status).toBe(503)
  await command(page, 'getFile 429', /^Next getFile: 429/)
  await page.getByText('The next getFile is answered with 429 and Retry-After.').waitFor()
  await command(page, '503', /^Open r3/)
  await page.waitForURL(/requests\/r3/)
  await command(page, '/api/persona/1', /^Open r1/)
  await page.waitForURL(/requests\/r1/)
})
