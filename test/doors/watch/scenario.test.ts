import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestMock } from '../../mock.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-watch-scenario-'))

/** A file in its own folder: a watch of a folder also gets earlier events if another is open. */
const fileIn = (name: string) => join(mkdtempSync(join(folder, 'its-')), name)

const making = (count: number) =>
  `start: {fixtures: empty}\nsteps:\n  - create: {collection: labels, count: ${count}}\n`

/** A mock that starts with a scenario, and a function that does something and waits for the next line. */
async function started(scenario: string, own: string[] = []) {
  let wake = (_: string) => {}
  const mock = await startTestMock({ scenario, with: own, watch: true, onReload: (line) => wake(line) })
  const lineAfter = (change: () => void) =>
    new Promise<string>((resolve) => {
      wake = resolve
      change()
    })
  return { mock, lineAfter, labels: (sandbox: string) => mock.handle(sandbox).rows('labels').length }
}

test('a changed scenario file is played again: sandboxes keep their state, and a reset starts from the new result', async () => {
  const file = fileIn('labels.yaml')
  writeFileSync(file, making(1))
  const { mock, lineAfter, labels } = await started(file)
  expect(labels('one')).toBe(1)
  expect(await lineAfter(() => writeFileSync(file, making(3)))).toMatch(/^reloaded .*labels\.yaml \(played again\)$/)
  expect([labels('one'), labels('two')]).toEqual([1, 3])
  mock.handle('one').reset()
  expect(labels('one')).toBe(3)
})

test.each([
  ['cannot be read', 'steps: [', 'broken.yaml'],
  ['has a step that fails', `steps:\n  - call: {operation: getPersona, path: {persona_id: 999}}\n`, 'Step 1']
])('a changed scenario that %s is reported, and the old one remains', async (_, text, why) => {
  const file = fileIn('broken.yaml')
  writeFileSync(file, making(2))
  const { lineAfter, labels } = await started(file)
  const line = await lineAfter(() => writeFileSync(file, text))
  expect(line).toMatch(/^kept the old scenario: /)
  expect(line).toContain(why)
  expect(labels('new')).toBe(2)
  expect(await lineAfter(() => writeFileSync(file, making(4)))).toContain('played again')
  expect(labels('newer')).toBe(4)
})

test('a changed scenario in a folder is played again by its name', async () => {
  const own = join(folder, 'own')
  mkdirSync(join(own, 'scenarios'), { recursive: true })
  writeFileSync(
    join(own, 'openapi.json'),
    JSON.stringify({ openapi: '3.1.0', paths: { '/word': { get: { responses: { 200: { description: 'ok' } } } } } })
  )
  const file = join(own, 'scenarios', 'mine.yaml')
  writeFileSync(file, making(1))
  const { lineAfter, labels } = await started('mine', [own])
  expect(labels('one')).toBe(1)
  await lineAfter(() => writeFileSync(file, making(5)))
  expect(labels('two')).toBe(5)
})
