import { startTestMock, testNow } from '../mock.js'
import { openPage, until } from './browser.js'

const mock = await startTestMock()
const clockPage = `${mock.url}/__mock/#/default/clock`

beforeEach(() => mock.reset())

const clock = async () => (await mock.call('GET', '/__mock/clock')).body

test('the clock is advanced, set, run and frozen', async () => {
  const page = await openPage(clockPage)
  await page.getByText('2026-03-02').first().waitFor()
  await page.getByRole('button', { name: 'Advance by 1h' }).click()
  await page.getByText('11:00:00').first().waitFor()
  expect(await clock()).toEqual({ now: '2026-03-02T11:00:00.000Z', speed: 0 })

  await page.getByLabel('Advance by (such as 1d 12h)').fill('1d 12h')
  await page.getByRole('button', { name: 'Advance', exact: true }).click()
  await page.getByText('2026-03-03').first().waitFor()
  expect((await clock()).now).toBe('2026-03-03T23:00:00.000Z')

  await page.getByLabel('Moment (ISO 8601)').fill(testNow)
  await page.getByRole('button', { name: 'Set' }).click()
  await page.getByText('10:00:00').first().waitFor()
  expect((await clock()).now).toBe(testNow)

  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('at the real speed').waitFor()
  expect((await clock()).speed).toBe(1)
  await page.getByRole('combobox', { name: 'Speed' }).selectOption('3600')
  await page.getByText('3600 times as fast').waitFor()
  expect((await clock()).speed).toBe(3600)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('UTC, stopped').waitFor()
  expect((await clock()).speed).toBe(0)
})

test('an invalid duration or moment is reported at its field, and changes nothing', async () => {
  const page = await openPage(clockPage)
  await page.getByLabel('Advance by (such as 1d 12h)').fill('soon')
  await page.getByRole('button', { name: 'Advance', exact: true }).click()
  await page.getByText('"soon" is not a duration.').waitFor()
  await page.getByLabel('Moment (ISO 8601)').fill('tomorrow')
  await page.getByRole('button', { name: 'Set' }).click()
  await until(
    () => page.locator('[aria-invalid=true]').count(),
    (count) => count === 2
  )
  expect(await clock()).toEqual({ now: testNow, speed: 0 })
})

test('rows in progress show their status and their next step, and take it', async () => {
  const { lifecycles, total } = (await mock.call('GET', '/__mock/lifecycles')).body
  const page = await openPage(clockPage)
  await page.getByText(`${total} rows are in progress`).waitFor()
  const first = page.getByRole('table').locator('tbody tr').first()
  expect(await first.textContent()).toContain(lifecycles[0].name)
  expect(await first.textContent()).toContain(lifecycles[0].next)
  await page.getByRole('button', { name: 'Advance to the next change' }).click()
  await until(
    () => clock(),
    ({ now }) => now === lifecycles[0].at
  )
  expect((await clock()).now).toBe(lifecycles[0].at)
  const after = (await mock.call('GET', '/__mock/lifecycles')).body.lifecycles
  const moved = after.find(({ id }: { id: unknown }) => id === lifecycles[0].id)
  expect(moved?.status ?? 'gone').toBe(lifecycles[0].next)
})
