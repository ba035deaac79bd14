import type { Page } from 'playwright-core'
import { startTestMock } from '../mock.js'
import { command, openPage, pressEnter, tabTo, until } from './browser.js'

/** The jobs of a day, each from an open page to its effect, with keys only. Characters count as keys. */

const mock = await startTestMock({ fixtures: 'demo' })

beforeEach(() => mock.reset())

interface Job {
  title: string
  keys: number
  page: string
  before?: () => Promise<unknown>
  act: (page: Page) => Promise<unknown>
  effect?: () => Promise<unknown>
}

const call = async (method: string, path: string, body?: object) => (await mock.call(method, path, { body })).status
const row = async (path: string) => (await mock.call('GET', `/__mock/state/${path}`)).body
const rename = () => call('PATCH', '/api/persona/1', { name: 'Renamed' })
const { name: before } = await row('personas/1')

/** Presses keys, one after the other. */
async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

/** Opens the newest exchange that is listed. */
async function openNewest(page: Page, count: string): Promise<void> {
  await page.getByText(count, { exact: true }).waitFor()
  await press(page, 'j', 'Enter')
  // Its keys work once it is loaded.
  await page.getByRole('region', { name: 'Exchange' }).getByRole('button', { name: 'Replay' }).waitFor()
}

const jobs: Job[] = [
  {
    title: 'finding why a request failed',
    keys: 3,
    page: 'requests',
    before: async () => [await call('GET', '/api/persona/999'), await call('GET', '/api/persona/1')],
    async act(page) {
      await shows(page, '2 exchanges')
      await press(page, 'f')
      await openNewest(page, '1 exchange')
      await shows(page, 'Persona with ID 999 does not exist')
    }
  },
  {
    title: 'finding what changed a row',
    keys: 12,
    page: 'requests',
    before: rename,
    async act(page) {
      await shows(page, '1 exchange')
      await command(page, 'personas/1', /personas\/1$|Renamed/)
      await page
        .getByRole('region', { name: 'History' })
        .getByText(/^changed by r1/)
        .waitFor()
    }
  },
  {
    title: 'going back to before a change',
    keys: 15,
    page: 'requests',
    before: rename,
    async act(page) {
      await page.locator('[role=slider][aria-valuemax="2"]').waitFor()
      await press(page, '[', '[', 'Tab', 'Enter')
      await pressEnter(page, /^Go back to here$/)
      await shows(page, /^Went back to /)
    },
    effect: async () => expect((await row('personas/1')).name).toBe(before)
  },
  {
    title: 'answering the next request with 503',
    keys: 3,
    page: 'requests',
    before: () => call('GET', '/api/persona/1'),
    async act(page) {
      await shows(page, '1 exchange')
      await press(page, 'n')
      await page.locator(':focus', { hasText: '500' }).waitFor()
      await press(page, 'Tab', 'Enter')
      await shows(page, /503/)
    },
    effect: async () =>
      expect([await call('GET', '/api/persona/1'), await call('GET', '/api/persona/1')]).toEqual([503, 200])
  },
  {
    title: 'slowing the next three requests',
    keys: 16,
    page: 'requests',
    before: () => call('GET', '/api/persona/1'),
    async act(page) {
      await openNewest(page, '1 exchange')
      await press(page, 'n')
      await tabTo(page, /^How often/)
      await page.keyboard.type('3')
      while ((await page.locator(':focus').textContent()) !== 'slow') await press(page, 'Shift+Tab')
      await press(page, 'Enter')
      await until(
        async () => (await mock.call('GET', '/__mock/overrides')).body.overrides.length,
        (it) => it === 1
      )
    },
    effect: async () =>
      expect((await mock.call('GET', '/__mock/overrides')).body.overrides).toMatchObject([{ times: 3, delay: {} }])
  },
  {
    title: 'comparing two answers',
    keys: 22,
    page: 'requests',
    before: async () => [await call('GET', '/api/persona/1'), await rename(), await call('GET', '/api/persona/1')],
    async act(page) {
      await openNewest(page, '3 exchanges')
      await pressEnter(page, /^Compare…$/)
      await page.getByRole('dialog').waitFor()
      await pressEnter(page, /^r1 /)
      await page.getByRole('region', { name: 'Comparison' }).getByText('1 difference in the answer').waitFor()
    }
  },
  {
    title: 'correcting a refused request and sending it again',
    keys: 4,
    page: 'requests',
    before: () => call('PATCH', '/api/persona/1', { num_chunks: 'many', name: 'Renamed' }),
    async act(page) {
      await press(page, 'f')
      await openNewest(page, '1 exchange')
      await press(page, 'r')
      await shows(page, 'Sent corrected: 200.')
    },
    effect: async () => expect((await row('personas/1')).name).toBe('Renamed')
  },
  {
    title: 'finding an operation by one of its fields',
    keys: 12,
    page: 'send',
    async act(page) {
      await page.getByLabel('Find an operation').waitFor()
      await press(page, '/')
      await page.keyboard.type('num_chunks')
      await press(page, 'Enter')
      await page.getByRole('article', { name: 'getPersona' }).waitFor()
    }
  },
  {
    title: 'adding a row',
    keys: 33,
    page: 'state/labels',
    async act(page) {
      await press(page, 'Tab', 'Enter')
      await pressEnter(page, /^Add label$/)
      await page.getByRole('complementary', { name: 'New row' }).waitFor()
      await tabTo(page, /^Name/)
      await page.keyboard.type('Sales')
      await press(page, 'Enter')
      await shows(page, 'Label was added.')
    },
    effect: async () => expect(await row('labels/8')).toEqual({ id: 8, name: 'Sales' })
  },
  {
    title: 'advancing the clock to the next change',
    keys: 16,
    page: 'clock',
    async act(page) {
      await press(page, 'Tab', 'Enter')
      await pressEnter(page, /^Advance to the next change$/)
      await shows(page, /The clock shows/)
    }
  },
  {
    title: 'undoing the deletion of a row',
    keys: 25,
    page: 'state/labels/8',
    before: () => call('POST', '/__mock/state/labels', { id: 8, name: 'Sales' }),
    async act(page) {
      await press(page, 'Tab', 'Enter')
      await pressEnter(page, /^Delete$/)
      await shows(page, 'Label Sales was deleted.')
      await press(page, 'Control+z')
      await shows(page, /^Undone/)
    },
    effect: async () => expect(await row('labels/8')).toEqual({ id: 8, name: 'Sales' })
  },
  {
    title: 'switching an assumption',
    keys: 28,
    page: 'requests',
    async act(page) {
      await shows(page, '0 exchanges')
      await command(page, 'errors.missing', /errors\.missing/)
      // The page gets the focus when it has been drawn.
      await page.locator('main:focus').waitFor()
      await tabTo(page, /^Choice for errors\.missing$/)
      await press(page, 'ArrowDown')
      await shows(page, /^errors\.missing is /)
    },
    effect: async () => expect(await call('GET', '/api/persona/999')).not.toBe(404)
  }
]

test.each(jobs)('$title takes $keys keys', async ({ keys, page: address, before: arrange, act, effect }) => {
  await arrange?.()
  const page = await openPage(`${mock.url}/__mock/#/default/${address}`)
  const pressed = counted(page)
  await act(page)
  await effect?.()
  expect(pressed()).toBe(keys)
})

/** Counts the keys that are pressed on a page from now on. */
function counted(page: Page): () => number {
  const { keyboard } = page
  const [press, type] = [keyboard.press.bind(keyboard), keyboard.type.bind(keyboard)]
  let count = 0
  keyboard.press = (key) => {
    count++
    return press(key)
  }
  keyboard.type = (text) => {
    count += text.length
    return type(text)
  }
  return () => count
}
