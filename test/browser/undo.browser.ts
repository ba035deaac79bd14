import type { Page } from 'playwright-core'
import { startTestMock } from '../mock.js'
import { command, openPage, until } from './browser.js'

const mock = await startTestMock({ fixtures: 'demo' })

beforeEach(() => mock.reset())

const read = async (path: string) => (await mock.call('GET', `/__mock/${path}`)).text

interface Case {
  page: string
  /** What of the mock the action changes. */
  of: string
  act: (page: Page) => Promise<void>
}

const press = async (page: Page, role: 'button' | 'radio' | 'combobox', name: string, key: string) => {
  await page.getByRole(role, { name }).focus()
  await page.keyboard.press(key)
}

const cases: Record<string, Case> = {
  'an override that is removed': {
    page: 'overrides',
    of: 'overrides',
    act: (page) => press(page, 'button', 'Remove o1', 'Enter')
  },
  'all overrides that are removed': {
    page: 'overrides',
    of: 'overrides',
    act: (page) => press(page, 'button', 'Remove all', 'Enter')
  },
  'an override that is switched off': {
    page: 'overrides',
    of: 'overrides',
    act: (page) => press(page, 'button', 'Switch off o1', 'Enter')
  },
  'one choice of an assumption': {
    page: 'assumptions?q=delete.body',
    of: 'assumptions',
    act: (page) => press(page, 'combobox', 'Choice for delete.body', 'ArrowDown')
  },
  'the weather': {
    page: 'scenarios',
    of: 'overrides',
    act: (page) => press(page, 'radio', 'slow answers', 'Space')
  },
  'the clock': {
    page: 'clock',
    of: 'clock',
    act: (page) => press(page, 'button', 'Advance by 1w', 'Enter')
  },
  'the clock, set by the palette': {
    page: 'requests',
    of: 'clock',
    act: (page) => command(page, 'advance', 'Advance the clock by a day')
  },
  'a scenario': {
    page: 'scenarios',
    of: 'state',
    act: (page) => press(page, 'button', 'Play first-day', 'Enter')
  },
  'a scene of a scenario': {
    page: 'scenarios',
    of: 'state',
    act: (page) => press(page, 'button', 'Next scene of upload-fails', 'Enter')
  }
}

test.each(Object.entries(cases))('%s: Ctrl Z undoes it', async (_, { page: address, of, act }) => {
  await mock.call('POST', '/__mock/overrides', {
    body: { operation: 'getPersona', status: 404, body: { detail: 'x' } }
  })
  const before = await read(of)
  const page = await openPage(`${mock.url}/__mock/#/default/${address}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await act(page)
  await page.getByRole('button', { name: /^Undo/ }).waitFor()
  expect(await read(of)).not.toBe(before)
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await page.keyboard.press('Control+z')
  await page.getByText('Undone.').waitFor()
  expect(
    await until(
      () => read(of),
      (text) => text === before
    )
  ).toBe(before)
})
