import type { Page } from 'playwright-core'
import { startTestMock } from '../mock.js'
import { command, openPage, until } from './browser.js'

const mock = await startTestMock({ fixtures: 'demo' })

beforeEach(() => mock.reset())

const read = async (path: string) => (await mock.call('GET', `/__mock/${path}`)).text

interface Case {
  page: string
  /** The part of the mock that the action changes. */
  of: string
  first?: () => Promise<void>
  act: (page: Page) => Promise<void>
}

const press = async (page: Page, role: 'button' | 'radio' | 'combobox', name: string, key: string) => {
  await page.getByRole(role, { name, disabled: false }).focus()
  await page.keyboard.press(key)
}

const make = async (page: Page, name: string) => {
  await page.getByLabel('Name of the new sandbox').fill(name)
  await page.keyboard.press('Enter')
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
  'all choices as observed': {
    page: 'assumptions',
    of: 'assumptions',
    act: (page) => press(page, 'button', 'All as observed', 'Enter')
  },
  'a snapshot that is restored': {
    page: 'state',
    of: 'state',
    first: async () => {
      await mock.call('POST', '/__mock/snapshots/kept')
      await mock.call('DELETE', '/api/persona/2')
    },
    act: (page) => press(page, 'button', 'Restore kept', 'Enter')
  },
  'a row that is deleted': {
    page: 'state/invites/1',
    of: 'state',
    act: async (page) => {
      await press(page, 'button', 'Delete', 'Enter')
    }
  },
  'the weather': {
    page: 'scenarios',
    of: 'overrides',
    act: (page) => press(page, 'radio', 'slow answers', 'Space')
  },
  'the journal, emptied': {
    page: 'requests',
    of: 'requests',
    act: (page) => press(page, 'button', 'Clear', 'Enter')
  },
  'the journal, emptied by the palette': {
    page: 'coverage',
    of: 'requests',
    act: (page) => command(page, 'clear', 'Clear the journal')
  },
  'a new sandbox': {
    page: 'sandboxes',
    of: 'sandboxes',
    act: (page) => make(page, 'second')
  },
  'a new snapshot': {
    page: 'state',
    of: 'snapshots',
    act: async (page) => {
      await page.getByLabel('Name of the snapshot').fill('before')
      await page.keyboard.press('Enter')
    }
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

test.each(Object.entries(cases))('%s: Ctrl Z undoes it', async (_, { page: address, of, first, act }) => {
  await mock.call('POST', '/__mock/overrides', {
    body: { operation: 'getPersona', status: 404, body: { detail: 'x' } }
  })
  await mock.call('GET', '/api/get-user-role')
  await first?.()
  const before = await read(of)
  const page = await openPage(`${mock.url}/__mock/#/default/${address}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await act(page)
  await page.getByRole('button', { name: /^Undo/ }).waitFor()
  expect(await read(of)).not.toBe(before)
  const done = (await page.locator('.toast.done span').first().textContent()) as string
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await page.keyboard.press('Control+z')
  const undone = page.getByText(/^Undone[:.]/)
  await undone.waitFor()
  // Others say what is there again.
  if (!/^(Snapshot|The journal)|will be deleted/.test(done))
    expect(await undone.textContent()).toBe(`Undone: “${done}”`)
  expect(
    await until(
      () => read(of),
      (text) => text === before
    )
  ).toBe(before)
})

test.each<[string, Case]>([
  ['an override that is removed', cases['an override that is removed'] as Case],
  ['one choice of an assumption', cases['one choice of an assumption'] as Case],
  ['a row that is deleted', cases['a row that is deleted'] as Case]
])('%s: undo leaves what others have changed since, and replaces no state', async (_, { page: address, of, act }) => {
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'getPersona', status: 404, body: {} } })
  const before = await read(of)
  const page = await openPage(`${mock.url}/__mock/#/default/${address}`)
  await act(page)
  const undo = page.getByRole('button', { name: /^Undo/ })
  await undo.waitFor()
  await mock.call('PATCH', '/__mock/state/personas/2', { body: { name: 'By somebody else' } })
  await undo.click()
  await page.getByText(/^Undone: /).waitFor()
  const name = async () => JSON.parse(await read('state/personas/2')).name
  expect(await name()).toBe('By somebody else')
  const part = (text: string) => JSON.parse(text).collections?.invites ?? text
  expect(part(await read(of))).toEqual(part(before))
  const { moments } = JSON.parse(await read('history'))
  expect(moments.map(({ operation }: { operation: string }) => operation)).toContain('undoChange')
  expect(moments.filter(({ changed }: { changed?: unknown }) => changed === undefined)).toEqual([])
})

test('if the same row has changed since, undo says so, and offers the whole state by its name', async () => {
  const page = await openPage(`${mock.url}/__mock/#/default/state/invites/1`)
  await press(page, 'button', 'Delete', 'Enter')
  const undo = page.getByRole('button', { name: /^Undo/ })
  await undo.waitFor()
  await mock.call('PUT', '/__mock/state/invites/1', {
    body: { email: 'new@example.com', invited_at: '2026-03-02T10:00:00Z', invited_by: null }
  })
  await mock.call('PATCH', '/__mock/state/personas/2', { body: { name: 'By somebody else' } })
  await undo.click()
  await page.getByText(/cannot be undone alone: invites 1 has changed since\./).waitFor()
  expect(JSON.parse(await read('state/invites/1')).email).toBe('new@example.com')
  await page.getByRole('button', { name: 'Restore the whole state' }).click()
  await page.getByText(/^Undone: /).waitFor()
  expect(JSON.parse(await read('state/invites/1')).email).not.toBe('new@example.com')
  expect(JSON.parse(await read('state/personas/2')).name).not.toBe('By somebody else')
})

test.each([
  ['clock', /^Advance by 1h/, 'clock'],
  ['send/getPersona', 'Next time: 503', 'overrides']
])('on the page %s, each of two equal actions is undone, and Ctrl Z does no more than that', async (at, button, of) => {
  const before = await read(of)
  const page = await openPage(`${mock.url}/__mock/#/default/${at}`)
  const states = [before]
  for (const _ of [1, 2]) {
    await page.getByRole('button', { name: button }).first().click()
    states.push(
      await until(
        () => read(of),
        (text) => text !== states.at(-1)
      )
    )
  }
  await mock.call('PATCH', '/api/persona/2', { body: { name: 'By the application' } })
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  for (const state of [states[1], before]) {
    await page.keyboard.press('Control+z')
    const now = await until(
      () => read(of),
      (text) => text === state
    )
    expect(now).toBe(state)
  }
  // "Undone" may come after the state has changed, and takes the place of this message.
  await until(async () => {
    await page.keyboard.press('Control+z')
    return page.getByText('There is nothing to undo.').isVisible()
  }, Boolean)
  expect(JSON.parse(await read('state/personas/2')).name).toBe('By the application')
})

test('Ctrl Z during a change waits for its answer, and undoes this change, not the one before', async () => {
  const page = await openPage(`${mock.url}/__mock/#/default/send/getPersona`)
  const unavailable = page.getByRole('button', { name: 'Next time: 503' }).first()
  const ids = async () => JSON.parse(await read('overrides')).overrides.map(({ id }: { id: string }) => id)
  await unavailable.click()
  await page.getByRole('button', { name: /^Undo/ }).waitFor()
  await page.route('**/__mock/overrides', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    const response = await route.fetch()
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('Control+z')
    await route.fulfill({ response })
  })
  await unavailable.click()
  await page.getByText(/^Undone: /).waitFor()
  expect(await ids()).toEqual(['o1'])
})

test.each([
  ['a reset', 'state', 'Reset'],
  ['a scenario', 'scenarios', 'Play slow-network']
])('%s keeps the journal and the coverage, and Ctrl Z brings the state back', async (_, address, button) => {
  await mock.call('DELETE', '/api/persona/1')
  const before = await Promise.all([read('state'), read('requests'), read('coverage')])
  const page = await openPage(`${mock.url}/__mock/#/default/${address}`)
  await press(page, 'button', button, 'Enter')
  await page.getByRole('button', { name: /^Undo/ }).waitFor()
  expect(await read('state')).not.toBe(before[0])
  expect(await read('requests')).toContain('"method":"DELETE"')
  await page.keyboard.press('Control+z')
  await page.getByText(/^Undone: /).waitFor()
  expect(await Promise.all([read('state'), read('requests'), read('coverage')])).toEqual(before)
})

test('an emptied journal returns together with later exchanges, in the list too', async () => {
  for (let count = 0; count < 3; count++) await mock.call('GET', '/api/get-user-role')
  const page = await openPage(`${mock.url}/__mock/`)
  await page.getByText('3 exchanges', { exact: true }).waitFor()
  await press(page, 'button', 'Clear', 'Enter')
  await page.getByText('The journal is empty: 3 exchanges removed.').waitFor()
  await mock.call('GET', '/api/persona/1')
  await page.getByText('1 exchange', { exact: true }).waitFor()
  await page.getByRole('button', { name: /^Undo/ }).click()
  await page.getByText('4 exchanges', { exact: true }).waitFor()
  await page.getByText('Undone: 3 exchanges came back.').waitFor()
})

test('a new sandbox with requests is dropped after a while only, and the page returns to the last one', async () => {
  const names = async () => JSON.parse(await read('sandboxes')).sandboxes.map(({ name }: { name: string }) => name)
  await mock.call('DELETE', '/api/persona/1')
  const { latest } = JSON.parse(await read('history'))
  const page = await openPage(`${mock.url}/__mock/#/default/state?at=${latest}`)
  await page.getByRole('button', { name: 'Fork from here' }).click()
  await make(page, 'used')
  const chosen = () => page.getByRole('combobox', { name: 'Sandbox' }).inputValue()
  expect(await until(chosen, (name) => name === 'used')).toBe('used')
  await mock.call('GET', '/api/get-user-role', { as: 'admin~used' })
  await page.getByRole('button', { name: /^Undo/ }).click()
  await page.getByText('Sandbox used will be deleted in 15 s.').waitFor()
  expect(await until(chosen, (name) => name === 'default')).toBe('default')
  expect(await names()).toContain('used')
  await page.keyboard.press('Control+z')
  await page.getByText('Undone: Sandbox used stays.').waitFor()
})
