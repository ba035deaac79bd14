import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'

/** Where Chromium is: as CHROMIUM_PATH says, or where Debian's package puts it. */
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** The menus of the address bar are pages of Chromium. Each new window would load them, which is half a second of a core. */
const args = ['--no-sandbox', '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup']

let browser: Browser
const contexts: BrowserContext[] = []
/** What no page may do: errors, what the Content-Security-Policy refused, and requests to other servers. */
const complaints: string[] = []

beforeAll(async () => {
  if (!existsSync(executablePath)) {
    throw new Error(
      `There is no Chromium at ${executablePath}. On Debian: apt-get install chromium. Elsewhere: set CHROMIUM_PATH.`
    )
  }
  browser = await chromium.launch({ executablePath, args })
})

afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close()
  expect(complaints.splice(0)).toEqual([])
})

afterAll(() => browser?.close())

/** Opens a page of a mock in a fresh browser profile; the test fails when the page complains. */
export async function openPage(url: string): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
    acceptDownloads: true
  })
  contexts.push(context)
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const { origin } = new URL(url)
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A test may cause refused requests, but no violation of the policy.
    const isNetwork = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isNetwork) complaints.push(message.text())
  })
  page.on('request', (request) => {
    const target = new URL(request.url())
    if (/^https?:$/.test(target.protocol) && target.origin !== origin) complaints.push(`asked ${request.url()}`)
  })
  await page.goto(url)
  return page
}

/** A page of a fresh browser profile, for a test that sets its own requests. */
export async function emptyPage(): Promise<Page> {
  const context = await browser.newContext()
  contexts.push(context)
  return context.newPage()
}

/** The text in the clipboard. */
export async function copied(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText())
}

/** Waits until the ribbon has its events and its width. Before that, keys and clicks on it do nothing. */
export async function ribbonDrawn(page: Page): Promise<void> {
  await page.locator('[role=slider]:not([aria-valuemax="0"]) canvas:not([width="0"])').waitFor()
}

/** Opens an operation of the explorer by its list, and waits until it can be sent. Returns what is said about it. */
export async function inExplorer(page: Page, id: string): Promise<Locator> {
  const list = page.getByRole('navigation', { name: 'Operations' })
  // While the page loads, the list may move away under a pointer.
  await list.getByRole('link', { name: new RegExp(`^${id} `) }).press('Enter')
  const description = page.getByRole('article', { name: id, exact: true })
  await description.waitFor()
  await page.getByRole('button', { name: /^Send Ctrl/ }).waitFor()
  return description
}

/** Waits for something that the page does not show. */
export async function until<T>(look: () => T | Promise<T>, isGood: (value: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const value = await look()
    if (isGood(value) || tries === 2400) return value
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** Runs a command of the palette. */
export async function command(page: Page, text: string, option: string | RegExp): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Commands' }).waitFor()
  await page.keyboard.type(text)
  const wanted = page.getByRole('option', { name: option }).first()
  await wanted.waitFor()
  while ((await wanted.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** The names of visible elements. */
async function namesOf(page: Page, selector: string): Promise<string[]> {
  const elements = page.locator(selector).filter({ visible: true })
  return elements.evaluateAll((all: Partial<HTMLInputElement>[]) =>
    all.map((it) => (it.ariaLabel ?? it.labels?.[0]?.textContent ?? it.textContent ?? '').trim())
  )
}

/** Presses Tab until something with this name has the focus. It waits until the page has it. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  const isThere = (names: string[]) => names.some((text) => name.test(text))
  await until(() => namesOf(page, 'a, button, input, select, textarea, summary, [tabindex]'), isThere)
  for (let tries = 0; tries < 80; tries++) {
    if (isThere(await namesOf(page, ':focus'))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not get to ${name}.`)
}

/** Presses a button or a link with this name, with keys only. */
export async function pressEnter(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}
