import type { Page } from 'playwright-core'
import { isSample } from '../extent.js'
import { startTestMock } from '../mock.js'
import { Random } from '../property/random.js'
import { openPage, until } from './browser.js'

const mock = await startTestMock()
const steps = isSample ? 150 : 5000
const seed = Number(process.env.KCM_SEED ?? 21)

const keys = ['Tab', 'Shift+Tab', 'Enter', 'Escape', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End']
const shortcuts = [
  '/',
  '?',
  '[',
  ']',
  'j',
  'k',
  'f',
  'n',
  'r',
  'F2',
  'Control+k',
  'Control+z',
  'Control+Enter',
  'Space'
]
const texts = [
  'frost',
  '-1',
  '1e999',
  'status:>=',
  '{"a":',
  '[1, null]',
  '<b>',
  '"',
  ' ',
  '\u202e12',
  'r1',
  'x'.repeat(300)
]
const sizes = [
  { width: 390, height: 844 },
  { width: 1024, height: 768 },
  { width: 1440, height: 900 }
]
/** What the mock has logged: a request that it failed on. */
const failures: string[] = []
const log = console.error
beforeAll(() => {
  console.error = (...texts) => void failures.push(texts.join(' '))
})
afterAll(() => {
  console.error = log
})

const paths = ['/api/persona/1', '/api/persona', '/api/persona/404', '/api/user/projects/', '/api/nothing']

/** One random step of a user, or of another program that uses the mock meanwhile. Returns what it was. */
async function step(page: Page, random: Random): Promise<string> {
  const kind = random.next()
  if (kind < 0.08) {
    const path = random.pick(paths)
    const method = random.pick(['GET', 'PATCH', 'DELETE'])
    // An override may break its connection, or answer only after minutes.
    void mock
      .call(method, path, method === 'PATCH' ? { body: { name: random.pick(texts) } } : {})
      .catch(() => undefined)
    return `request ${path}`
  }
  if (kind < 0.1) {
    await page.setViewportSize(random.pick(sizes))
    return 'resize'
  }
  if (kind < 0.12) {
    await page
      .evaluate((back) => (back ? history.back() : history.forward()), random.chance(0.7))
      .catch(() => undefined)
    return 'back or forward'
  }
  if (kind < 0.3) {
    const key = random.pick(random.chance(0.6) ? keys : shortcuts)
    await page.keyboard.press(key)
    return `key ${key}`
  }
  if (kind < 0.4) {
    const text = random.pick(texts)
    await page.keyboard.insertText(text)
    return `text ${text}`
  }
  // A real click, wherever the thing is by then. What another thing covers is clicked instead, as by a user.
  const inputs = 'button, a[href^="#"], input, select, summary, textarea, td, [role=slider], [role=option], canvas'
  // While the browser goes back to another page, there is nothing.
  const seen = await page
    .locator(inputs)
    .evaluateAll((all) => {
      const open = document.querySelector('dialog[open]')
      return all
        .map((it) => ({
          box: it.getBoundingClientRect(),
          name: (it.ariaLabel ?? it.textContent ?? '').slice(0, 40),
          it
        }))
        .filter(
          ({ box, it }) =>
            box.width > 0 &&
            box.top >= 0 &&
            box.bottom <= innerHeight &&
            box.left >= 0 &&
            box.right <= innerWidth &&
            (!open || open.contains(it))
        )
        .map(({ box, name }) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2, name }))
    })
    .catch(() => [])
  if (seen.length === 0) {
    await page.keyboard.press('Escape')
    return 'nothing to click'
  }
  const { x, y, name } = random.pick(seen)
  if (random.chance(0.1)) {
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 60, y, { steps: 3 })
    await page.mouse.up()
    return `drag ${name}`
  }
  if (random.chance(0.1)) await page.mouse.wheel(0, random.int(-600, 600))
  await page.mouse.click(x, y, { clickCount: random.chance(0.1) ? 2 : 1 })
  return `click ${name}`
}

test(`${steps} random steps cause no error, and the page works afterwards`, async () => {
  const random = new Random(seed)
  const done: string[] = []
  const errors: string[] = []
  const start = `${mock.url}/__mock/#/default/requests`
  const page = await openPage(start)
  page.on('pageerror', ({ message }) => errors.push(`${message} after ${done.slice(-12).join(' | ')}`))
  page.on('dialog', (dialog) => void dialog.dismiss())
  // Ctrl Enter on a link. Here each tab counts as visible and keeps its stream, and a browser opens six to one host.
  page.context().on('page', (tab) => void tab.close())
  for (let at = 0; at < steps; at++) {
    done.push(await step(page, random))
    expect([errors, failures]).toEqual([[], []])
    // From another page too, and from outside of the dashboard back to it.
    const isOutside = !page.url().startsWith(`${mock.url}/__mock/`)
    if (isOutside || random.chance(0.01)) await page.goto(start).catch(() => undefined)
  }
  await page.goto('about:blank')
  await page.goto(`${mock.url}/__mock/#/fresh/state/personas`)
  await page.getByRole('grid', { name: 'Rows: Agents' }).waitFor()
  const id = (await mock.call('GET', '/api/persona/1', { as: 'admin~fresh' })).status
  expect(id).toBe(200)
  await page.getByRole('link', { name: 'Requests' }).click()
  expect(
    await until(
      () => page.getByText('1 exchange', { exact: true }).count(),
      (count) => count === 1
    )
  ).toBe(1)
}, 7_200_000)
