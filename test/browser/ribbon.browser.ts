import type { Page } from 'playwright-core'
import { startTestMock } from '../mock.js'
import { openPage, ribbonDrawn, until } from './browser.js'

const mock = await startTestMock()
const dashboard = `${mock.url}/__mock/#/default`

const rename = (name: string) => mock.call('PATCH', '/api/persona/1', { body: { name } })
const nameNow = async () => (await mock.call('GET', '/__mock/state/personas/1')).body.name

/** Six exchanges and two control calls. */
async function play() {
  await mock.reset()
  await mock.call('POST', '/__mock/reset')
  await rename('First')
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/persona/999')
  await rename('Second')
  await mock.call('PUT', '/__mock/clock', { body: { advance: '1h' } })
  await rename('Third')
  await mock.call('POST', '/__mock/state/labels', { body: { name: 'Late' } })
  await mock.call('GET', '/api/persona/1')
}
beforeEach(play)

const slider = (page: Page) => page.getByRole('slider', { name: /^Moment/ })
const valueText = (page: Page) => slider(page).getAttribute('aria-valuetext')

/** Presses a key on the ribbon until it shows this text. */
async function seek(page: Page, key: string, text: string) {
  await ribbonDrawn(page)
  await slider(page).focus()
  for (let tries = 0; tries < 15; tries++) {
    if ((await valueText(page))?.includes(text)) return
    const before = await valueText(page)
    await page.keyboard.press(key)
    await until(
      () => valueText(page),
      (now) => now !== before
    )
  }
  throw new Error(`The ribbon does not get to ${text}: ${await valueText(page)}`)
}

test('the arrow keys go back in time, the rows follow, and Escape goes to now', async () => {
  const page = await openPage(`${dashboard}/state/personas`)
  await page.getByRole('gridcell', { name: 'Third' }).waitFor()
  await seek(page, 'ArrowLeft', 'Clock was set')
  await page.getByRole('gridcell', { name: 'Second' }).waitFor()
  expect(await valueText(page)).toMatch(/^m\d+: Clock was set, [\d:.]+, mock time 03-02 11:00:00$/)
  await seek(page, 'ArrowLeft', '/api/persona/999 → 404')
  await page.getByRole('gridcell', { name: 'First', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('gridcell', { name: 'Third' }).waitFor()
  expect(await valueText(page)).toBe('Now')
  // From anywhere on the page.
  await page.getByRole('link', { name: 'Labels' }).focus()
  for (const key of ['[', '[', '[', ']']) await page.keyboard.press(key)
  expect(
    await until(
      () => valueText(page),
      (text) => text?.startsWith('m') === true
    )
  ).toMatch(/Rows were added: Labels/)
})

test('a moment is in the address, and remains from row to row', async () => {
  const page = await openPage(`${dashboard}/state/personas?at=r1`)
  await page.getByRole('gridcell', { name: 'First', exact: true }).waitFor()
  await page.getByRole('gridcell', { name: 'First', exact: true }).locator('xpath=..').getByRole('link').first().click()
  await page
    .getByRole('definition')
    .filter({ hasText: /^First$/ })
    .waitFor()
  expect(page.url()).toContain('at=r1')
  // The past cannot be edited.
  expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
})

test('an earlier moment is forked and restored, and the restore undone', async () => {
  const page = await openPage(`${dashboard}/requests`)
  await seek(page, 'ArrowLeft', '/api/persona/999')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByLabel('Name of the new sandbox').fill('then')
  await page.keyboard.press('Enter')
  await page.getByText('Sandbox then was forked from r3.').waitFor()
  const then = await mock.call('GET', '/__mock/state/personas/1', { as: 'admin~then' })
  expect([then.body.name, await nameNow()]).toEqual(['First', 'Third'])

  await page.goto(`${dashboard}/state?at=r1`)
  await page.getByRole('button', { name: 'Go back to here' }).click()
  await page.getByText('Went back to r1.').waitFor()
  expect(await nameNow()).toBe('First')
  await page.keyboard.press('Control+z')
  await page.getByText(/^Undone: /).waitFor()
  expect(await nameNow()).toBe('Third')
  await mock.call('DELETE', '/__mock/sandboxes')
})

test('a stretch that is dragged, or chosen with Shift and arrows, filters the journal', async () => {
  const page = await openPage(`${dashboard}/requests`)
  const rows = page.locator('.journal tbody tr')
  await until(
    () => rows.count(),
    (count) => count === 6
  )
  await ribbonDrawn(page)
  const box = (await slider(page).boundingBox()) as { x: number; y: number }
  // An event has fourteen pixels: the start, and then the first three exchanges.
  await page.mouse.move(box.x + 22, box.y + 20)
  await page.mouse.down()
  await page.mouse.move(box.x + 50, box.y + 20, { steps: 3 })
  await page.mouse.up()
  expect(
    await until(
      () => rows.count(),
      (count) => count < 6
    )
  ).toBeLessThan(4)
  expect(page.url()).toContain('stretch=r1-r')
  await page.getByRole('button', { name: /^Range of/ }).click()
  await until(
    () => rows.count(),
    (count) => count === 6
  )
  await slider(page).focus()
  for (let times = 0; times < 4; times++) await page.keyboard.press('Shift+ArrowLeft')
  await until(
    () => rows.count(),
    (count) => count < 6
  )
  expect(page.url()).toMatch(/stretch=r5-r6/)
  // The whole stretch, although the moment is at its beginning.
  await page.getByText('2 exchanges', { exact: true }).waitFor()
  expect(await rows.count()).toBe(2)
})

test('Shift and arrows choose a range to either side, on pages that have a use for one', async () => {
  const page = await openPage(`${dashboard}/requests?at=r2`)
  await ribbonDrawn(page)
  await slider(page).press('Shift+ArrowRight')
  await page.waitForURL(/stretch=r2-r3/)
  await slider(page).press('Shift+ArrowLeft')
  await page.waitForURL(/stretch=r2-r2/)
  await page.goto(`${dashboard}/state?at=r3`)
  await page.getByRole('heading', { name: 'From r3 to now' }).waitFor()
  await ribbonDrawn(page)
  await slider(page).press('Shift+ArrowLeft')
  await page.getByRole('heading', { name: 'From r1 to r3' }).waitFor()
  expect(await slider(page).getAttribute('aria-label')).toMatch(/Shift and arrows/)
  await page.goto(`${dashboard}/clock`)
  expect(await slider(page).getAttribute('aria-label')).toBe('Moment')
})

test('a reset is undone, after a question if more has changed since', async () => {
  const page = await openPage(`${dashboard}/state`)
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.getByText(/^Back to the start: \d/).waitFor()
  expect(await nameNow()).not.toBe('Third')
  await page.getByRole('button', { name: /^Undo/ }).click()
  await page.getByText(/^Undone: /).waitFor()
  expect(await nameNow()).toBe('Third')

  await page.getByRole('button', { name: 'Reset' }).click()
  await page.getByText(/^Back to the start: \d/).waitFor()
  await rename('Since')
  await page.getByRole('button', { name: /^Undo/ }).click()
  await page.getByText('Something has changed since, and would be lost.').waitFor()
  expect(await nameNow()).toBe('Since')
  await page.getByRole('button', { name: 'Restore the whole state' }).click()
  await until(nameNow, (name) => name === 'Third')
  expect(await nameNow()).toBe('Third')
})

test('changes by time alone are on the ribbon, and each of their moments can be shown', async () => {
  await mock.call('POST', '/__mock/reset')
  const added = { user_id: 'basic', status: 'PROCESSING', name: 'frost.pdf' }
  const { body: file } = await mock.call('POST', '/__mock/state/userFiles', { body: added })
  await mock.call('PUT', '/__mock/clock', { body: { advance: '5h' } })
  const page = await openPage(`${dashboard}/state/userFiles/${file.id}`)
  const status = page
    .getByRole('definition')
    .filter({ hasText: /^(PROCESSING|COMPLETED|FAILED)$/ })
    .first()
  await status.getByText(/COMPLETED|FAILED/).waitFor()
  await seek(page, 'ArrowLeft', 'Clock was set')
  await seek(page, 'ArrowLeft', 'frost.pdf: PROCESSING →')
  expect(await valueText(page)).toMatch(/^m\d+\.3000: frost\.pdf: PROCESSING → COMPLETED.*, mock time 03-02 10:00:03$/)
  await status.getByText(/COMPLETED|FAILED/).waitFor()
  await page.keyboard.press('ArrowLeft')
  await status.getByText('PROCESSING').waitFor()
  expect(await valueText(page)).not.toContain('frost.pdf: PROCESSING')
})

test('the journal, the clock, overrides, choices and coverage show the chosen moment read-only', async () => {
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'listProjects', status: 503 } })
  await mock.call('PATCH', '/__mock/assumptions', { body: { 'files.lifecycle': 'manual' } })
  const page = await openPage(`${dashboard}/requests`)
  const rows = page.locator('.journal tbody tr')
  await seek(page, 'ArrowLeft', '/api/persona/999 → 404')
  await page.getByText('3 exchanges until then').waitFor()
  expect(await rows.count()).toBe(3)
  const goTo = async (name: string) => {
    await page.getByRole('link', { name, exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await until(
      () => valueText(page),
      (text) => text?.includes('/api/persona/999 → 404') === true
    )
  }
  await goTo('Clock')
  await page.getByText('10:00:00', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Advance by 1h' }).count()).toBe(0)
  await goTo('Overrides')
  await page.getByText('There is none').waitFor()
  expect(await page.getByRole('link', { name: 'Add an override' }).count()).toBe(0)
  await goTo('Assumptions')
  const choice = page.getByRole('combobox', { name: 'Choice for files.lifecycle' })
  await choice.waitFor()
  expect([await choice.inputValue(), await choice.isDisabled()]).toEqual(['clock', true])
  await goTo('Coverage')
  await page.getByText('2 of 30 operations used').waitFor()
  await page.keyboard.press('Escape')
  await goToNow('Assumptions')
  await until(
    () => choice.inputValue(),
    (value) => value === 'manual'
  )
  expect(await choice.isDisabled()).toBe(false)
  await goToNow('Overrides')
  await page.getByText('listProjects').waitFor()
  await goToNow('Clock')
  await page.getByText('11:00:00', { exact: true }).waitFor()

  async function goToNow(name: string) {
    await page.getByRole('link', { name, exact: true }).focus()
    await page.keyboard.press('Enter')
    await until(
      () => valueText(page),
      (text) => text === 'Now'
    )
  }
})

test('new exchanges of a new mock are steps at once, in order', async () => {
  await mock.reset()
  await mock.call('POST', '/__mock/reset')
  const page = await openPage(`${dashboard}/state/personas`)
  await ribbonDrawn(page)
  const events = async () => Number(await slider(page).getAttribute('aria-valuemax'))
  const before = await events()
  for (const id of [1, 999]) await mock.call('GET', `/api/persona/${id}`)
  await until(events, (now) => now === before + 2)
  await seek(page, 'ArrowLeft', '/api/persona/999 → 404')
  await seek(page, 'ArrowLeft', '/api/persona/1 → 200')
  await seek(page, 'ArrowLeft', 'The earliest state')
})

test('an address may name a moment without an event, or an unknown one, and the ribbon shows no other instead', async () => {
  const { moments } = (await mock.call('GET', '/__mock/history')).body
  const { before } = moments.find((it: { operation: string }) => it.operation === 'setClock')
  const page = await openPage(`${dashboard}/clock?at=${before}`)
  await slider(page).waitFor()
  expect(await valueText(page)).toBe(`${before}: A moment between events`)
  await page.goto(`${dashboard}/clock?at=m999`)
  await page.getByText('There is no moment m999').first().waitFor()
  await page.getByRole('button', { name: 'Now' }).click()
  await page.getByRole('button', { name: 'Now' }).waitFor({ state: 'detached' })
  for (const name of ['state', 'overrides', 'assumptions', 'coverage', 'requests']) {
    await page.goto(`${dashboard}/${name}?at=r99999`)
    await page.getByText('There is no moment r99999').first().waitFor()
    await page.getByRole('button', { name: 'Go back to here' }).waitFor({ state: 'detached' })
  }
  await page.getByText('No exchange matches').waitFor()
})

test('the state of a moment is compared with now: all rows that differ, and their cells in the grid', async () => {
  const page = await openPage(`${dashboard}/state?at=r1`)
  await page.getByRole('heading', { name: 'From r1 to now' }).waitFor()
  await page.getByText('changed Agent Third').waitFor()
  await page.getByText('new Label Late').waitFor()
  await page.goto(`${dashboard}/state/personas?at=r1`)
  const cell = page.locator('td.apart', { hasText: 'First' })
  await cell.waitFor()
  expect(await cell.getAttribute('title')).toBe('At the other moment: "Third"')
})

test('a range on the ribbon of the state is what the states before and after it are compared by', async () => {
  const page = await openPage(`${dashboard}/state?against=r1&at=r4`)
  await page.getByRole('heading', { name: 'From r1 to r4' }).waitFor()
  await page.getByText('1 row is different.').waitFor()
  await page.getByRole('definition').filter({ hasText: 'Second' }).waitFor()
  await page.getByRole('button', { name: /^Range of/ }).click()
  await page.getByRole('heading', { name: 'From r4 to now' }).waitFor()
  await page.keyboard.press('Escape')
  await ribbonDrawn(page)
  const box = (await slider(page).boundingBox()) as { x: number; y: number }
  await page.mouse.move(box.x + 36, box.y + 20)
  await page.mouse.down()
  await page.mouse.move(box.x + 64, box.y + 20, { steps: 3 })
  await page.mouse.up()
  await page.getByRole('heading', { name: /^From (r|m)\d to (r|m)\d$/ }).waitFor()
  expect(page.url()).toMatch(/against=[rm]\d&at=[rm]\d/)
})

test('the ribbon is zoomed with buttons and keys, and a legend explains it', async () => {
  for (let at = 0; at < 60; at++) await mock.call('GET', '/api/get-user-role')
  const page = await openPage(`${dashboard}/requests`)
  await page.getByText('66 exchanges').waitFor()
  await ribbonDrawn(page)
  const box = (await slider(page).boundingBox()) as { x: number; y: number }
  const pointed = async (x: number) => {
    await page.mouse.move(box.x + x, box.y + 20)
    return page.locator('.readout p').textContent()
  }
  const first = await pointed(20)
  await page.getByRole('button', { name: 'Zoom in' }).click()
  expect(
    await until(
      () => pointed(20),
      (text) => text?.includes('/api/get-user-role') === true
    )
  ).toContain('r')
  await slider(page).focus()
  await page.keyboard.press('-')
  expect(
    await until(
      () => pointed(20),
      (text) => text === first
    )
  ).toBe(first)
  await page.getByRole('button', { name: 'Legend' }).click()
  await page.getByRole('dialog', { name: 'Legend of the ribbon' }).getByText('The clock was set').waitFor()
})

/** The ticks on the canvas: the runs of columns that are drawn above the marks, and the columns in the colour of a failure. */
const ticksOf = (page: Page) =>
  page.locator('.ribbon canvas').evaluate((canvas: HTMLCanvasElement) => {
    const pen = canvas.getContext('2d') as CanvasRenderingContext2D
    const height = canvas.height - 30
    const { data } = pen.getImageData(0, 0, canvas.width, height)
    const probe = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D
    probe.fillStyle = getComputedStyle(canvas).getPropertyValue('--warn')
    probe.fillRect(0, 0, 1, 1)
    const failed = probe.getImageData(0, 0, 1, 1).data
    const isFailed = (it: Uint8ClampedArray) =>
      [0, 1, 2].every((at) => Math.abs((it[at] ?? 0) - (failed[at] ?? 0)) < 12)
    const columns = Array.from({ length: canvas.width }, (_, x) => {
      const colours = Array.from({ length: height }, (_, y) => data.subarray((y * canvas.width + x) * 4).slice(0, 4))
      const drawn = colours.filter((it) => it[3] !== 0)
      return {
        isDrawn: drawn.length > 0,
        isFailed: drawn.some(isFailed),
        isCovered: drawn.length > 0 && drawn.every(isFailed)
      }
    })
    return {
      width: canvas.width,
      drawn: columns.filter(({ isDrawn }) => isDrawn).length,
      runs: columns.filter(({ isDrawn }, x) => isDrawn && !columns[x - 1]?.isDrawn).length,
      failed: columns.flatMap(({ isFailed }, x) => (isFailed ? [x] : [])),
      covered: columns.filter(({ isCovered }) => isCovered)
    }
  })

test('where events share a pixel, refusals do not hide the others, and no time is written twice', async () => {
  const crowded = await startTestMock()
  for (let sent = 0; sent < 1600; sent += 80) {
    const paths = Array.from({ length: 80 }, (_, at) => (at % 4 === 0 ? '/api/persona/999' : '/api/get-user-role'))
    await Promise.all(paths.map((path) => crowded.call('GET', path)))
  }
  const page = await openPage(`${crowded.url}/__mock/#/default/clock`)
  await page.setViewportSize({ width: 700, height: 900 })
  await page.addInitScript(() => {
    const { fillText, clearRect } = CanvasRenderingContext2D.prototype
    let written: string[] = []
    CanvasRenderingContext2D.prototype.clearRect = function (...box) {
      written = []
      clearRect.apply(this, box)
    }
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
      written.push(text)
      document.documentElement.dataset.written = written.join()
      fillText.call(this, text, ...place)
    }
  })
  await page.reload()
  await ribbonDrawn(page)
  const { drawn, failed, covered } = await until(
    () => ticksOf(page),
    (it) => it.drawn > 0
  )
  expect(failed.length).toBeGreaterThan(drawn / 3)
  expect(covered.length).toBeLessThan(failed.length / 2)
  const times = async () => (await page.locator('html').getAttribute('data-written'))?.split(',') ?? []
  for (let zoomed = 0; zoomed < 6; zoomed++) {
    const labels = await times()
    expect(labels.length).toBeGreaterThan(0)
    expect(new Set(labels).size).toBe(labels.length)
    await page.getByRole('button', { name: 'Zoom in' }).click()
  }
}, 120_000)

test('ten thousand events are one tick per pixel, a single failure among them is seen, and each is found by zooming', async () => {
  const crowded = await startTestMock({ journalEntries: 10_000 })
  const send = (path: string) => crowded.call('GET', path)
  const many = async (count: number) => {
    for (let sent = 0; sent < count; sent += 100) {
      await Promise.all(Array.from({ length: 100 }, () => send('/api/get-user-role')))
    }
  }
  await many(4900)
  await send('/api/persona/999')
  await many(5000)
  await Promise.all(Array.from({ length: 99 }, () => send('/api/get-user-role')))
  const page = await openPage(`${crowded.url}/__mock/#/default/clock`)
  await page.addInitScript(() => {
    const { fillRect } = CanvasRenderingContext2D.prototype
    CanvasRenderingContext2D.prototype.fillRect = function (...box) {
      document.documentElement.dataset.drawn = String(Number(document.documentElement.dataset.drawn ?? 0) + 1)
      fillRect.apply(this, box)
    }
  })
  await page.goto(`${crowded.url}/__mock/#/default/requests`)
  await page.reload()
  await page.getByText('10,000 exchanges').waitFor()
  await page.getByText('Now · 10,001 events').waitFor()
  await ribbonDrawn(page)
  const all = await until(
    () => ticksOf(page),
    ({ drawn }) => drawn > 0
  )
  expect(all.drawn).toBeGreaterThan(all.width * 0.95)
  expect(all.failed.length).toBeGreaterThanOrEqual(1)
  expect(all.failed.length).toBeLessThanOrEqual(3)
  expect(Math.abs((all.failed[0] as number) / all.width - 0.49)).toBeLessThan(0.01)

  // Each drawing takes as long as the ribbon is wide, and not as long as there are events.
  const drawnBy = async (act: () => Promise<unknown>) => {
    const count = () => page.evaluate(() => Number(document.documentElement.dataset.drawn))
    const before = await count()
    await act()
    return (await until(count, (now) => now > before)) - before
  }
  const box = (await page.locator('.ribbon .track').boundingBox()) as { x: number; y: number; width: number }
  expect(
    await drawnBy(() =>
      slider(page)
        .press('-')
        .then(() => slider(page).press('+'))
    )
  ).toBeLessThan(3 * box.width)
  await page.getByRole('button', { name: 'Zoom out' }).click()

  // With the pointer on the failure, the ribbon is zoomed until each event has a tick.
  await page.mouse.move(box.x + (all.failed[0] as number) + 1, box.y + 10)
  await page.keyboard.down('Control')
  const isClose = ({ runs, drawn }: typeof all) => runs > 1 && runs <= 110 && drawn < 500
  let seen = all
  for (let tries = 0; tries < 60 && !isClose(seen); tries++) {
    await page.mouse.wheel(0, -100)
    seen = await ticksOf(page)
    const [place] = seen.failed
    if (place !== undefined) await page.mouse.move(box.x + place + 1, box.y + 10)
  }
  await page.keyboard.up('Control')
  expect(isClose(seen)).toBe(true)
  await page.mouse.click(box.x + (seen.failed[0] as number) + 1, box.y + 10)
  expect(
    await until(
      () => valueText(page),
      (text) => text !== 'Now'
    )
  ).toMatch(/^r4901: GET \/api\/persona\/999 → 404/)
}, 600_000)
