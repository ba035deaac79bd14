import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { startTestMock } from '../mock.js'
import { openPage, until } from './browser.js'

const mock = await startTestMock()
const box = () => mock.handle('demo')
const open = () => openPage(`${mock.url}/__mock/#/demo/scenarios`)

const scanned = () =>
  box()
    .rows('userFiles')
    .filter(({ name }) => name === 'Scanned contract.pdf')
    .map(({ status }) => status)

/** Presses a button as one does without a mouse. */
async function press(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true })
  await button.focus()
  await page.keyboard.press('Enter')
}

test('a scenario is played and shown scene by scene, with the keyboard', async () => {
  const page = await open()
  await page.getByRole('row', { name: /upload-fails/ }).waitFor()
  await press(page, 'Play power-user')
  await page.getByText('power-user was played in demo').waitFor()
  expect(box().rows('chatSessions').length).toBeGreaterThanOrEqual(120)

  await press(page, 'Next scene of upload-fails')
  await page.getByText('Scene 1 of 2 of upload-fails').waitFor()
  expect(scanned()).toEqual(['PROCESSING'])
  await press(page, 'Next scene of upload-fails')
  await page.getByText('Scene 2 of 2 of upload-fails').waitFor()
  expect(scanned()).toEqual(['FAILED'])
  expect(await page.getByRole('button', { name: 'Next scene of slow-network' }).isDisabled()).toBe(true)
})

test('the weather is a switch with arrow keys, and follows changes of others', async () => {
  box().weather('fair')
  const page = await open()
  const weather = page.getByRole('group', { name: 'Weather' })
  await weather.getByRole('radio', { name: /fair/, checked: true }).focus()
  for (const profile of ['flaky', 'slow', 'rate-limited', 'degrading'] as const) {
    await page.keyboard.press('ArrowDown')
    await weather.getByRole('radio', { name: new RegExp(`^${profile}`), checked: true }).waitFor()
    const get = () => mock.call('GET', '/__mock/weather', { headers: box().headers })
    expect((await until(get, ({ body }) => body.profile === profile)).body.profile).toBe(profile)
  }
})

test('the history is saved as a capsule that can be played', async () => {
  const page = await openPage(`${mock.url}/__mock/#/demo/requests`)
  box().reset()
  box().create('labels', { name: 'Kept' })
  const download = page.waitForEvent('download')
  await press(page, 'Share…')
  await press(page, 'Save the capsule')
  const file = await download
  expect(file.suggestedFilename()).toBe('capsule-demo.json')
  await mock.handle('again').play(JSON.parse(readFileSync(await file.path(), 'utf8')))
  expect(mock.handle('again').rows('labels')).toEqual(box().rows('labels'))
})
